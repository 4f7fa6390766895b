// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lock_classes.h.
#include "runtime/sites/lock_classes.h"

#include "runtime/base/pages.h"
#include "runtime/sites/lasting_memory.h"

namespace qdadvise::runtime {

bool LockClasses::prepare() {
  if (!classes) {
    classes = reinterpret_cast<LockClassInfo *>(reservePages(most * sizeof(LockClassInfo)));
    hashes = reinterpret_cast<std::uint64_t *>(reservePages(most * sizeof(std::uint64_t)));
  }
  return classes && hashes;
}

std::uint32_t LockClasses::add(const LockClassInfo &info, std::uint64_t hash) {
  const std::uint32_t found = index.find(hash, [&](std::uint32_t i) {
    return hashes[i] == hash && classes[i].declLine == info.declLine &&
           classes[i].declColumn == info.declColumn && sameText(classes[i].name, info.name) &&
           sameText(classes[i].declFile, info.declFile);
  });
  if (found != format::none)
    return found;
  if (count == most || !index.insert(lastingMemory(), hash, count))
    return 0;
  classes[count] = info;
  classes[count].name = keepText(info.name);
  classes[count].type = keepText(info.type);
  classes[count].declFile = keepText(info.declFile);
  hashes[count] = hash;
  __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
  return count - 1;
}

std::uint32_t LockClasses::ofSite(const SiteRecord &record) {
  if (record.role != SiteRole::acquire && record.role != SiteRole::wait &&
      record.role != SiteRole::wrapper)
    return 0;
  if (record.role == SiteRole::wrapper && record.declLine == 0)
    return format::none; // the lock inside knows better
  if (record.declLine != 0) {
    std::uint64_t hash = mixHash(record.declLine, record.declColumn);
    hash = hashText(hashText(hash, record.declFile), record.lockName);
    return add({record.lockName, record.lockType, record.declFile, record.declLine,
                record.declColumn, record.kind},
               hash);
  }
  // The declaration says nothing: the place where it is taken stands for it.
  std::uint64_t hash = mixHash(std::uint64_t{record.line} << 32 | record.column, 1);
  hash = hashText(hashText(hash, record.file), record.expression);
  const char *const name = *record.lockName ? record.lockName : record.expression;
  return add({name, record.lockType, record.file, record.line, record.column, record.kind}, hash);
}

std::uint32_t LockClasses::ofName(const char *name) {
  return add({name, "", "", 0, 0, LockKind::unknown}, hashText(2, name));
}

} // namespace qdadvise::runtime
