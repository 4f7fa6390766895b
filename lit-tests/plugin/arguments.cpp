// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wrong argument is an error that says what is allowed.

// RUN: not %clangxx %plugin_flag %plugin_arg-instrumnet -c %s -o %t 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not %clangxx %plugin_flag %plugin_arg-hooks=fast -c %s -o %t 2>&1 | FileCheck %s --check-prefix=HOOKS
// RUN: not %clangxx %plugin_flag %plugin_arg-hooks -c %s -o %t 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: not %clangxx %plugin_flag %plugin_arg-instrument=yes -c %s -o %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %clangxx %plugin_flag %plugin_arg-severity=fatal -c %s -o %t 2>&1 | FileCheck %s --check-prefix=SEVERITY
// RUN: not %clangxx %plugin_flag %plugin_arg-memory -c %s -o %t 2>&1 | FileCheck %s --check-prefix=MEMORY
// UNKNOWN: error: qdadvise: unknown argument 'instrumnet'; known are instrument, hooks=, memory, advice=, config=, severity=, verbose, no-dependencies
// HOOKS: error: qdadvise: bad value 'fast' of argument 'hooks'; allowed is xray, call or patch
// RUN: not %clangxx %plugin_flag %plugin_arg-instrument %plugin_arg-hooks=patch -target riscv64-linux-gnu -c %s 2>&1 | FileCheck %s --check-prefix=PATCH
// PATCH: error: qdadvise: hooks=patch knows the code of x86-64 and AArch64 only; use hooks=call
// NEEDS: error: qdadvise: argument 'hooks' needs a value: hooks= and xray, call or patch
// NONE: error: qdadvise: argument 'instrument' takes no value
// MEMORY: error: qdadvise: argument 'memory' needs 'instrument'
// SEVERITY: error: qdadvise: bad value 'fatal' of argument 'severity'; allowed is off, remark, warning or error

int main() {}
