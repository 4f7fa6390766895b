// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources for tests, compiled in memory.
#pragma once

#include "plugin/ast/NameLookup.h"
#include "plugin/sites/LockSites.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise::testing {

enum class Language { c, cpp };

/// The lock table of a source text. A source with errors fails the test.
LockTable tableOf(const std::string &source, Language language = Language::cpp);

/// Calls `use` with the AST of a source text. A source with errors fails the test.
void withContext(const std::string &source, std::function<void(clang::ASTContext &)> use,
                 Language language = Language::cpp);

/// The declaration of that qualified name.
template <typename Decl> const Decl *declared(clang::ASTContext &context, const char *name) {
  for (const clang::NamedDecl *found : lookUp(context, name))
    if (const auto *wanted = llvm::dyn_cast<Decl>(found))
      return wanted;
  return nullptr;
}

/// A call of an operation in IR, as the hook inserter meets it.
struct IrCall {
  std::string callee, inFunction;
  unsigned line = 0, column = 0; ///< of the call in the user's code that leads to it
  SiteRole role = SiteRole::acquire;
  std::optional<LockSite> site; ///< what LockTable::find found
};

/// The calls of operations that are left when functions of the standard library are
/// taken out, after Clang's own code generation without optimisation and with
/// location tracking only.
std::vector<IrCall> irCallsOf(const std::string &source, Language language = Language::cpp);

/// `m_: acquire at 3:5, ...`, one line a site, for messages.
std::string describe(const LockTable &table);

/// The sites of a role, by the order of the source.
std::vector<LockSite> sitesOf(const LockTable &table, SiteRole role);

/// The operation of that mangled name, else one whose name begins so, or null.
const LockOperation *operationNamed(const LockTable &table, const std::string &prefix);

} // namespace qdadvise::testing
