"""End-to-end tests. Run through ctest, or by hand with
QDADVISE_LIT_SITE=build/llvm22/lit-tests/lit.site.cfg.py lit lit-tests"""

import fcntl
import itertools
import os
import shutil
import subprocess
import sys

import lit.formats


def claim(folder):
    """The first of FOLDER, FOLDER-2, FOLDER-3 and so on in which no other lit is at work."""
    for number in itertools.count(1):
        path = folder if number == 1 else f"{folder}-{number}"
        os.makedirs(path, exist_ok=True)
        # Never closed: the claim ends with the process.
        lock = os.open(os.path.join(path, ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return path
        except BlockingIOError:
            os.close(lock)


config.name = "qdadvise"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

site = os.environ.get("QDADVISE_LIT_SITE")
if not site:
    lit_config.fatal("QDADVISE_LIT_SITE names no lit.site.cfg.py of a build; run ctest")
lit_config.load_config(config, site)

build = config.qdadvise_build
version = config.llvm_version
tools = os.path.join(config.llvm_root, "bin")
installed = os.path.join(build, "lib", "qdadvise", "llvm-" + version)
# Tests name their files after themselves, and of several runs at once each has its own.
config.test_exec_root = claim(os.path.join(build, "lit-tests"))

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), tools, config.environment["PATH"]]
)
# A test sees no advice, options or machine of the person who runs it.
for name in ("QDADVISE_OPTIONS", "XRAY_OPTIONS", "NO_COLOR"):
    config.environment.pop(name, None)
config.environment["XDG_CONFIG_HOME"] = os.path.join(config.test_exec_root, "no-config")

config.substitutions += [
    ("%clangxx_plain", os.path.join(tools, "clang++")),
    ("%clangxx", os.path.join(tools, "clang++") + " -fno-crash-diagnostics"),
    ("%clang_plain", os.path.join(tools, "clang")),
    ("%clang", os.path.join(tools, "clang") + " -fno-crash-diagnostics"),
    ("%plugin_flag", "-fplugin=" + os.path.join(installed, "qdadvise.so")),
    ("%plugin_arg", "-fplugin-arg-qdadvise"),
    ("%cfgdir", installed),
    ("%rt", os.path.join(build, "lib", "libqdadvise_rt.so")),
    ("%libdir", os.path.join(build, "lib")),
    ("%source", config.qdadvise_source),
    ("%python", sys.executable),
    ("%llvm_version", version),
    ("%qdadvise", os.path.join(build, "bin", "qdadvise")),
]
config.available_features.add("llvm-" + version)
# Of the builds that continuous integration makes, one tests what meets no LLVM, or compiles a
# program with it and no more.
if config.llvm_free_tests == "ON":
    config.available_features.add("llvm-free-tests")
if len(os.sched_getaffinity(0)) >= 2:
    config.available_features.add("two-processors")
if shutil.which("ccache"):
    config.available_features.add("ccache")
if os.path.exists(os.path.join(installed, "qdadvise-lsp")):
    config.available_features.add("lsp")
for program in ("chromium", "clangd-22", "fish", "go", "nvim", "zsh"):
    if shutil.which(program):
        config.available_features.add(program)
# Emacs has eglot since version 29; before, it is a package.
ask = ["emacs", "--batch", "--eval", "(progn (package-initialize) (require 'eglot))"]
if shutil.which("emacs") and subprocess.run(ask, capture_output=True).returncode == 0:
    config.available_features.add("eglot")
if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-g++"):
    config.available_features.add("aarch64")
if os.geteuid() == 0:
    config.available_features.add("root")
# Not every container lets a process mount a file system of its own.
mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", config.test_source_root]
if shutil.which(mount[0]) and subprocess.run(mount, capture_output=True).returncode == 0:
    config.available_features.add("full-filesystem")
