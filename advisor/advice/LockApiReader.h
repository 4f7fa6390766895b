// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From TOML to LockApiEntry: what UserConfig and LockApis share.
#pragma once

#include "advisor/advice/LockApis.h"
#include "advisor/support/Toml.h"

namespace qdadvise {

/// The entries under `lock_api` of a document. What is wrong is the reader's error.
std::vector<LockApiEntry> readLockApis(TomlReader &reader, const toml::table &root);

} // namespace qdadvise
