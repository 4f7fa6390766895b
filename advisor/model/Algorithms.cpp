// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/Prediction.h"

namespace qdadvise {

const std::vector<LockAlgorithm> &lockAlgorithms() {
  static const std::vector<LockAlgorithm> table{
      {"ideal", "ideal lock", false, false, 0.02},
      {"pthread_mutex", "pthread mutex", false, false, 0.15},
      {"spinlock", "spinlock", true, false, 0.08},
      {"qd", "QD lock", true, true, 0.05},
  };
  return table;
}

const LockAlgorithm *findLockAlgorithm(const std::string &name) {
  for (const LockAlgorithm &row : lockAlgorithms())
    if (name == row.name)
      return &row;
  return nullptr;
}

} // namespace qdadvise
