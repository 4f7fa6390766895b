// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "plugin/options/Options.h"

#include "llvm/Support/Error.h"

namespace clang {
class CompilerInstance;
}

namespace qdadvise {

/// The hooks of this compilation: what was asked for, or the best that can work. An error where
/// what was asked for cannot.
llvm::Expected<HookMode> chooseHookMode(HookMode asked, bool tracesMemory,
                                        const clang::CompilerInstance &compiler);

} // namespace qdadvise
