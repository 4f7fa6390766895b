// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a declaration is called, and which namespace it is in.
#pragma once

#include "clang/AST/Decl.h"
#include "llvm/ADT/StringRef.h"

namespace qdadvise {

/// The identifier, or "".
llvm::StringRef nameOf(const clang::NamedDecl &decl);

/// Is the declaration directly in the namespace of that name? Inline namespaces do not count;
/// `space` may be nested: `std::this_thread`.
bool isMemberOfNamespace(const clang::Decl &decl, llvm::StringRef space);

/// Is it namespace std, or the GNU library's own?
bool isStandardNamespace(const clang::NamespaceDecl &space);

/// Is the declaration somewhere in such a namespace?
bool isInStandardLibrary(const clang::Decl &decl);

} // namespace qdadvise
