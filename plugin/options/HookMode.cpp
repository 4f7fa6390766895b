// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/options/HookMode.h"

#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

#include <dlfcn.h>

using namespace qdadvise;

namespace {

/// Why XRay hooks cannot work here; "" if they can.
std::string obstacleToXRay(const clang::CompilerInstance &compiler) {
  const llvm::Triple &triple = compiler.getTarget().getTriple();
  if (triple.getArch() != llvm::Triple::x86_64 && !triple.isAArch64())
    return "it has no thunks for " + triple.getArchName().str();

  const clang::SanitizerMask checked =
      compiler.getLangOpts().Sanitize.Mask & ~compiler.getCodeGenOpts().SanitizeTrap.Mask;
  if (checked)
    return "the runtimes of XRay and of -fsanitize= do not link together";
  return "";
}

/// Whether the runtime knows how to change the code.
bool canPatch(const clang::CompilerInstance &compiler) {
  const llvm::Triple &triple = compiler.getTarget().getTriple();
  return triple.getArch() == llvm::Triple::x86_64 || triple.isAArch64();
}

/// The configuration file beside this plugin that does without XRay.
std::string configWithoutXRay(bool tracesMemory) {
  const std::string name = tracesMemory ? "memory.cfg" : "profile.cfg";
  Dl_info info;
  if (dladdr(reinterpret_cast<const void *>(&qdadvise::chooseHookMode), &info) == 0 ||
      !info.dli_fname)
    return name;
  llvm::SmallString<256> path(info.dli_fname);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

/// Code for a shared library. Its sleds are known with -fxray-shared only, and then only in
/// programs that bring XRay's runtime: in others the library would not load.
bool mayBecomeSharedLibrary(const clang::CompilerInstance &compiler) {
  const clang::LangOptions &language = compiler.getLangOpts();
  return language.PICLevel > 0 && !language.PIE;
}

} // namespace

llvm::Expected<HookMode> qdadvise::chooseHookMode(HookMode asked, bool tracesMemory,
                                                  const clang::CompilerInstance &compiler) {
  if (!compiler.getTarget().getTriple().isOSBinFormatELF())
    return llvm::createStringError("argument 'instrument' works for ELF targets only");
  const std::string obstacle = obstacleToXRay(compiler);
  switch (asked) {
  case HookMode::call:
    return asked;
  case HookMode::patch:
    if (!canPatch(compiler))
      return llvm::createStringError(
          "hooks=patch knows the code of x86-64 and AArch64 only; use hooks=call");
    return asked;
  case HookMode::xray:
    if (!obstacle.empty())
      return llvm::createStringError("hooks=xray cannot work here: " + obstacle +
                                     "; use hooks=call");
    return asked;
  case HookMode::automatic:
    // The compiler's driver will link XRay's runtime beside the sanitizer's, with a page of errors.
    if (!obstacle.empty() && compiler.getLangOpts().XRayInstrument)
      return llvm::createStringError(
          "this configuration file is for XRay, but " + obstacle +
          "; compile and link with --config=" + configWithoutXRay(tracesMemory));
    break;
  }
  if (obstacle.empty() && compiler.getLangOpts().XRayInstrument &&
      !mayBecomeSharedLibrary(compiler))
    return HookMode::xray;
  return canPatch(compiler) && !tracesMemory ? HookMode::patch : HookMode::call;
}
