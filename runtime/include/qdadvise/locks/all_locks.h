// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every lock that comes with QDAdvise.
#ifndef QDADVISE_LOCKS_ALL_LOCKS_H
#define QDADVISE_LOCKS_ALL_LOCKS_H

#include <qdadvise/locks/clh_lock.h>
#include <qdadvise/locks/mcs_lock.h>
#include <qdadvise/locks/mrqd_lock.h>
#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>
#include <qdadvise/locks/ticket_lock.h>

#endif
