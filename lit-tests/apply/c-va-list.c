// What a parameter of type va_list points to has no name that a struct could be declared with: a
// section with one takes the lock as before, and the others become functions.
// RUN: %rewrite --kind qd %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  QD lock  changed: {{[0-9]+}} places in {{.*}}; 1 of 2 sections delegated
// CHECK-NEXT: stack-frame: {{.*}} ('numbers', whose declaration is the function's)
// CHECK: c-va-list.c:+static void *add_section(void *argument) {
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static int sumOf(int count, va_list numbers) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += va_arg(numbers, int);
  return sum;
}

static void addThese(int count, va_list numbers) {
  pthread_mutex_lock(&lock);
  total += sumOf(count, numbers);
  pthread_mutex_unlock(&lock);
}

static void addAll(int count, ...) {
  va_list numbers;
  va_start(numbers, count);
  addThese(count, numbers);
  va_end(numbers);
}

static void add(int number) {
  pthread_mutex_lock(&lock);
  total += number;
  pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
  (void)unused;
  for (int i = 0; i < 1000; ++i) {
    add(1);
    addAll(3, 1, 2, 3);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return total != 2 * 1000 * 7;
}
