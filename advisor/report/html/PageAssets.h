// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of every HTML page, which CMake takes from the files beside this one and from the
// library of charts.
#pragma once

#include <string_view>

namespace qdadvise {

extern const std::string_view pageTemplate; ///< has @TITLE@, @STYLE@ and so on where the rest goes
extern const std::string_view pageStyle, pageScript;
extern const std::string_view chartLibrary, chartLicence;

} // namespace qdadvise
