// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// RUN: %rewrite --refused --kind clh %s | FileCheck %s
// CHECK: alignment: its memory may not begin where the target has to
// CHECK: 0 changed

#include <pthread.h>
#include <stdlib.h>

struct table {
  pthread_mutex_t lock;
  int value;
};

int main(void) {
  struct table *table = calloc(1, sizeof(struct table));
  pthread_mutex_init(&table->lock, NULL);
  pthread_mutex_lock(&table->lock);
  table->value++;
  pthread_mutex_unlock(&table->lock);
  free(table);
}
