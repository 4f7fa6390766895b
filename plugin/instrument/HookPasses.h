// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When hooks are inserted: the plugin's passes, and where they stand in the compiler's pipeline.
#pragma once

#include "plugin/instrument/HookInserter.h"

#include <memory>

namespace llvm {
class PassBuilder;
}

namespace qdadvise {

/// Has `insertHooks` run at the start of the pipeline, before anything is
/// inlined, at every optimisation level. `table` may be filled until then.
void registerHookPass(llvm::PassBuilder &builder, const std::shared_ptr<const LockTable> &table,
                      HookSettings settings);

/// Does the same where a second compiler runs the pipeline, which sees no source (-save-temps,
/// -Xclang -disable-llvm-passes): the hooks are inserted before the first pass, which writes the
/// bitcode.
void registerHooksWithoutPipeline(llvm::PassBuilder &builder,
                                  const std::shared_ptr<const LockTable> &table,
                                  HookSettings settings);

} // namespace qdadvise
