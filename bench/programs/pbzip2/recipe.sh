# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# pbzip2, a compressor in C++: mutexes and condition variables behind functions of its
# own (safe_mutex_lock), between a thread that reads, some that compress and one that writes.

packages=(libbz2-dev bzip2)
source=pbzip2
scale=(--scale consumer)
lockCalls='safe_mutex_lock\(|safe_cond_(timed)?wait\(|pthread_mutex_(try)?lock|pthread_cond_(timed)?wait'
noSitesIn=' safe_(mutex|cond)_'

buildProgram() {
  make CXX="$CXX" CXXFLAGS='-O2 -g -std=gnu++98 -pthread -D_POSIX_PTHREAD_SEMANTICS -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION' pbzip2
}

# Ten million bytes of text that is the same everywhere.
writeInput() {
  seq 1 1300000 | awk '{ print $1 * 7919 % 1000003, "line", $1 % 17 }' >lines
  head -c 10000000 lines >input
}

ownTests() {
  writeInput
  for threads in ${threads:-1 2 4}; do
    ./pbzip2 -k -f -c -b1 -p$threads input >input.bz2
    bzip2 -dc input.bz2 | cmp - input
    ./pbzip2 -d -c -p$threads input.bz2 | cmp - input
    echo "$threads threads: $(sha256sum <input.bz2)"
  done
}

# Two threads: with one it takes another way, and few locks.
recordRun() {
  "${record[@]}" sh -c './pbzip2 -k -f -c -b1 -p2 input >../recorded.bz2 &&
    ./pbzip2 -d -c -p2 ../recorded.bz2 >../recorded.out'
  cmp ../recorded.out input
}
