// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// May a section that takes other locks be executed by another thread? That thread then takes them
// while it holds what it came with, and gives them up before it goes on. No circle of waiting
// threads comes about by that where there is an order of all these locks, and nobody waits for
// anything else while holding one of them.
#pragma once

#include "rewrite/uses/ProgramUses.h"

#include <string>

namespace qdadvise {

/// Why not: of a section of the lock with that key, with what the functions of the program do that
/// it calls. "": it may.
std::string orderObstacle(const std::string &lock, const CodeFacts &section,
                          const ProgramUses &program);

} // namespace qdadvise
