// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/support/Patch.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <vector>

namespace qdadvise {
namespace {

using Lines = std::vector<std::string_view>;

/// The lines with their ends; the last may have none.
Lines linesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// A line of either text, or of both.
struct Step {
  char sign;
  std::string_view line;
};

/// The shortest way from one text to the other (Myers 1986).
std::vector<Step> stepsBetween(const Lines &a, const Lines &b) {
  const auto sizeA = static_cast<std::ptrdiff_t>(a.size()),
             sizeB = static_cast<std::ptrdiff_t>(b.size());
  const std::ptrdiff_t most = sizeA + sizeB;
  std::vector<std::ptrdiff_t> furthest(static_cast<std::size_t>(2 * most + 3), 0);
  const auto at = [&](std::ptrdiff_t diagonal) -> std::ptrdiff_t & {
    return furthest[static_cast<std::size_t>(diagonal + most + 1)];
  };
  const auto lineA = [&](std::ptrdiff_t i) { return a[static_cast<std::size_t>(i)]; };
  const auto lineB = [&](std::ptrdiff_t i) { return b[static_cast<std::size_t>(i)]; };
  std::vector<std::vector<std::ptrdiff_t>> rounds;
  bool isThere = false;
  for (std::ptrdiff_t edits = 0; !isThere && edits <= most; ++edits) {
    rounds.push_back(furthest);
    for (std::ptrdiff_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const bool down =
          diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
      std::ptrdiff_t x = down ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < sizeA && x - diagonal < sizeB && lineA(x) == lineB(x - diagonal))
        ++x;
      at(diagonal) = x;
      isThere |= x >= sizeA && x - diagonal >= sizeB;
    }
  }
  std::vector<Step> steps;
  std::ptrdiff_t x = sizeA, y = sizeB;
  for (auto edits = static_cast<std::ptrdiff_t>(rounds.size()) - 1; edits >= 0; --edits) {
    furthest = rounds[static_cast<std::size_t>(edits)];
    const std::ptrdiff_t diagonal = x - y;
    const bool down =
        diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
    const std::ptrdiff_t from = down ? diagonal + 1 : diagonal - 1;
    const std::ptrdiff_t fromX = at(from), fromY = fromX - from;
    while (x > fromX && y > fromY) {
      --x, --y;
      steps.push_back({' ', lineA(x)});
    }
    if (edits == 0)
      break;
    steps.push_back(down ? Step{'+', lineB(fromY)} : Step{'-', lineA(fromX)});
    x = fromX;
    y = fromY;
  }
  std::ranges::reverse(steps);
  return steps;
}

void printStep(std::string &text, const Step &step) {
  text.append(1, step.sign).append(step.line);
  if (!step.line.ends_with('\n'))
    text.append("\n\\ No newline at end of file\n");
}

std::string range(std::size_t first, std::size_t count) {
  return std::to_string(count == 0 ? first : first + 1) + "," + std::to_string(count);
}

/// The number after `sign` in `@@ -1,2 +3,4 @@`.
std::size_t lineAfter(std::string_view header, char sign) {
  const std::size_t at = header.find(sign);
  std::size_t number = 0;
  if (at != std::string_view::npos)
    std::from_chars(header.data() + at + 1, header.data() + header.size(), number);
  return number;
}

/// The patch that leads back: what it takes away is put in.
std::string theOtherWay(std::string_view filePatch) {
  std::string text;
  const Lines lines = linesOf(filePatch);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line(lines[i]);
    if (i >= 2 && line.starts_with("@@ ")) {
      const std::size_t minus = line.find('-'), plus = line.find('+'), end = line.find(" @@", plus);
      line = "@@ -" + line.substr(plus + 1, end - plus - 1) + " +" +
             line.substr(minus + 1, plus - minus - 2) + line.substr(end);
    } else if (i >= 2 && (line[0] == '-' || line[0] == '+')) {
      line[0] = line[0] == '-' ? '+' : '-';
    }
    text += line;
  }
  return text;
}

} // namespace

std::string unifiedDiff(std::string_view before, std::string_view after, const std::string &path) {
  constexpr std::size_t around = 3;
  const Lines a = linesOf(before), b = linesOf(after);
  const std::vector<Step> steps = stepsBetween(a, b);
  std::string text;
  std::size_t lineA = 0, lineB = 0, begin = 0;
  const auto isChange = [](const Step &step) { return step.sign != ' '; };
  for (auto change = std::ranges::find_if(steps, isChange); change != steps.end();) {
    const auto first = static_cast<std::size_t>(change - steps.begin());
    const std::size_t from = std::max(begin, first < around ? 0 : first - around);
    for (; begin < from; ++begin)
      ++lineA, ++lineB;
    std::size_t end = first, last = first; // one past the hunk, one past its last change
    for (; end < steps.size() && end < last + 2 * around + 2; ++end)
      if (isChange(steps[end]))
        last = end;
    end = std::min(last + around + 1, steps.size());
    std::string hunk;
    std::size_t countA = 0, countB = 0;
    for (; begin < end; ++begin) {
      printStep(hunk, steps[begin]);
      countA += steps[begin].sign != '+';
      countB += steps[begin].sign != '-';
    }
    text += "@@ -" + range(lineA, countA) + " +" + range(lineB, countB) + " @@\n" + hunk;
    lineA += countA;
    lineB += countB;
    change = std::find_if(steps.begin() + static_cast<std::ptrdiff_t>(end), steps.end(), isChange);
  }
  return text.empty() ? "" : "--- " + path + "\n+++ " + path + "\n" + text;
}

std::map<std::string, std::string> patchByFile(std::string_view patch) {
  std::map<std::string, std::string> files;
  std::string *current = nullptr;
  // In a hunk, `--- ` is a line that was taken away.
  std::size_t leftA = 0, leftB = 0;
  for (const std::string_view line : linesOf(patch)) {
    if (leftA + leftB == 0 && line.starts_with("--- ")) {
      current = &files[std::string(line.substr(4, line.size() - 5))];
    } else if (leftA + leftB == 0 && line.starts_with("@@ ")) {
      leftA = lineAfter(line.substr(line.find('-')), ',');
      leftB = lineAfter(line.substr(line.find('+')), ',');
    } else if (line[0] != '\\') {
      leftA -= leftA > 0 && line[0] != '+';
      leftB -= leftB > 0 && line[0] != '-';
    }
    if (current)
      current->append(line);
  }
  return files;
}

Expected<std::string> reversed(std::string_view filePatch, std::string_view after) {
  const Lines now = linesOf(after), patch = linesOf(filePatch);
  std::string before;
  std::size_t next = 0; // line of `now`
  for (std::size_t i = 2; i < patch.size(); ++i) {
    const std::string_view line = patch[i];
    if (line.starts_with("@@ ")) {
      const std::size_t first = lineAfter(line, '+');
      const bool isEmpty = lineAfter(line.substr(line.find('+')), ',') == 0;
      const std::size_t until = isEmpty ? first : first - 1;
      if (until > now.size() || until < next)
        return makeError("it has fewer lines than the patch left");
      for (; next < until; ++next)
        before += now[next];
      continue;
    }
    if (line[0] == '\\')
      continue;
    std::string_view text = line.substr(1);
    if (i + 1 < patch.size() && patch[i + 1][0] == '\\')
      text.remove_suffix(1);
    if (line[0] != '-') {
      if (next >= now.size() || now[next] != text)
        return makeError("line " + std::to_string(next + 1) + " is not as the patch left it");
      ++next;
    }
    if (line[0] != '+')
      before += text;
  }
  for (; next < now.size(); ++next)
    before += now[next];
  return before;
}

Expected<PatchedText> aroundPatch(const std::string &filePatch, const std::string &text) {
  if (Expected<std::string> before = reversed(filePatch, text))
    return PatchedText{std::move(*before), text};
  if (Expected<std::string> after = reversed(theOtherWay(filePatch), text))
    return PatchedText{text, std::move(*after)};
  return makeError("it is neither as it was before the patch nor as it is after it");
}

} // namespace qdadvise
