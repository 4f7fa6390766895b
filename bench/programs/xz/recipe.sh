# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# xz, a compressor in C: its library's threads take mutexes and wait for conditions through
# inline functions and a macro that is two nested loops (mythread_sync in mythread.h).

packages=()
source=xz-utils
scale=(--scale worker_start)
lockCalls='mythread_sync\(|mythread_mutex_lock\(|mythread_cond_(timed)?wait\('
noSitesIn='mythread\.h '

buildProgram() {
  CFLAGS='-O2 -g' ./configure --disable-nls --disable-doc --disable-scripts --disable-shared
  make -j"$jobs" -C src/liblzma
  make -j"$jobs" -C src/xz
}

writeInput() {
  seq 1 1300000 | awk '{ print $1 * 7919 % 1000003, "line", $1 % 17 }' | head -c 10000000 >input
}

ownTests() {
  make -j"$jobs" -C tests check | grep -E '^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR):' | sort
  writeInput
  local threads
  for threads in 1 2 4; do
    src/xz/xz -1 -T$threads --block-size=500000 -c input >input.xz
    src/xz/xz -d -c -T$threads input.xz | cmp - input
    echo "$threads threads: $(sha256sum <input.xz)"
  done
}

# Both the threaded encoder and the threaded decoder.
recordRun() {
  "${record[@]}" sh -c 'src/xz/xz -1 -T2 --block-size=500000 -c input >../recorded.xz &&
    src/xz/xz -d -c -T2 ../recorded.xz >../recorded.out'
  cmp ../recorded.out input
}
