// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

extern pthread_mutex_t global;

class Store {
public:
  int next() {
    pthread_mutex_lock(&this->lock);
    const int next = ++count;
    pthread_mutex_unlock(&this->lock);
    return next;
  }

private:
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int count = 0;
};

int fromOther(Store &store);
