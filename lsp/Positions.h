// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places as the protocol counts them, in lines and UTF-16 code units, and as the compiler does, in
// bytes of UTF-8.
#pragma once

#include "lsp/Spans.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

#include <cstddef>

namespace qdadvise {

/// A place behind the text is its end.
llvm::lsp::Position positionOf(llvm::StringRef text, std::size_t offset);
/// A place behind a line is the line's end, one within a character is its begin.
std::size_t offsetOf(llvm::StringRef text, llvm::lsp::Position position);

llvm::lsp::Range rangeOf(llvm::StringRef text, Span span);

} // namespace qdadvise
