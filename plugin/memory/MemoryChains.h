// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists told from arrays: where each address is read from where the one before pointed to, an
// access cannot begin before the last one has ended.
#pragma once

namespace llvm {
class Value;
} // namespace llvm

namespace qdadvise {

/// Whether an address comes from a load whose own address came, in a round of a loop before, from
/// that load. As far as the function tells, in registers: not of unoptimised code, nor where each
/// call has one node.
bool isChained(const llvm::Value *address);

} // namespace qdadvise
