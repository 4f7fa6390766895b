// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/Advice.h"
#include "advisor/advice/DiagnosticText.h"

#include <gtest/gtest.h>

namespace qdadvise {
namespace {

Advice sample() {
  Advice advice;
  advice.lock = "Db::m";
  advice.today = "pthread_mutex";
  advice.advised = "qd";
  advice.label = "QD lock";
  advice.keep = false;
  advice.threads = 16;
  advice.contentionRate = 0.71;
  advice.speedup = 2.3;
  advice.low = 2.0;
  advice.high = 2.6;
  advice.waitNs = {{"pthread mutex", 8200}, {"spinlock", 9100}, {"QD lock", 1100}};
  return advice;
}

TEST(AdviceMessage, ReadsAsDocumented) {
  EXPECT_EQ(adviceMessage(sample()),
            "lock 'Db::m' is predicted to be waited for in 71% of acquisitions at 16 threads; "
            "a QD lock raises throughput 2.3x (2.0x to 2.6x)");
  EXPECT_EQ(waitNote(sample()), "mean waiting time at 16 threads: pthread mutex 8.2 us, "
                                "spinlock 9.1 us, QD lock 1.1 us");
}

TEST(AdviceMessage, KeepSaysSo) {
  Advice advice = sample();
  advice.keep = true;
  advice.advised = advice.today;
  advice.label = "pthread mutex";
  advice.contentionRate = 0.003;
  advice.threads = 1;
  EXPECT_EQ(adviceMessage(advice), "lock 'Db::m' is predicted to be waited for in 0.3% of "
                                   "acquisitions at 1 thread; keep it as it is (pthread mutex)");
}

TEST(AdviceMessage, NoWaitsNoNote) {
  Advice advice = sample();
  advice.waitNs.clear();
  EXPECT_EQ(waitNote(advice), "");
}

} // namespace
} // namespace qdadvise
