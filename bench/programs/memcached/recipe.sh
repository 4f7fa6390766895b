# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# memcached with one worker thread, loaded over loopback by memcslap and memcaslap
# and checked by a client of our own. A preloaded library counts the acquisitions
# that memcached's own code makes, independently of the plugin.

packages=(libevent-dev libmemcached-tools python3 xz-utils)
source=memcached
# Only the workers multiply; the others are one thread each.
scale=(--scale worker_libevent)

buildProgram() {
  local cc=$1 folder=$2
  cd "$folder"
  [[ -f Makefile ]] || CC=clang-22 CFLAGS='-O2 -g' ./configure --disable-extstore
  make clean
  make -j"$jobs" CC="$cc" memcached
  cd "$out"
}

recordRun() {
  local profile=$1 port recorder
  clang-22 -O2 -Wall -Wextra -shared -fPIC "$recipe/count_acquisitions.c" -o count_acquisitions.so
  rm -f port acquisitions "$profile"

  # The port is the system's choice; memcached writes the file when it listens.
  qdadvise record -o "$profile" -- env "LD_PRELOAD=$out/count_acquisitions.so" \
    "ACQUISITIONS_FILE=$out/acquisitions" "MEMCACHED_PORT_FILENAME=$out/port" \
    src/memcached -t 1 -l 127.0.0.1 -p -1 -U 0 -A -u "$(id -un)" &
  recorder=$!
  # Whatever fails below, no server stays behind.
  trap 'kill "$recorder" 2>/dev/null; pkill -INT -P "$recorder" 2>/dev/null' EXIT
  while [[ ! -s port ]]; do
    kill -0 "$recorder" 2>/dev/null || die "memcached did not start"
    sleep 0.1
  done
  port=$(awk '/^TCP INET:/ { print $3 }' port)

  python3 "$recipe/client.py" "$port" check
  memcslap --servers="127.0.0.1:$port" --concurrency=4 --execute-number=20000 --test=set
  memcslap --servers="127.0.0.1:$port" --concurrency=4 --execute-number=20000 --test=get
  memcaslap --servers="127.0.0.1:$port" --threads=1 --concurrency=16 --execute_number=400000 \
    --verify=1.0 --fixed_size=100 | tee memcaslap.txt | grep -E '^(cmd_|get_misses|verify_|Run time)'
  awk '/^verify_failed:/ && $2 != 0 { exit 1 }' memcaslap.txt ||
    die "memcaslap found wrong answers; see $out/memcaslap.txt"
  python3 "$recipe/client.py" "$port" check
  python3 "$recipe/client.py" "$port" shutdown
  wait "$recorder"
  trap - EXIT
}

# The profile's count and the preloaded library's differ by less than one in a thousand.
checkProfile() {
  python3 - "$1" acquisitions <<'END'
import json, sys
recorded = sum(lock["acquisitions"] for lock in json.load(open(sys.argv[1]))["locks"])
counted = int(open(sys.argv[2]).read())
difference = abs(recorded - counted) / counted
print(f"acquisitions: {recorded} recorded, {counted} counted independently, {difference:.4%} apart")
sys.exit(f"error: more than 0.1 % apart" if difference > 0.001 else 0)
END
}
