// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of locks, sections and thread classes, which are the same in reports, networks and
// advice. They are unique, and readable without the profile.
#pragma once

#include "advisor/profile/Profile.h"

#include <string>
#include <vector>

namespace qdadvise {

/// One name for each lock class: that of its declaration (`Db::m`), else the expression of the
/// busiest site with its place (`get(i)@db.cc:42`). Equal names get their place as well.
std::vector<std::string> lockNames(const Profile &profile);

/// One name for each site: the function without parameters, and the line (`Db::get:42`).
std::vector<std::string> siteNames(const Profile &profile);

/// One name for each thread class: that of its start routine.
std::vector<std::string> threadClassNames(const Profile &profile);

/// Returns `Db::get` for `Db::get(int) const`.
std::string withoutParameters(const std::string &function);

/// The frame's function, else `module+0xoffset`.
std::string nameOfFrame(const CallFrame &frame);

/// Makes all names differ: equal ones get their suffixes, and numbers where that does not help.
std::vector<std::string> makeUnique(std::vector<std::string> names,
                                    const std::vector<std::string> &suffixes);

/// Whether the source of an operation says that its lock is of this class.
bool isDeclaredAs(const ProfiledSite &site, const ProfiledLockClass &lock);

} // namespace qdadvise
