// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/memory/MemoryFunctions.h"

#include "llvm/ADT/StringMap.h"

#include <vector>

namespace qdadvise {
namespace {

using Accesses = std::vector<FunctionAccess>;

constexpr AccessLength bytes(std::uint8_t argument) { return {AccessLength::number, argument}; }
constexpr AccessLength string(std::uint8_t argument) { return {AccessLength::string, argument}; }
constexpr AccessLength string(std::uint8_t argument, std::uint8_t bound) {
  return {AccessLength::boundedString, argument, bound};
}
constexpr AccessLength found(std::uint8_t argument, std::uint8_t bound) {
  return {AccessLength::untilFound, argument, bound};
}
constexpr FunctionAccess reads(std::uint8_t pointer, AccessLength length) {
  return {pointer, accessRead, length};
}
constexpr FunctionAccess writes(std::uint8_t pointer, AccessLength length) {
  return {pointer, accessWrite, length};
}
constexpr FunctionAccess appends(std::uint8_t pointer, AccessLength length) {
  return {pointer, accessWrite, length, /*pastString=*/true};
}
constexpr FunctionAccess atomic(FunctionAccess access) {
  access.what |= accessAtomic;
  return access;
}

/// Comparisons and searches are taken to read all that they may read.
llvm::StringMap<Accesses> makeTable() {
  const Accesses copies = {writes(0, bytes(2)), reads(1, bytes(2))};
  const Accesses fills = {writes(0, bytes(2))};
  const Accesses compares = {reads(0, bytes(2)), reads(1, bytes(2))};
  const Accesses readsString = {reads(0, string(0))};
  const Accesses copiesString = {writes(0, string(1)), reads(1, string(1))};
  const Accesses copiesBounded = {writes(0, bytes(2)), reads(1, string(1, 2))};
  const Accesses comparesStrings = {reads(0, string(0)), reads(1, string(1))};
  const Accesses comparesBounded = {reads(0, string(0, 2)), reads(1, string(1, 2))};
  const Accesses searches = {reads(0, found(0, 2))};
  const auto atomicReads = [](std::uint8_t pointer) { return atomic(reads(pointer, bytes(0))); };
  const auto atomicWrites = [](std::uint8_t pointer) { return atomic(writes(pointer, bytes(0))); };
  const FunctionAccess atomicUpdates = {1, accessRead | accessWrite | accessAtomic, bytes(0)};
  return {
      {"memcpy", copies},
      {"mempcpy", copies},
      {"memmove", copies},
      {"__memcpy_chk", copies},
      {"__mempcpy_chk", copies},
      {"__memmove_chk", copies},
      {"bcopy", {reads(0, bytes(2)), writes(1, bytes(2))}},
      {"memset", fills},
      {"__memset_chk", fills},
      {"explicit_bzero", {writes(0, bytes(1))}},
      {"bzero", {writes(0, bytes(1))}},
      {"memcmp", compares},
      {"bcmp", compares},
      {"memchr", searches},
      {"strlen", readsString},
      {"strnlen", {reads(0, string(0, 1))}},
      {"strchr", readsString},
      {"strrchr", readsString},
      {"strchrnul", readsString},
      {"strdup", readsString},
      {"strndup", {reads(0, string(0, 1))}},
      {"strcpy", copiesString},
      {"stpcpy", copiesString},
      {"__strcpy_chk", copiesString},
      {"__stpcpy_chk", copiesString},
      {"strncpy", copiesBounded},
      {"stpncpy", copiesBounded},
      {"__strncpy_chk", copiesBounded},
      {"__stpncpy_chk", copiesBounded},
      {"strcat", {reads(0, string(0)), appends(0, string(1)), reads(1, string(1))}},
      {"__strcat_chk", {reads(0, string(0)), appends(0, string(1)), reads(1, string(1))}},
      {"strcmp", comparesStrings},
      {"strcoll", comparesStrings},
      {"strcasecmp", comparesStrings},
      {"strstr", comparesStrings},
      {"strpbrk", comparesStrings},
      {"strspn", comparesStrings},
      {"strcspn", comparesStrings},
      {"strncmp", comparesBounded},
      {"strncasecmp", comparesBounded},
      {"__atomic_load", {atomicReads(1), writes(2, bytes(0))}},
      {"__atomic_store", {atomicWrites(1), reads(2, bytes(0))}},
      {"__atomic_exchange", {atomicUpdates, reads(2, bytes(0)), writes(3, bytes(0))}},
      {"__atomic_compare_exchange", {atomicUpdates, reads(2, bytes(0)), reads(3, bytes(0))}},
  };
}

} // namespace

llvm::ArrayRef<FunctionAccess> accessesOfFunction(llvm::StringRef name) {
  static const llvm::StringMap<Accesses> table = makeTable();
  const auto row = table.find(name);
  if (row == table.end())
    return {};
  return row->second;
}

} // namespace qdadvise
