// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edits that make a std::mutex another lock, where a program can make them.
#pragma once

#include "advisor/report/sarif/SarifLog.h"
#include "advisor/support/SourceLines.h"
#include "runtime/abi/lock_algorithms.h"

#include <string>
#include <vector>

namespace qdadvise {

/// Edits of the declaration, of each place that names the lock's type, and a further #include. None
/// where the lock is no std::mutex, where its sections would have to become operations, or where
/// the source does not look as it must: then only a person can tell.
std::vector<SarifReplacement> lockChange(const std::string &type, LockKind advised,
                                         const SarifPlace &declaration,
                                         const std::vector<SarifPlace> &sites, SourceLines &source);

} // namespace qdadvise
