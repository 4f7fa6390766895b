// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a sled's record goes: into a section that is linked to the function's, and of its group, so
// that linkers keep or drop both.
#pragma once

#include "plugin/instrument/HookInserter.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace qdadvise {

class SledSections {
public:
  /// Of a module that is optimised as far as it will be.
  SledSections(llvm::Module &owner, const HookSettings &settings);

  /// Assembler code for a SledRecord of the sled `.Lqdadvise_sled${:uid}` in a function; `rest` is
  /// what follows where that is.
  std::string recordCode(const llvm::Function &function, const std::string &rest);

private:
  /// A symbol of the section that the function is in.
  std::string linkedTo(const llvm::Function &function);

  llvm::Module &module;
  /// A linker that optimises moves code to other functions; it has dropped what it does not want
  /// when there are groups.
  bool isOptimisedAgain;
  bool sharesText;       ///< records of functions that share a section share one, too
  bool hasBegin = false; ///< the module says where that section begins
};

} // namespace qdadvise
