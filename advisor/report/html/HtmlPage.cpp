// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/html/HtmlPage.h"

#include "advisor/report/html/PageAssets.h"

#include <array>
#include <string_view>
#include <utility>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text)
    switch (letter) {
    case '<':
      result += "&lt;";
      break;
    case '&':
      result += "&amp;";
      break;
    default:
      result += letter;
    }
  return result;
}

/// In JSON `<` occurs in strings only, where an escape means the same. Without it a name could end
/// the script element.
std::string forScript(const Json &data) {
  std::string result;
  for (const char letter : data.dump(-1, ' ', false, Json::error_handler_t::replace))
    letter == '<' ? result += "\\u003c" : result += letter;
  return result;
}

} // namespace

std::string htmlPage(const std::string &title, const Json &data) {
  const std::array<std::pair<std::string_view, std::string>, 6> parts{
      {{"@TITLE@", escaped(title)},
       {"@STYLE@", std::string(pageStyle)},
       {"@DATA@", forScript(data)},
       {"@LICENCE@", std::string(chartLicence)},
       {"@CHARTS@", std::string(chartLibrary)},
       {"@SCRIPT@", std::string(pageScript)}}};
  std::string page;
  std::string_view rest = pageTemplate;
  // The parts are in the template's order, so that no text that was put in is looked at again.
  for (const auto &[name, text] : parts) {
    const std::size_t at = rest.find(name);
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + name.size());
  }
  return page + std::string(rest);
}

} // namespace qdadvise
