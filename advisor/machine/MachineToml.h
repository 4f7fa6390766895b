// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine descriptions as TOML, read and written.
#pragma once

#include "advisor/machine/Machine.h"

#include <string>

namespace qdadvise {

/// `name` is the path shown in errors (`file:line:column: error: …`).
///
/// Name, cores and source are required, and a reference where the source is "published". Every
/// number in [timer], [line], [scheduler] and [kind.*] is kept under its key, known or not, and
/// printed again; other tables, and other keys of [machine], are ignored. Negative or infinite
/// numbers, no core, fewer cores than sockets, tables that do not ascend, and a spread or source
/// without its figure are errors.
Expected<Machine> parseMachine(const std::string &toml, const std::string &name);
Expected<Machine> readMachine(const std::string &path);
std::string printMachine(const Machine &machine);

/// `$XDG_CONFIG_HOME/qdadvise/machine.toml`, else `~/.config/qdadvise/machine.toml`;
/// empty where the user has no home folder.
std::string userMachinePath();

} // namespace qdadvise
