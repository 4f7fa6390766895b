// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Profile.h"

#include <algorithm>

namespace qdadvise {

void ProfiledReaders::merge(const ProfiledReaders &other) {
  most = std::max(most, other.most);
  heldNs = addedNs(heldNs, other.heldNs);
  busy.merge(other.busy);
}

} // namespace qdadvise
