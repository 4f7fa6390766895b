// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime writes memory with functions of its own. The compiler calls memset and its like for
// what the source says otherwise, and in a program under ThreadSanitizer those are the sanitizer's:
// it would see what the runtime writes, and not the locks that guard it, and report races.
// Every source of the runtime is compiled with this file before it (`-include`): the assembler
// resolves each name to ours.
#pragma once

asm(".set memset, qdadvise_memset\n"
    ".set memcpy, qdadvise_memcpy\n"
    ".set memmove, qdadvise_memmove\n");
