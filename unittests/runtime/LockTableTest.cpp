// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against a map of the standard library.
#include "runtime/tables/lock_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

using namespace qdadvise::runtime;

namespace {

using Key = std::pair<std::uint64_t, std::uint32_t>; // address and class

std::map<Key, std::uint64_t> contents(const LockTable &table) {
  std::map<Key, std::uint64_t> all;
  table.forEach([&](const Lock &lock) {
    EXPECT_TRUE(all.emplace(Key(lock.address, lock.lockClass()), lock.acquisitions).second);
  });
  return all;
}

TEST(LockTable, HoldsWhatAMapHolds) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::mt19937_64 random(seed);
    LockTable table;
    std::map<Key, std::uint64_t> there;
    LockTable::Place place = 0;
    for (unsigned step = 1; step <= 20'000; ++step) {
      const std::uint64_t address = 64 * (random() % 500);
      const auto lockClass = static_cast<std::uint32_t>(random() % 3);
      // Mostly more than go in some rounds, and mostly fewer in others.
      if (address != 0 && random() % 10 < (step / 2000 % 2 == 0 ? 1 : 6)) {
        table.close(address, [&](const Lock &lock) {
          const auto at = there.find({address, lock.lockClass()});
          ASSERT_NE(at, there.end());
          EXPECT_EQ(lock.acquisitions, at->second);
          there.erase(at);
        });
        for (std::uint32_t other = 0; other < 3; ++other)
          EXPECT_FALSE(there.contains({address, other}));
        continue;
      }
      Lock *lock = table.find(address, lockClass);
      ASSERT_EQ(lock != nullptr, there.contains({address, lockClass}));
      // Wherever it was, it is found there or not at all.
      const Lock *const known = table.at(place, address, lockClass);
      EXPECT_TRUE(!known || known == lock);
      if (!lock)
        lock = table.add(address, lockClass);
      ASSERT_TRUE(lock);
      ++lock->acquisitions;
      ++there[{address, lockClass}];
      place = table.placeOf(lock);
      EXPECT_EQ(table.at(place, address, lockClass), lock);
    }
    EXPECT_EQ(table.size(), there.size());
    EXPECT_EQ(contents(table), there);
  }
}

TEST(LockTable, AnEmptyOneHasNothing) {
  const LockTable table;
  EXPECT_FALSE(table.find(64, 0));
  EXPECT_FALSE(table.at(0, 64, 0));
  EXPECT_EQ(table.bytes(), 0u);
}

TEST(LockTable, TakesAtMost64BytesALockAndTwoHugePages) {
  LockTable table;
  for (std::uint32_t i = 1; i <= 200'000; ++i) {
    ASSERT_TRUE(table.add(std::uint64_t{i} * 48, i % 7));
    EXPECT_LE(i, table.bytes() / sizeof(Lock));
    ASSERT_LE(table.bytes(), std::uint64_t{i} * 64 + 2 * hugePageBytes);
  }
}

TEST(LockTable, IsNotCrowdedByWhatComesInTheOrderOfAnother) {
  LockTable from, into;
  for (std::uint64_t i = 1; i <= 300'000; ++i)
    ASSERT_TRUE(from.add(48 * i, 0));
  from.forEach([&](const Lock &lock) { ASSERT_TRUE(into.add(lock.address, lock.lockClass())); });
  EXPECT_EQ(into.size(), from.size());
  EXPECT_LT(into.furthest(), 500u);
}

} // namespace
