// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How numbers, names and lists look in texts for people: in diagnostics, reasons and reports. The
// plugin links this, so that it needs no library besides the standard one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qdadvise {

// --- in sentences

/// `8.2 us`, `450 ns`, `1.3 ms`: two significant digits at least.
std::string formatDuration(double ns);
/// Measured holding times below this are what is left of taking hooks out: they may be anything
/// from 0 to this.
inline constexpr double shortestMeasuredNs = 5;
/// A measured holding time: "under 5 ns" if it is too short to measure.
std::string formatHold(double ns);
/// `71%`, `0.4%`, `less than 0.1%` of a share between 0 and 1.
std::string formatPercent(double share);
/// `2.3x`, `1.08x`: as many digits as tell a small gain from none. `like` sets the digits
/// (the middle of an interval, for its ends).
std::string formatFactor(double factor, double like);
inline std::string formatFactor(double factor) { return formatFactor(factor, factor); }
/// `350 thousand`, `42`
std::string formatCount(double count);
/// `1.4 million`, `0.25`: events per second.
std::string formatRate(double perS);
/// `2 locks`, `1 lock`
std::string plural(std::uint64_t count, const std::string &singular);
/// `16 threads`, `1 thread`
std::string formatThreads(int threads);
/// `a QD lock`, `an adaptive lock`
std::string withArticle(const std::string &label);
/// `a, b and c`
std::string enumerated(const std::vector<std::string> &items);
/// `a, b, c and 7 more`: the first of a long list.
std::string someOf(const std::vector<std::string> &names, std::size_t most = 5);
/// `src/db.cc:42`, or the file alone where the line is not known (0).
std::string formatPlace(const std::string &file, std::uint32_t line);
/// The last part of a path.
std::string baseName(const std::string &path);

// --- in tables

/// `8.2us`: a duration in six characters or less.
std::string shortDuration(double ns);
std::string shortHold(double ns);
/// `41.9%`, five characters or less.
std::string shortPercent(double share);
/// `41.9%`, `100.0%`
std::string precisePercent(double share);
/// `0.25`, `14.2`, `350k`: a mean in five characters or less, up to a thousand million.
std::string shortNumber(double value);
/// `0.25`, `350k`: events per second in five characters or less, up to a thousand million.
std::string shortRate(double perS);
/// `0.25`, `140`: how many there are on average.
std::string shortMean(double value);
/// `1.23 M`: rates that differ by orders of magnitude within a column.
std::string prefixedRate(double perS);
/// Which units an interval is shown in.
enum class Quantity { ratio, rate, duration };
/// `1.1-1.31 M`, `1.1-1.3 us`: an interval, both ends in the unit of the higher one.
std::string formatRange(double low, double high, Quantity quantity);
/// A qualified name in so much room: without scopes from the left as need be, then cut.
std::string fitted(std::string name, std::size_t room);
/// The beginning of a sentence, before `...`, where there is no room for all of it.
std::string beginningOf(const std::string &text, std::size_t room);
/// The end of a name, behind `...`, where there is no room for all of it.
std::string endOf(const std::string &name, std::size_t room);
/// Leaves out the middle of a name that needs more room: `std::map<..>::lock_`.
std::string bothEndsOf(const std::string &name, std::size_t room);
/// A lock's name within so many columns: without the arguments of templates, then without outer
/// scopes, then shortened in the middle.
std::string lockNameWithin(std::string name, std::size_t room);
/// The same for locks that stand side by side: names that would come to one keep both their ends.
std::vector<std::string> lockNamesWithin(const std::vector<std::string> &names, std::size_t room);

// --- on lines

/// Columns of text for people, where no terminal says otherwise.
inline constexpr std::size_t textWidth = 80;
/// Lines of at most `width` columns, broken at spaces, all but the first indented. A word that is
/// longer has a line of its own; a number and its unit are one word.
std::string wrapped(const std::string &text, std::size_t indent, std::size_t width = textWidth);

} // namespace qdadvise
