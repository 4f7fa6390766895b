# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Today's algorithms where one lock is a spinlock, and where both are mutexes: the latter has the
# figures of a mutex at every lock, the former others.
import json
import sys

mixed, same = (json.load(open(path))["kinds"] for path in sys.argv[1:])
assert list(mixed) == ["recorded"], list(mixed)
assert same["recorded"] == same["pthread_mutex"]
waits = [lock["wait_ns"] for lock in mixed["recorded"]["locks"]]
mutexes = [lock["wait_ns"] for lock in same["recorded"]["locks"]]
assert waits[1] != mutexes[1], waits
