// Sections of C programs become functions, with a struct for what they use of the function that
// they were in: values where they only read, addresses where not.
// RUN: %rewrite --kind qd %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  QD lock  changed: {{.*}} places in
// CHECK: c-delegate.c:+static void *add_section(void *argument) {
// CHECK: c-delegate.c:+  struct add_section *section = argument;
// CHECK-NEXT: c-delegate.c:+  int by = section->by;
// CHECK: c-delegate.c:+  (*section->sum) += total;
// CHECK: c-delegate.c:+    struct add_section section = {by, &sum};
// CHECK: c-delegate.c:+    qdadvise_qd_delegate(&lock, add_section, &section);
// CHECK: c-delegate.c:+static void *fill_section(void *argument) {
// CHECK: c-delegate.c:+static void *both_section(void *argument) {
// CHECK: c-delegate.c:+static void *both_section{{[23]}}(void *argument) {
// CHECK: c-delegate.c:+static void *both_section{{[23]}}(void *argument) {
// CHECK: c-delegate.c:+struct say_section {
// CHECK-NEXT: c-delegate.c:+  int *section_errno;
// CHECK: c-delegate.c:+static void *say_section_body(void *argument) {
// CHECK: c-delegate.c:+  errno = *section->section_errno;
// CHECK-NEXT: c-delegate.c:+  say_section_body(argument);
// CHECK: c-delegate.c:+  *section->section_errno = left_errno;
// CHECK: c-delegate.c:+    struct say_section section = {&errno, &said};
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

struct pair {
  int first, second;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int total;
static int counts[2];

/* Adds and returns
 * the sum. */
static int add(int by) {
  int sum = 0;
  pthread_mutex_lock(&lock);
  total += by; // all of it
  sum += total;
  pthread_mutex_unlock(&lock);
  return sum;
}

// An array, a struct, and what is declared inside.
static int fill(struct pair *out, int rounds) {
  int values[3] = {1, 2, 3};
  struct pair local = {0, 0};
  static int calls;
  pthread_mutex_lock(&lock);
  ++calls;
  for (int i = 0; i < rounds; ++i) {
    int step = values[i % (int)(sizeof values / sizeof *values)];
    if (step == 2)
      continue;
    local.first += step;
    values[0] = 1;
  }
  *out = local;
  int known = calls;
  pthread_mutex_unlock(&lock);
  return known > 0 ? values[0] : 0;
}

// Two sections of one function, whose type is a macro; two locks.
static bool both(int by) {
  pthread_mutex_lock(&lock);
  total += by;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&locks[0]);
  counts[0] += by;
  pthread_mutex_unlock(&locks[0]);
  pthread_mutex_lock(&lock);
  total -= by;
  pthread_mutex_unlock(&lock);
  return by > 0;
}

static void count(int which) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&locks[which]);
    counts[which]++;
    pthread_mutex_unlock(&locks[which]);
  }
}

// The errno of input and output is that of the thread whose section it is.
static long say(void) {
  pthread_mutex_lock(&lock);
  long said = (long)write(-1, "", 1);
  pthread_mutex_unlock(&lock);
  return said;
}

static void *work(void *unused) {
  (void)unused;
  struct pair out;
  for (int i = 0; i < 1000; ++i) {
    add(1);
    if (fill(&out, 4) != 1 || out.first != 5)
      return "wrong";
    count(i % 2);
    errno = i;
    if (say() != -1 || errno != EBADF)
      return "wrong";
    if (!both(1))
      return "wrong";
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  void *result;
  pthread_create(&other, NULL, work, NULL);
  void *mine = work(NULL);
  pthread_join(other, &result);
  return !mine && !result && add(0) == 2000 && counts[0] == 5000 && counts[1] == 3000 ? 0 : 1;
}
