// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that take several locks at once, all of them or none (`std::lock`,
// `std::scoped_lock`). A profile shows them as sections inside each other, in the order in which
// the locks were got. But no thread waits for one of them while it holds another. So the order says
// nothing, and threads that name the locks in different orders are in no danger
// (docs/theory/nesting.md, (NST8)).
#pragma once

#include "advisor/network/Network.h"

#include <string>
#include <vector>

namespace qdadvise {

/// Whether the section's lock was taken by the same operation as that of the section around it:
/// another expression at the same place.
bool isTakenTogether(const Network &network, std::size_t section);

/// Gives the locks of such operations one order in the whole network: the order that sections
/// inside others have anyway, and the busiest lock first, for which a thread waits while it holds
/// none. Returns the names of the locks that are taken together, in that order.
std::vector<std::string> orderJointSections(Network &network);

} // namespace qdadvise
