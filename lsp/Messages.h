// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of messages that LLVM's protocol does not have, or wants more of than we need.
#pragma once

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

#include <string>
#include <vector>

namespace qdadvise {

struct DocumentParams {
  llvm::lsp::TextDocumentIdentifier textDocument;
};
bool fromJSON(const llvm::json::Value &value, DocumentParams &result, llvm::json::Path path);

struct DocumentRangeParams {
  llvm::lsp::TextDocumentIdentifier textDocument;
  llvm::lsp::Range range;
};
bool fromJSON(const llvm::json::Value &value, DocumentRangeParams &result, llvm::json::Path path);

/// A command about a lock in a document.
struct LockCommandParams {
  std::string command;
  llvm::lsp::URIForFile uri;
  std::string lock;
};
bool fromJSON(const llvm::json::Value &value, LockCommandParams &result, llvm::json::Path path);

/// Whatever it is.
struct AnyParams {
  llvm::json::Value value = nullptr;
};
bool fromJSON(const llvm::json::Value &value, AnyParams &result, llvm::json::Path path);
llvm::json::Value toJSON(const AnyParams &params);

/// The value at a path of keys is `true`.
bool isTrue(const llvm::json::Value &value, std::initializer_list<llvm::StringRef> keys);

} // namespace qdadvise
