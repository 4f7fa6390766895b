// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libc's memory and string functions access, one row a function.
#pragma once

#include "runtime/abi/site_record.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <initializer_list>

namespace qdadvise {

/// How many bytes a call accesses, in terms of its arguments (numbered from 0).
struct AccessLength {
  enum Kind : std::uint8_t {
    number,        ///< as many as `argument` says
    string,        ///< the string at `argument`, its zero included
    boundedString, ///< the same, but no more than `bound` says
    untilFound,    ///< memchr's: up to the byte found, else what `bound` says
  };
  Kind kind;
  std::uint8_t argument;
  std::uint8_t bound = 0;
};

struct FunctionAccess {
  std::uint8_t pointer; ///< the argument that points there
  std::uint32_t what;   ///< AccessFlags
  AccessLength length;
  bool pastString = false; ///< begins at the end of the string there (strcat)
};

/// The accesses of a call of the function of this name; none if it is not known.
llvm::ArrayRef<FunctionAccess> accessesOfFunction(llvm::StringRef name);

} // namespace qdadvise
