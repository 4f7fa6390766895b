# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# leveldb, a key-value store in C++: std::mutex behind port::Mutex and MutexLock, with
# Clang's thread-safety attributes (its build makes their warnings errors).

packages=(cmake libbenchmark-dev libgmock-dev libsnappy-dev)
source=leveldb
lockCalls='MutexLock [a-z]+\(|mu(tex)?_?(\.|->)Lock\(\)|std::(lock_guard|unique_lock|scoped_lock)<|cv_?\.(w|W)ait\(|signal_?\.Wait\('
noSitesIn='^(port/port_stdcxx|util/mutexlock)\.h '

buildProgram() {
  cmake -S . -B . -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_STANDARD="${cxxStandard:-11}"
  make -j"$jobs" db_bench cache_test env_test recovery_test
}

ownTests() {
  local test
  export TEST_TMPDIR=$PWD/tmp
  mkdir -p tmp
  for test in cache_test env_test recovery_test; do
    ./$test | sed -E 's/ \([0-9]+ ms( total)?\)//'
  done
  # With one thread, chance has no part in what is found.
  ./db_bench --db=bench --benchmarks=fillrandom,readrandom,readmissing --num=20000 --threads="${threads:-1}" |
    grep -oE '\([0-9]+ of [0-9]+ found\)'
}

recordRun() {
  "${record[@]}" ./db_bench --db=bench --benchmarks=fillrandom,readrandom --num=30000 --threads=1 |
    tee ../recorded.txt | grep -E 'random'
  grep -q 'of 30000 found' ../recorded.txt
}
