// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of the warning that the compiler prints at a lock.
#pragma once

#include "advisor/advice/Advice.h"

#include <string>

namespace qdadvise {

/// The texts of a diagnostic, as fixed in the documentation; the reporter only places them.
std::string adviceMessage(const Advice &advice);
/// `mean waiting time at 16 threads: pthread mutex 8.2 us, spinlock 9.1 us, QD lock 1.1 us`;
/// empty where no waiting time is known.
std::string waitNote(const Advice &advice);
/// Whether `qdadvise apply` can make the change, or the gate that is in its way; empty where nobody
/// asked it.
std::string applyNote(const Advice &advice);
/// For a section whose text is another than that which was profiled.
std::string staleMessage(const Advice &advice);

} // namespace qdadvise
