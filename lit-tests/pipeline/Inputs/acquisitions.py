"""acquisitions.py COMMAND LOCK=NUMBER...: records the command, and compares the locks of
its report and their acquisitions. Nothing may be lost, unmatched or not executed."""

import json
import os
import subprocess
import sys

command, *expected = sys.argv[1:]
profile = "acquisitions.qdprof"
subprocess.run(["qdadvise", "record", "-o", profile, "--", *command.split()], check=True)
report = json.loads(subprocess.check_output(["qdadvise", "report", "--format", "json", profile]))
os.remove(profile)
found = sorted(f"{lock['name']}={lock['acquisitions']}" for lock in report["locks"])
if found != sorted(expected) or report["unmatched"] or report["dropped"] or report["not_executed"]:
    sys.exit(f"expected {expected}, got {json.dumps(report, indent=1)}")
