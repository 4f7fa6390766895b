# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares predicted waiting times with exact mean value analysis, within 1e-9."""
import json
import sys

# Waiting time in ms at locks `first` and `second`, by number of threads.
expected = {
    1: (0, 0),
    2: (0.0869565217391304, 0.521739130434783),
    4: (0.261073170731707, 2.14712195121951),
    8: (0.468710454830305, 8.18319869386811),
    16: (0.499970683153564, 24.0000929521565),
    32: (0.499999999998038, 56.0000000000047),
    64: (0.5, 120),
}

document = json.load(open(sys.argv[1]))
assert document["threads"] == list(expected), document["threads"]
ideal = document["kinds"]["ideal"]
assert ideal["model"] == ["exact"] * len(expected), ideal["model"]
assert [lock["name"] for lock in ideal["locks"]] == ["first", "second"]
for i, waits in enumerate(expected.values()):
    for lock, wait in zip(ideal["locks"], waits):
        assert abs(lock["wait_ns"][i] - wait * 1e6) <= 1e-9 * wait * 1e6, (i, lock, wait)
        assert lock["wait_ns_ci95"][i] == [lock["wait_ns"][i]] * 2, (i, lock)
        for figure in ("queue_length", "utilization", "contention_rate"):
            assert len(lock[figure]) == len(expected), figure
    worker = ideal["classes"][0]
    waiting = 1e6 * (0.4 * waits[0] + 0.6 * waits[1])
    assert worker["name"] == "worker" and worker["threads"][i] == document["threads"][i]
    assert abs(worker["wait_ns"][i] - waiting) <= 1e-9 * waiting, worker
    assert abs(worker["cycle_ns"][i] - (3e6 + 1.6e6 + waiting)) <= 1, worker
    assert abs(worker["throughput_per_s"][i] / ideal["throughput_per_s"][i] - 1) <= 1e-9, worker
    assert ideal["throughput_per_s"][i] > 0 and ideal["speedup"][i] >= 1
