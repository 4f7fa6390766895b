// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk of a collector over the program's own declarations in a translation unit.
#pragma once

#include "rewrite/UseContext.h"
#include "rewrite/uses/Locations.h"
#include "rewrite/uses/ProgramUses.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace qdadvise {

/// `Collector` derives from it, and has a `static bool isOfTemplate(const clang::Decl &)`.
template <typename Collector> class UnitCollector : public clang::RecursiveASTVisitor<Collector> {
  using Base = clang::RecursiveASTVisitor<Collector>;

public:
  // RecursiveASTVisitor calls these.
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  // NOLINTNEXTLINE(readability-identifier-naming): RecursiveASTVisitor's name
  bool TraverseDecl(clang::Decl *decl) {
    if (!decl || (decl->getLocation().isValid() && sources.isInSystemHeader(decl->getLocation())))
      return true;
    const bool outerTemplate = inTemplate;
    const clang::FunctionDecl *outer = current;
    inTemplate |= Collector::isOfTemplate(*decl);
    if (const auto *function = clang::dyn_cast<clang::FunctionDecl>(decl))
      current = function;
    const bool goOn = Base::TraverseDecl(decl);
    inTemplate = outerTemplate;
    current = outer;
    return goOn;
  }

protected:
  LockUse gatedHere(clang::SourceLocation at, Gate gate, std::string detail) const {
    return gatedAt(at, gate, std::move(detail), context);
  }

  /// Where a class is declared: its key.
  std::string placeOf(const clang::RecordDecl &record) const {
    const TextRange at = placeOfUse(record.getLocation(), context);
    return at.file + ":" + std::to_string(at.offset);
  }

  /// Names may be declared at once, `T a, *b;`: the text of a type is then that of all of them.
  void noteType(const clang::DeclaratorDecl &declarator) {
    if (const auto begin = declarator.getTypeSpecStartLoc(); begin.isValid())
      together[begin].names.insert(declarator.getLocation());
  }
  /// The type of that lock is to change.
  void noteType(const clang::DeclaratorDecl &declarator, const std::string &key) {
    if (const auto begin = declarator.getTypeSpecStartLoc(); begin.isValid())
      together[begin].locks.insert(key);
  }
  /// Calls `gate(key, use)` for the locks that are declared together with others.
  template <typename Gated> void gateTogether(Gated gate) const {
    for (const auto &[begin, declared] : together)
      if (declared.names.size() > 1)
        for (const std::string &key : declared.locks)
          gate(key, gatedHere(begin, Gate::declaration, "several names in one declaration"));
  }

  clang::ASTContext &context;
  const clang::SourceManager &sources;
  UseContext uses;
  ProgramUses &program;

  const clang::FunctionDecl *current = nullptr;
  bool inTemplate = false;

private:
  friend Collector;
  UnitCollector(clang::ASTContext &astContext, const LockApi &lockApi, ProgramUses &lockProgram)
      : context(astContext), sources(astContext.getSourceManager()), uses(astContext, lockApi),
        program(lockProgram) {}

  struct Together {
    std::set<clang::SourceLocation> names;
    std::set<std::string> locks; ///< keys
  };
  std::map<clang::SourceLocation, Together> together; ///< by where their type begins
};

} // namespace qdadvise
