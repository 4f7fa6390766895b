# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what tests of the runtime look at in a profile, straight from its bytes."""

import collections
import struct
import sys
import zlib

data = open(sys.argv[1], "rb").read()
magic, version, crc, size, tables, _ = struct.unpack_from("<8sIIQII", data)
assert magic == b"QDPROF\0\0" and version == 1 and size == len(data)
assert crc == zlib.crc32(data[32:]), "the CRC is wrong"
entries = {}
for i in range(tables):
    table, record, offset, count = struct.unpack_from("<IIQQ", data, 32 + 24 * i)
    entries[table] = (record, offset, count)


def text(at):
    begin = entries[1][1] + at
    return data[begin : data.index(b"\0", begin)].decode()


def rows(table, layout):
    record, offset, count = entries[table]
    return [struct.unpack_from(layout, data, offset + i * record) for i in range(count)]


moments = "Qdddd"
run = rows(2, "<IIIIQQddddQQQQQIId")[0]
print(f"program {text(run[0])}")
print(f"flags {run[3]}")
print(f"events {run[10]} dropped {run[11]} unmatched {run[12]} other {run[13]} {run[14]}")
print(f"threads {run[16]} most {run[15]}")
if run[17] > 0:
    print(f"recorded {run[6] * 1e-9:.4f} s of {run[17] * 1e-9:.4f}")
for row in rows(6, "<6Idd"):
    where = f" at {text(row[1])}:{row[2]}" if row[2] else ""
    print(f"class {text(row[0])}{where} count {row[3]} most {row[4]}")
lock_classes = [text(row[0]) for row in rows(4, "<6I")]
sites = rows(3, "<14I5QII")
callers = [(text(row[0]), row[2]) for row in rows(13, "<IIQ")] if 13 in entries else []
for row in sites:
    caller = ""
    if row[19] != 0xFFFFFFFF:
        module, offset = callers[row[19]]
        caller = f" called from {module.split('/')[-1]}+{offset:#x}"
    print(f"site {row[6]} executed {row[16]} inside {row[17]} failed {row[18]}{caller}")
times = collections.defaultdict(float)
for row in rows(7, "<6I3Q" + moments * 3 + "Q" + moments):
    line = sites[row[1]][6]
    print(
        f"section {line} lock {lock_classes[row[2]]} acquisitions {row[6]}"
        f" hold count {row[9]} mean {row[10]:.1f}"
        f" contended {row[7]} by writers {row[24]}"
    )
    times[f"hold {line}"] += row[9] * row[10]
    times[f"wait {line}"] += row[14] * row[15]
    times[f"wait-by-writer {line}"] += row[25] * row[26]
for row in rows(4, "<8Id" + moments):
    if row[9] > 0:
        print(f"readers of {text(row[0])} most {row[6]} periods {row[9]}")
        times[f"readers-hold {text(row[0])}"] = row[8]
        times[f"busy {text(row[0])}"] = row[9] * row[10]
        times[f"longest {text(row[0])}"] = row[13]
for name, ns in times.items():
    print(f"ns {name} {ns:.1f}")
for row in rows(5, "<IIQQQdd"):
    print(f"lock of {lock_classes[row[0]]} acquisitions {row[3]}")
if 14 in entries:
    for row in sorted(rows(14, "<IIQQQdd")):
        print(
            f"closed locks of {lock_classes[row[0]]} from {1 << row[1]}"
            f" instances {row[2]} acquisitions {row[3]}"
        )
print(f"windows {entries[10][2]}")
print(f"hook {run[9]:.1f} ns")
