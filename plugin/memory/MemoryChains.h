// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells lists from arrays. In a list each address is read from where the one before pointed to, so
// that an access cannot begin before the last one has ended.
#pragma once

namespace llvm {
class Value;
} // namespace llvm

namespace qdadvise {

/// Whether an address comes from a load whose own address came, in a round of a loop before, from
/// that load. This shows only where one function keeps the addresses in registers: not in
/// unoptimised code, nor where each call has one node.
bool isChained(const llvm::Value *address);

} // namespace qdadvise
