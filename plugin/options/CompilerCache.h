// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ccache knows a compilation by its command and its preprocessed source. The configuration and the
// advice are in neither, and it has to be told of them.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace qdadvise {

/// What to tell ccache so that it notices changes of these files, as one sentence; "" where it
/// knows of them or did not start this compilation.
std::string whatCcacheLacks(llvm::ArrayRef<std::string> files);

} // namespace qdadvise
