// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>

extern std::mutex global;

class Store {
public:
  int next() {
    std::lock_guard<std::mutex> guard(this->lock);
    return ++count;
  }

private:
  std::mutex lock;
  int count = 0;
};

int fromOther(Store &store);
