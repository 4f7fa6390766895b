// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extent of a critical section in the source, and a hash of its tokens.
#pragma once

#include "clang/AST/Stmt.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace qdadvise {

/// How a critical section ends.
enum class SectionEnd {
  scope,     ///< with the compound statement, as a guard variable does
  unlock,    ///< at a release of the same lock, else with the compound statement
  statement, ///< with the statement, as a temporary guard does
};

/// The text of the critical section that the last of `path` begins: from the statement
/// in which it stands within the innermost compound statement of `path` (outermost
/// first) to the end of that compound statement or, for SectionEnd::unlock, to the first
/// later statement directly in it for which `releases` holds. Outside any compound
/// statement it is the outermost statement of `path`.
clang::SourceRange criticalSection(llvm::ArrayRef<const clang::Stmt *> path, SectionEnd end,
                                   llvm::function_ref<bool(const clang::Stmt &)> releases);

/// A part of a file, from its first byte to that behind its last token.
struct FileText {
  clang::FileID file;
  unsigned begin = 0;
  unsigned last = 0; ///< where its last token begins
  unsigned end = 0;
};

/// Where a range stands in its file (a macro is where it is used, with its arguments); nothing
/// for an invalid range.
std::optional<FileText> textOf(clang::SourceRange range, const clang::SourceManager &sources,
                               const clang::LangOptions &language);

/// A hash of the tokens in a range, as they are spelled in the file (a macro is its
/// name and arguments). Comments and white space do not count, nor where the range
/// stands. XXH3, so it is equal for every LLVM version. 0 only if the range is invalid.
std::uint64_t tokenHash(clang::SourceRange range, const clang::SourceManager &sources,
                        const clang::LangOptions &language);

} // namespace qdadvise
