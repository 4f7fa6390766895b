// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/machine/Machine.h"

namespace qdadvise {

/// The description that is used when `calibrate` has not been run: a generic server with assumed
/// figures.
const Machine &genericMachine();

} // namespace qdadvise
