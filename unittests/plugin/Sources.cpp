// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unittests/plugin/Sources.h"

#include "plugin/api/LockApi.h"
#include "plugin/instrument/UserCall.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <tuple>

using namespace clang;

namespace qdadvise::testing {
namespace {

using Use = std::function<void(ASTContext &)>;

Use collectInto(LockTable &table) {
  return [&table](ASTContext &context) { table = findLockSites(context, LockApi(context, {})); };
}

class ContextConsumer : public ASTConsumer {
public:
  explicit ContextConsumer(Use wanted) : use(std::move(wanted)) {}
  void HandleTranslationUnit(ASTContext &context) override { use(context); }

private:
  Use use;
};

class ContextAction : public ASTFrontendAction {
public:
  explicit ContextAction(Use wanted) : use(std::move(wanted)) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<ContextConsumer>(use);
  }

private:
  Use use;
};

/// Runs the collector before code generation, as the plugin does.
class IrAction : public EmitLLVMOnlyAction {
public:
  IrAction(llvm::LLVMContext &context, LockTable &table, std::vector<IrCall> &result)
      : EmitLLVMOnlyAction(&context), lockTable(table), calls(result) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler,
                                                 llvm::StringRef file) override {
    compiler.getCodeGenOpts().setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<ContextConsumer>(collectInto(lockTable)));
    consumers.push_back(EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }

  void EndSourceFileAction() override {
    EmitLLVMOnlyAction::EndSourceFileAction();
    const std::unique_ptr<llvm::Module> irModule = takeModule();
    if (!irModule)
      return;
    for (const llvm::Function &function : *irModule)
      if (!lockTable.isOpaque(function.getName()))
        collect(function);
  }

private:
  void collect(const llvm::Function &function) {
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      const auto *call = dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      const auto operation =
          callee ? lockTable.operations.find(callee->getName()) : lockTable.operations.end();
      if (operation == lockTable.operations.end())
        continue;
      IrCall found;
      found.callee = callee->getName().str();
      found.inFunction = function.getName().str();
      found.role = operation->second.role;
      const llvm::CallBase &shown = callByUser(*call);
      if (const llvm::DebugLoc &location = shown.getDebugLoc()) {
        found.line = location.getLine();
        found.column = location.getCol();
      }
      const LockSite *site =
          lockTable.find(found.callee, shown.getFunction()->getName(), found.line, found.column);
      found.site = site ? std::optional(*site) : std::nullopt;
      calls.push_back(std::move(found));
    }
  }

  LockTable &lockTable;
  std::vector<IrCall> &calls;
};

void compile(std::unique_ptr<FrontendAction> action, const std::string &source, Language language) {
  const std::vector<std::string> arguments = {
      language == Language::c ? "-std=gnu17" : "-std=c++20", "-pthread", "-D_GNU_SOURCE",
      std::string("-resource-dir=") + QDADVISE_RESOURCE_DIR};
  const std::string file = language == Language::c ? "input.c" : "input.cc";
  ASSERT_TRUE(tooling::runToolOnCodeWithArgs(std::move(action), source, arguments, file));
}

const char *nameOf(SiteRole role) {
  constexpr const char *names[] = {"acquire", "release", "wait",     "block",
                                   "start",   "wrapper", "lifetime", "spawn"};
  return names[static_cast<std::size_t>(role)];
}

} // namespace

LockTable tableOf(const std::string &source, Language language) {
  LockTable table;
  withContext(source, collectInto(table), language);
  return table;
}

void withContext(const std::string &source, std::function<void(clang::ASTContext &)> use,
                 Language language) {
  compile(std::make_unique<ContextAction>(std::move(use)), source, language);
}

std::vector<IrCall> irCallsOf(const std::string &source, Language language) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::LLVMContext context;
  LockTable table;
  std::vector<IrCall> calls;
  compile(std::make_unique<IrAction>(context, table, calls), source, language);
  return calls;
}

std::string describe(const LockTable &table) {
  std::ostringstream text;
  for (const LockSite &site : table.sites)
    text << nameOf(site.role) << " '" << site.expression << "' at " << site.file << ':' << site.line
         << ':' << site.column << " in " << site.function << " (" << site.inFunction << ") lock '"
         << site.lockName << "' type '" << site.lockType << "' declared " << site.declFile << ':'
         << site.declLine << ':' << site.declColumn << " ordinal " << site.ordinal << " hash "
         << site.sectionHash << " by " << site.callee << '\n';
  return text.str();
}

std::vector<LockSite> sitesOf(const LockTable &table, SiteRole role) {
  std::vector<LockSite> sites;
  for (const LockSite &site : table.sites)
    if (site.role == role)
      sites.push_back(site);
  std::sort(sites.begin(), sites.end(), [](const LockSite &a, const LockSite &b) {
    return std::tuple(a.line, a.column, a.lockIndex) < std::tuple(b.line, b.column, b.lockIndex);
  });
  return sites;
}

const LockOperation *operationNamed(const LockTable &table, const std::string &prefix) {
  if (const auto exact = table.operations.find(prefix); exact != table.operations.end())
    return &exact->second;
  for (const auto &entry : table.operations)
    if (entry.getKey().starts_with(prefix))
      return &entry.getValue();
  return nullptr;
}

} // namespace qdadvise::testing
