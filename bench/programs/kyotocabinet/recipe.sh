# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# kyotocabinet, a database library in C++, all of whose locks stand behind the classes of
# kcthread.h. Without --disable-atomic its SpinLock is a compare-and-swap of its own.

packages=(zlib1g-dev)
source=kyotocabinet
lockCalls='pthread_(mutex|spin|rwlock)_(try|rd|wr|timed)*lock|pthread_cond_(timed)?wait|(Scoped|->|\.)(Mutex|SpinLock|RWLock|SpinRWLock|lock|lock_(try|writer|reader|all)[a-z_]*)\b.*\('
# AtomicInt64 is no wrapper: it takes its lock and gives it back. So does SpinRWLock, which is
# made of a counter behind a spin lock (CacheDB has none of them, so that they do not run).
noSitesIn='^kcthread\.\S+ (?!kyotocabinet::(AtomicInt64|SpinRWLock|SlottedSpinRWLock)::)'

buildProgram() {
  CXXFLAGS="-O2 -g -std=gnu++${cxxStandard:-14} -Wno-register" ./configure --disable-atomic
  make -j"$jobs" libkyotocabinet.so kccachetest
}

# Its own tests compare what is in the database with what they put there.
kccachetest() {
  LD_LIBRARY_PATH=. KCRNDSEED=7 ./kccachetest "$@" | grep -vE '^(time|mem|process|seed)'
}

ownTests() {
  kccachetest order -th 1 -etc -bnum 5000 10000
  kccachetest wicked -th 1 -it 2 -bnum 5000 10000
  kccachetest tran -th 1 -it 2 -bnum 5000 10000
  # With several threads it is chance what is in the database; not, whether it is right.
  kccachetest wicked -th "${threads:-4}" -it 2 -tc -bnum 5000 -capcnt 10000 5000 | tail -n 1
}

recordRun() {
  LD_LIBRARY_PATH=. KCRNDSEED=7 "${record[@]}" ./kccachetest wicked -th 1 100000 >../recorded.txt
  tail -n 1 ../recorded.txt
  grep -qx ok ../recorded.txt
}
