#!/usr/bin/env python3
# Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An apply that makes something else of the program, for the test of what compares both:
`qdadvise apply -p FOLDER ...`."""

import pathlib
import sys

for unit in pathlib.Path(sys.argv[3]).glob("main.c*"):
    if unit.suffix != ".o":
        unit.write_text(unit.read_text().replace("return 0;", 'printf("more\\n"); return 0;'))
