// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an editor shows of a document's findings, as the protocol has it.
#pragma once

#include "lsp/Workspace.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

#include <vector>

namespace qdadvise {

inline constexpr llvm::StringLiteral applyCommand = "qdadvise.apply";
inline constexpr llvm::StringLiteral explainCommand = "qdadvise.explain";

llvm::lsp::PublishDiagnosticsParams diagnosticsOf(const Document &document);
/// A hover, or null.
llvm::json::Value hoverAt(const Document &document, llvm::lsp::Position position);
/// A line above each site.
llvm::json::Array lensesOf(const Document &document);
/// For the sites on the lines of a range, and the sections around its begin.
llvm::json::Array actionsIn(const Document &document, const llvm::lsp::Range &range);
/// The derivation of a lock's advice; "" where the document has none.
std::string explanationOf(const Document &document, llvm::StringRef lock);

} // namespace qdadvise
