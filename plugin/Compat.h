// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between the LLVM versions the plugin is built for. The only `#if`
// on a version stands here.
#pragma once

#include "llvm/Config/llvm-config.h"

static_assert(LLVM_VERSION_MAJOR == 19 || LLVM_VERSION_MAJOR == 22,
              "QDAdvise is built for LLVM 22 or LLVM 19");
