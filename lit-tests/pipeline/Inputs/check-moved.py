# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the data in a prediction of an MCS and a QD lock take, by number of threads 1, 2, 8."""
import json
import sys

kinds = json.load(open(sys.argv[1]))["kinds"]
for kind, of in kinds.items():
    (lock,) = of["locks"]
    moved = lock["moved_ns"]
    assert moved[0] == 0 and 0 < moved[1], (kind, moved)
    assert all(ns < wait for ns, wait in zip(moved[1:], lock["wait_ns"][1:])), (kind, lock)
mcs, qd = (kinds[kind]["locks"][0]["moved_ns"] for kind in ("mcs", "qd"))
assert mcs[1] < mcs[2], "more threads, more of the lines are elsewhere"
assert qd[2] < mcs[2] / 2, "a helper serves others without moving them"
