// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace qdadvise {

/// `part / whole`, or 0 where there is no whole.
inline double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

} // namespace qdadvise
