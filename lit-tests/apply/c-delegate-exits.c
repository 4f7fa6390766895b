// Where a section is given up before its end, what follows there runs behind the operation: the
// value of a return, a jump to the next round.
// RUN: %rewrite --kind qd %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  QD lock  changed:
// CHECK: c-delegate-exits.c:+    section->section_exit = 1;
// CHECK-NEXT: c-delegate-exits.c:+    return 0;
// CHECK: c-delegate-exits.c:+    if (section.section_exit == 1) {
// CHECK: c-delegate-exits.c:+      return -1;
// CHECK: c-delegate-exits.c:+    } else if (section.section_exit == 2) {
// CHECK: c-delegate-exits.c:+      return key;
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static int get(int key) {
  pthread_mutex_lock(&lock);
  assert(value >= 0);
  if (key < 0) {
    pthread_mutex_unlock(&lock);
    return -1;
  }
  if (key > 100) {
    key -= 100;
    pthread_mutex_unlock(&lock);
    return key;
  }
  value++;
  pthread_mutex_unlock(&lock);
  return 0;
}

static int rounds(void) {
  int done = 0;
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&lock);
    if (i == 3) {
      pthread_mutex_unlock(&lock);
      continue;
    } else if (i == 8) {
      pthread_mutex_unlock(&lock);
      break;
    }
    value++;
    pthread_mutex_unlock(&lock);
    done++;
  }
  return done;
}

static void branches(int key) {
  pthread_mutex_lock(&lock);
  if (key % 2) {
    value += 2;
    pthread_mutex_unlock(&lock);
  } else {
    value += 2;
    pthread_mutex_unlock(&lock);
    key++;
  }
}

static void *work(void *unused) {
  (void)unused;
  for (int i = 0; i < 500; ++i) {
    if (get(-1) != -1 || get(107) != 7 || get(1) != 0 || rounds() != 7)
      return "wrong";
    branches(i);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  void *result;
  pthread_create(&other, NULL, work, NULL);
  void *mine = work(NULL);
  pthread_join(other, &result);
  return !mine && !result && value == 10000 ? 0 : 1;
}
