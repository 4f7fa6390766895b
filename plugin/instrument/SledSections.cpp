// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/instrument/SledSections.h"

#include "plugin/instrument/OperationCalls.h"
#include "runtime/abi/sled_record.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"

using namespace qdadvise;

namespace {

/// The beginning of the section of all functions that are not told another.
constexpr const char *usualBegin = ".Lqdadvise_text";

/// Whether a function goes where the compiler puts what is like most others.
bool isUsual(const llvm::Function &function) {
  return !function.isDeclaration() && !function.hasComdat() && !function.hasSection() &&
         !function.hasFnAttribute("implicit-section-name") &&
         !function.hasFnAttribute(llvm::Attribute::Hot) &&
         !function.hasFnAttribute(llvm::Attribute::Cold) && !function.getSectionPrefix();
}

/// A name as inline assembler has it. GNU's assembler takes no quotes where it can do without.
std::string inAssembler(llvm::StringRef name) {
  std::string text;
  bool isPlain = true;
  for (const char c : name) {
    text += c == '$' ? "$$" : std::string(1, c);
    isPlain &= llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  }
  return isPlain ? text : '"' + text + '"';
}

} // namespace

SledSections::SledSections(llvm::Module &owner, const HookSettings &settings)
    : module(owner), isOptimisedAgain(settings.isOptimisedAgain),
      // By what a profile says of them, functions may part.
      sharesText(settings.sharesText && !isOptimisedAgain &&
                 !module.getProfileSummary(/*IsCS=*/false)) {}

std::string SledSections::linkedTo(const llvm::Function &function) {
  if (isOptimisedAgain)
    return ".Lqdadvise_sled${:uid}";
  if (!sharesText || !isUsual(function))
    return inAssembler(mangledName(function));
  if (!hasBegin)
    module.appendModuleInlineAsm(".text\n" + std::string(usualBegin) + ":");
  hasBegin = true;
  return usualBegin;
}

std::string SledSections::recordCode(const llvm::Function &function, const std::string &rest) {
  const llvm::Comdat *comdat = isOptimisedAgain ? nullptr : function.getComdat();
  const std::string flags = comdat ? "aoG" : "ao";
  const std::string group = comdat ? "," + inAssembler(comdat->getName()) + ",comdat" : "";
  return std::string(".pushsection ") + sledSectionName + ",\"" + flags + "\",@progbits," +
         linkedTo(function) + group +
         "\n"
         ".p2align 2\n"
         ".long .Lqdadvise_sled${:uid} - .\n" +
         rest + ".popsection\n";
}
