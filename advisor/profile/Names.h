// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What locks, sections and thread classes are called, the same in reports, networks
// and advice: unique, and readable without the profile.
#pragma once

#include "advisor/profile/Profile.h"

#include <string>
#include <vector>

namespace qdadvise {

/// One name per lock class: the declaration's (`Db::m`), else the expression of the
/// busiest site with its place (`get(i)@db.cc:42`). Equal names get their place as well.
std::vector<std::string> lockNames(const Profile &profile);

/// One name per site: function without parameters and line (`Db::get:42`).
std::vector<std::string> siteNames(const Profile &profile);

/// One name per thread class: its start routine's.
std::vector<std::string> threadClassNames(const Profile &profile);

/// `Db::get` for `Db::get(int) const`.
std::string withoutParameters(const std::string &function);

/// The frame's function, else `module+0xoffset`.
std::string nameOfFrame(const CallFrame &frame);

/// Makes every name differ from those before it: equal ones take the suffix of their
/// row, and where that does not help a number.
std::vector<std::string> makeUnique(std::vector<std::string> names,
                                    const std::vector<std::string> &suffixes);

/// Whether the source of an operation says that its lock is of this class.
bool isDeclaredAs(const ProfiledSite &site, const ProfiledLockClass &lock);

} // namespace qdadvise
