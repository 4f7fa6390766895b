# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# unbound, a name server in C: mutexes, spin locks and read-write locks, all behind macros
# (lock_rw_rdlock). Its test programs play whole conversations without a network.

packages=(bison flex libexpat1-dev libssl-dev)
source=unbound
lockCalls='^[^#]*\block_(basic|quick|rw)_((rd|wr)?lock)\('

buildProgram() {
  CFLAGS='-O2 -g' ./configure --disable-shared --disable-flto
  make -j"$jobs" unittest testbound
}

ownTests() {
  ./unittest | sed -E 's/[0-9]+ (checks ok)/\1/; s/in [0-9.]+ msec for [0-9.]+ /in some time /'
  ./testbound -s
  local conversation
  for conversation in testdata/{iter,val,fwd,black,autotrust}_*.rpl; do
    ./testbound -p "$conversation" >testbound.log 2>&1 && echo "$conversation ok" || echo "$conversation failed"
  done
}

recordRun() {
  "${record[@]}" sh -c './unittest; for conversation in testdata/iter_*.rpl; do
    ./testbound -p "$conversation" || exit; done' >../recorded.txt 2>&1
  tail -n 1 ../recorded.txt
}
