# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A simulation says what a prediction says; both with an interval beside every figure."""
import json
import sys

simulated, predicted = (json.load(open(name)) for name in sys.argv[1:])
assert simulated["threads"] == predicted["threads"]


def check(what, truth, where):
    assert set(what) == set(truth) - {"moved_ns"}, (where, set(what) ^ set(truth))
    figures = {key for key in what if not key.endswith("_ci95")}
    for key in figures - {"model", "notes", "name", "locks", "classes"}:
        assert len(what[key]) == len(truth[key]) == len(what[key + "_ci95"]), (where, key)
        for one in (what, truth):
            for value, (low, high) in zip(one[key], one[key + "_ci95"]):
                assert low <= value <= high, (where, key, low, value, high)


for kind, truth in predicted["kinds"].items():
    what = simulated["kinds"][kind]
    check(what, truth, kind)
    assert set(what["model"]) == {"simulated"}, what["model"]
    for lock, truth in zip(what["locks"], truth["locks"]):
        assert lock["name"] == truth["name"]
        check(lock, truth, kind + " " + lock["name"])
    for i, all_classes in enumerate(what["throughput_per_s"]):
        sections = sum(one["throughput_per_s"][i] for one in what["classes"])
        assert abs(sections / all_classes - 1) < 1e-9, (kind, sections, all_classes)
    for one, truth in zip(what["classes"], predicted["kinds"][kind]["classes"], strict=True):
        assert one.keys() == truth.keys(), (one, truth)
        assert one["name"] == truth["name"] and one["threads"] == truth["threads"], (one, truth)

# The busier with more threads, and no faster for being simulated.
for kind, what in simulated["kinds"].items():
    assert what["speedup"][0] == 1, kind
    for lock in what["locks"]:
        assert lock["wait_ns"] == sorted(lock["wait_ns"]), (kind, lock)
