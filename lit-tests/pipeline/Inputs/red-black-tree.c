// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A red-black tree under one lock: half of the operations look a key up, half put one in. Every
// access to the tree goes through READ or WRITE, so that -DCOUNT counts them by brute force.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { keys = 1 << 14, operations = 20000 };

enum color { red, black };
struct node {
  volatile uint64_t key;
  struct node *volatile child[2];
  struct node *volatile parent;
  volatile uint64_t color;
};

#ifdef COUNT
static uint64_t reads, writes;
#define READ(place) (++reads, (place))
#define WRITE(place, value) (++writes, (place) = (value))
#else
#define READ(place) (place)
#define WRITE(place, value) ((place) = (value))
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node nodes[keys]; // one a key: nothing is allocated with the lock held
static struct node *volatile root;

static int colorOf(struct node *node) { return node ? (int)READ(node->color) : black; }

static void rotate(struct node *node, int side) {
  struct node *up = READ(node->child[!side]);
  struct node *inner = READ(up->child[side]);
  WRITE(node->child[!side], inner);
  if (inner)
    WRITE(inner->parent, node);
  struct node *parent = READ(node->parent);
  WRITE(up->parent, parent);
  if (!parent)
    WRITE(root, up);
  else
    WRITE(parent->child[READ(parent->child[1]) == node], up);
  WRITE(up->child[side], node);
  WRITE(node->parent, up);
}

static int contains(uint64_t key) {
  struct node *node = READ(root);
  while (node) {
    const uint64_t here = READ(node->key);
    if (here == key)
      return 1;
    node = READ(node->child[key > here]);
  }
  return 0;
}

static void insert(uint64_t key) {
  struct node *parent = 0, *node = READ(root);
  uint64_t here = 0;
  while (node) {
    here = READ(node->key);
    if (here == key)
      return;
    parent = node;
    node = READ(node->child[key > here]);
  }
  node = &nodes[key];
  WRITE(node->key, key);
  WRITE(node->parent, parent);
  WRITE(node->color, red);
  if (!parent)
    WRITE(root, node);
  else
    WRITE(parent->child[key > here], node);
  while ((parent = READ(node->parent)) && colorOf(parent) == red) {
    struct node *grand = READ(parent->parent);
    const int side = READ(grand->child[1]) == parent;
    struct node *uncle = READ(grand->child[!side]);
    if (colorOf(uncle) == red) {
      WRITE(parent->color, black);
      WRITE(uncle->color, black);
      WRITE(grand->color, red);
      node = grand;
      continue;
    }
    if (READ(parent->child[!side]) == node) {
      rotate(parent, side);
      node = parent;
      parent = READ(node->parent);
    }
    WRITE(parent->color, black);
    WRITE(grand->color, red);
    rotate(grand, !side);
  }
  WRITE(READ(root)->color, black);
}

static uint64_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static void *work(void *argument) {
  uint64_t state = (uint64_t)(intptr_t)argument, found = 0;
  for (int i = 0; i < operations; i++) {
    const uint64_t key = next(&state) % keys;
    const int looks = next(&state) % 2;
    pthread_mutex_lock(&lock);
    if (looks)
      found += (uint64_t)contains(key);
    else
      insert(key);
    pthread_mutex_unlock(&lock);
  }
  return (void *)(intptr_t)found;
}

// red-black-tree [THREADS]
int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 1;
  pthread_t *const workers = malloc((size_t)threads * sizeof *workers);
  for (intptr_t i = 0; i < threads; i++)
    pthread_create(&workers[i], 0, work, (void *)(i + 1));
  for (int i = 0; i < threads; i++)
    pthread_join(workers[i], 0);
  free(workers);
#ifdef COUNT
  printf("%d %llu %llu\n", threads * operations, (unsigned long long)reads,
         (unsigned long long)writes);
#endif
  return 0;
}
