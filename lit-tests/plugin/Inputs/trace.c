// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A runtime for the plugin's tests: prints every event as
//
//   <instant> <line> <lock as written> #<number of the lock, in order of appearance>
//
// and with TRACE_SITES in the environment first every record as
//
//   site <role> <file>:<line>:<column> <function> | <expression> | <name> | <type> |
//   <declared at> | kind <kind> flags <flags> ordinal <ordinal>
//
// turnHooks() is for the program to switch its hooks (hooks=call and hooks=patch) off and on.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// As in runtime/abi/site_record.h, in C.
struct SiteRecord {
  uint32_t version, role, kind, flags, line, column, ordinal, declLine, declColumn, index;
  uint64_t sectionHash;
  uint32_t facts, hooksOn;
  const char *file, *function, *expression, *lockName, *lockType, *declFile;
  const void *thunks[10];
};

int32_t __attribute__((weak)) __xray_set_handler_arg1(void (*)(int32_t, int, uint64_t));
int32_t __attribute__((weak)) __xray_patch_function(int32_t);
uintptr_t __attribute__((weak)) __xray_function_address(int32_t);
size_t __attribute__((weak)) __xray_max_function_id(void);

static const char *const instants[] = {"attempt", "acquire", "release", "fail",   "wait",
                                       "wake",    "block",   "unblock", "retire", "spawn"};
static const char *const roles[] = {"acquire", "release", "wait",     "block",
                                    "start",   "wrapper", "lifetime", "spawn"};

enum { mostFunctions = 4096, mostLocks = 64 };
static struct {
  struct SiteRecord *site;
  uint32_t instant;
} functions[mostFunctions];

static int numberOf(const void *lock) {
  static const void *locks[mostLocks];
  for (int number = 0; number < mostLocks; ++number) {
    const void *none = NULL;
    __atomic_compare_exchange_n(&locks[number], &none, lock, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (__atomic_load_n(&locks[number], __ATOMIC_RELAXED) == lock)
      return number + 1;
  }
  return 0;
}

// Nothing that a linker which optimises looks at names it where all hooks are sleds.
__attribute__((used)) void __qdadvise_event(struct SiteRecord *site, uint32_t instant,
                                            const void *lock) {
  if (lock)
    printf("%s %u %s #%d\n", instants[instant], site->line, site->expression, numberOf(lock));
  else
    printf("%s %u\n", instants[instant], site->line);
  fflush(stdout);
}

#ifdef __x86_64__
// The hook of hooks=patch, which keeps all registers.
__asm__(".text\n"
        ".globl __qdadvise_sled\n"
        ".type __qdadvise_sled,@function\n"
        "__qdadvise_sled:\n"
        "pushq %rbp\nmovq %rsp, %rbp\n"
        "pushq %rax\npushq %rcx\npushq %r8\npushq %r9\npushq %r10\npushq %r11\n"
        "subq $512, %rsp\nandq $-16, %rsp\nfxsave64 (%rsp)\n"
        "callq __qdadvise_event@PLT\n"
        "fxrstor64 (%rsp)\nleaq -48(%rbp), %rsp\n"
        "popq %r11\npopq %r10\npopq %r9\npopq %r8\npopq %rcx\npopq %rax\npopq %rbp\n"
        "retq\n"
        ".size __qdadvise_sled, . - __qdadvise_sled\n");
#endif

static void onXRay(int32_t id, int type, uint64_t lock) {
  (void)type;
  if (functions[id].site)
    __qdadvise_event(functions[id].site, functions[id].instant, (const void *)lock);
}

static const char *base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void printSite(const struct SiteRecord *site) {
  printf("site %s %s:%u:%u %s | %s | %s | %s | ", roles[site->role], base(site->file), site->line,
         site->column, site->function, site->expression, site->lockName, site->lockType);
  printf("%s:%u:%u | kind %u flags %u ordinal %u\n", base(site->declFile), site->declLine,
         site->declColumn, site->kind, site->flags, site->ordinal);
}

// As in runtime/abi/sled_record.h, in C.
struct SledRecord {
  int32_t sled, target;
};
static const struct SledRecord *firstSled, *endOfSleds;

// Makes an instruction that does nothing a jump, or the other way round.
static void turnSled(const struct SledRecord *record, int on) {
  static const unsigned char idle[5] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
  unsigned char *sled = (unsigned char *)&record->sled + record->sled;
  const int32_t distance = abs(record->target) - (int32_t)sizeof idle;
  if ((uintptr_t)sled % 8 + sizeof idle > 8)
    abort();
  if (memcmp(sled, idle, sizeof idle) != 0 && sled[0] != 0xe9)
    abort();
  void *page = (void *)((uintptr_t)sled & -(uintptr_t)4096);
  if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    abort();
  if (on) {
    sled[0] = 0xe9;
    memcpy(sled + 1, &distance, sizeof distance);
  } else {
    memcpy(sled, idle, sizeof idle);
  }
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static struct SiteRecord *firstSite;
void turnHooks(int on) {
  firstSite->hooksOn = (uint32_t)on;
  for (const struct SledRecord *record = firstSled; record != endOfSleds; ++record)
    turnSled(record, on);
}

void __qdadvise_register_sled_table(const struct SledRecord *begin, const struct SledRecord *end) {
  firstSled = begin;
  endOfSleds = end;
  if (getenv("TRACE_SITES"))
    printf("%d sleds\n", (int)(end - begin));
  for (const struct SledRecord *record = begin; record != end; ++record)
    turnSled(record, 1);
}

void __qdadvise_register(struct SiteRecord *begin, struct SiteRecord *end) {
  firstSite = begin;
  if (getenv("TRACE_SITES"))
    printf("registered %d\n", (int)(end - begin));
  for (struct SiteRecord *site = begin; site != end; ++site) {
    if (site->version != 4 || site->index != 0)
      abort();
    if (getenv("TRACE_SITES"))
      printSite(site);
    if (site->role == 4 || !__xray_max_function_id)
      continue;
    for (uint32_t instant = 0; instant < 10; ++instant)
      for (int32_t id = 1; site->thunks[instant] && id <= (int32_t)__xray_max_function_id(); ++id)
        if (__xray_function_address(id) == (uintptr_t)site->thunks[instant]) {
          functions[id].site = site;
          functions[id].instant = instant;
          __xray_patch_function(id);
        }
  }
  if (__xray_set_handler_arg1)
    __xray_set_handler_arg1(onXRay);
  fflush(stdout);
}

void __qdadvise_unregister(struct SiteRecord *begin, struct SiteRecord *end) {
  if (getenv("TRACE_SITES"))
    printf("unregistered %d\n", (int)(end - begin));
}
