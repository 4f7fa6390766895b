# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# memcached with one worker thread, loaded over loopback by memcslap and memcaslap
# and checked by a client of our own.

packages=(libevent-dev libmemcached-tools python3 xz-utils)
source=memcached
# Only the workers multiply; the others are one thread each.
scale=(--scale worker_libevent)
lockCalls='(pthread_)?mutex_(try)?lock\(|\b(item_(try)?lock|item_lock|LOCK_THREAD|STATS_LOCK|conn_lock)[a-z_]*\(|pthread_cond_(timed)?wait\('
noSitesIn=' (item_lock|item_trylock|STATS_LOCK)$'

buildProgram() {
  CFLAGS='-O2 -g' ./configure --disable-extstore
  make -j"$jobs" memcached
}

# The port is the system's choice; memcached writes the file when it listens.
# start COMMAND...: leaves the server's process id in `server`, its port in `port`.
start() {
  rm -f port
  MEMCACHED_PORT_FILENAME=$PWD/port "$@" ./memcached -t "${threads:-1}" -l 127.0.0.1 -p -1 -U 0 -A -u "$(id -un)" &
  server=$!
  # Whatever fails below, no server stays behind.
  trap 'kill "$server" 2>/dev/null; pkill -INT -P "$server" 2>/dev/null' EXIT
  while [[ ! -s port ]]; do
    kill -0 "$server" 2>/dev/null || die "memcached did not start"
    sleep 0.1
  done
  port=$(awk '/^TCP INET:/ { print $3 }' port)
}

stop() {
  python3 "$recipe/client.py" "$port" shutdown
  wait "$server"
  trap - EXIT
}

ownTests() {
  start
  python3 "$recipe/client.py" "$port" check
  stop
}

recordRun() {
  start "${record[@]}"
  python3 "$recipe/client.py" "$port" check
  memcslap --servers="127.0.0.1:$port" --concurrency=4 --execute-number=20000 --test=set
  memcslap --servers="127.0.0.1:$port" --concurrency=4 --execute-number=20000 --test=get
  memcaslap --servers="127.0.0.1:$port" --threads=1 --concurrency=16 --execute_number=400000 \
    --verify=1.0 --fixed_size=100 | tee ../memcaslap.txt | grep -E '^(cmd_|get_misses|verify_|Run time)'
  awk '/^verify_failed:/ && $2 != 0 { exit 1 }' ../memcaslap.txt ||
    die "memcaslap found wrong answers; see $out/memcaslap.txt"
  python3 "$recipe/client.py" "$port" check
  stop
}
