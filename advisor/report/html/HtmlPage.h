// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One HTML file that needs no other: the page, its style, its script, the library of charts, and
// the JSON that the script draws.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace qdadvise {

/// `data` is for advisor/report/html/page.js, which says what it has.
std::string htmlPage(const std::string &title, const nlohmann::ordered_json &data);

} // namespace qdadvise
