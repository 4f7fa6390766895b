# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends a program by signals at various times, two at once now and then."""

import os
import resource
import signal
import subprocess
import sys
import time

program, profile = sys.argv[1:]
dump = os.path.join(os.path.dirname(__file__), "dump.py")
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGSEGV, signal.SIGABRT]
ended = 0


def prepare():
    """A signal that is ignored here would be ignored there. No core files."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


for i in range(60):
    if os.path.exists(profile):
        os.remove(profile)
    running = subprocess.Popen(
        [program],
        env=dict(os.environ, QDADVISE_OPTIONS=f"profile={profile}"),
        stdout=subprocess.PIPE,
        preexec_fn=prepare,
    )
    running.stdout.readline()
    time.sleep(i * 0.0007)
    sent = SIGNALS[i % len(SIGNALS)]
    running.send_signal(sent)
    if i % 5 == 0:
        running.send_signal(sent)
    status = running.wait()
    assert status == -sent, f"round {i}: {status} instead of {-sent}"
    subprocess.check_output([sys.executable, dump, profile])
    ended += 1
print(f"{ended} ended by their signal and left a profile")
