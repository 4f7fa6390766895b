// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine descriptions that come with the program, which carries them.
#pragma once

#include "advisor/machine/Machine.h"

#include <string>
#include <string_view>
#include <vector>

namespace qdadvise {

struct BundledMachine {
  std::string name; ///< as in `--machine NAME`
  Machine machine;
};

/// All of them, by name.
const std::vector<BundledMachine> &bundledMachines();
/// Null where there is none of that name.
const Machine *findBundledMachine(std::string_view name);

/// The description that is used when `calibrate` has not been run: a generic server with assumed
/// figures.
const Machine &genericMachine();

} // namespace qdadvise
