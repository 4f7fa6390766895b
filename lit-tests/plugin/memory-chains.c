// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses come one after the other (8): along a list or down a tree, where the address of
// each is read from where the one before pointed to; not those of an array, of what an array
// points to, or behind one pointer.

// RUN: %memory_c -O2 -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s

struct node {
  long key;
  struct node *next[2];
  int *value;
};

long list(struct node *at) {
  long sum = 0;
  for (; at; at = at->next[0])
    sum += at->key;
  return sum;
}
// CHECK-LABEL: define {{.*}} @list(
// CHECK-COUNT-2: __qdadvise_trace_access(ptr {{.*}}, i64 8, i32 9)
// CHECK-NOT: __qdadvise_trace_access(

void tree(struct node *at, long key) {
  while (at->key != key)
    at = at->next[at->key < key];
  *at->value = 1;
}
// CHECK-LABEL: define {{.*}} @tree(
// CHECK: __qdadvise_trace_access(ptr {{.*}}, i64 8, i32 9)

int indices(const int *next, int at) {
  int steps = 0;
  for (; at != 0; at = next[at])
    ++steps;
  return steps;
}
// CHECK-LABEL: define {{.*}} @indices(
// CHECK: __qdadvise_trace_access(ptr {{.*}}, i64 4, i32 9)

long array(const long *at, long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i)
    sum += at[i];
  return sum;
}
// CHECK-LABEL: define {{.*}} @array(
// CHECK: __qdadvise_trace_access(ptr {{.*}}, i64 8, i32 1)

void pointers(struct node **at, long count) {
  for (long i = 0; i < count; ++i)
    ++at[i]->key;
}
// CHECK-LABEL: define {{.*}} @pointers(
// CHECK-COUNT-2: __qdadvise_trace_access(ptr {{.*}}, i64 8, i32 1)
// CHECK: __qdadvise_trace_access(ptr {{.*}}, i64 8, i32 2)

void once(struct node *at) { ++*at->next[0]->value; }
// CHECK-LABEL: define {{.*}} @once(
// CHECK-NOT: i32 {{9|10|11}})
