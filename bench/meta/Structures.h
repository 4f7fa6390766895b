// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two data structures of the meta-benchmark. They are small on purpose, since what a critical
// section touches moves from core to core with the lock. Neither allocates.
#pragma once

#include <array>
#include <cstdint>

namespace qdadvise::meta {

/// Random numbers for choosing operations and keys, in a few cycles each (xorshift32).
class Randomness {
public:
  explicit Randomness(std::uint32_t seed) : state(seed | 1) {}
  std::uint32_t next() {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
  }

private:
  std::uint32_t state;
};

/// A ring of ascending numbers, so that dequeued numbers can be checked.
class FifoQueue {
public:
  static constexpr std::uint32_t capacity = 32;

  /// One operation: a random one of enqueue and dequeue, if both are possible.
  void operate(Randomness &random) {
    const std::uint32_t size = tail - head;
    if (size == 0 || (size < capacity && (random.next() & 0x10000) != 0))
      enqueue();
    else
      dequeue();
  }
  /// The number of operations so far, and whether all numbers came out in order.
  std::uint64_t operations() const { return enqueued + dequeued; }
  bool intact() const { return inOrder && enqueued - dequeued == tail - head; }

private:
  void enqueue() {
    ring[tail % capacity] = tail;
    ++tail;
    ++enqueued;
  }
  void dequeue() {
    inOrder = inOrder && ring[head % capacity] == head;
    ++head;
    ++dequeued;
  }

  std::uint32_t head = 0, tail = 0;
  bool inOrder = true;
  std::uint64_t enqueued = 0, dequeued = 0;
  std::array<std::uint32_t, capacity> ring{};
};

/// The pairing heap of Fredman, Sedgewick, Sleator and Tarjan, with two passes at delete-min. Nodes
/// are in an array, and linked by index.
class PairingHeap {
public:
  static constexpr std::uint32_t capacity = 32;

  PairingHeap() {
    for (std::uint16_t i = 1; i <= capacity; ++i)
      nodes[i].sibling = static_cast<std::uint16_t>(i < capacity ? i + 1 : none);
  }

  /// One operation: an insertion or a delete-min.
  void operate(Randomness &random) {
    const std::uint32_t number = random.next();
    if (size == 0 || (size < capacity && (number & 0x10000) != 0))
      insert(number);
    else
      deleteMin();
  }
  std::uint64_t operations() const { return inserted + deleted; }
  /// Whether the heap is valid, and every node is in it or free. Empties the heap.
  bool intact() {
    if (inserted - deleted != size)
      return false;
    std::uint32_t least = 0;
    while (size > 0) {
      if (root == none || nodes[root].key < least)
        return false;
      least = nodes[root].key;
      deleteMin();
    }
    return root == none;
  }

private:
  static constexpr std::uint16_t none = 0; // nodes[0] is no node
  struct Node {
    std::uint32_t key = 0;
    std::uint16_t child = none, sibling = none; // of a free node: the next free one
  };

  void insert(std::uint32_t key) {
    const std::uint16_t node = free;
    free = nodes[node].sibling;
    nodes[node] = {key, none, none};
    root = root == none ? node : meld(root, node);
    ++size;
    ++inserted;
  }

  void deleteMin() {
    const std::uint16_t least = root;
    // The first pass, from left to right, melds pairs, and chains them in reverse order.
    std::uint16_t pairs = none;
    for (std::uint16_t at = nodes[least].child; at != none;) {
      const std::uint16_t first = at, second = nodes[first].sibling;
      at = second == none ? none : nodes[second].sibling;
      nodes[first].sibling = none;
      std::uint16_t pair = first;
      if (second != none) {
        nodes[second].sibling = none;
        pair = meld(first, second);
      }
      nodes[pair].sibling = pairs;
      pairs = pair;
    }
    // The second pass, from right to left, melds them into one.
    std::uint16_t whole = none;
    while (pairs != none) {
      const std::uint16_t next = nodes[pairs].sibling;
      nodes[pairs].sibling = none;
      whole = whole == none ? pairs : meld(whole, pairs);
      pairs = next;
    }
    root = whole;
    nodes[least].sibling = free;
    free = least;
    --size;
    ++deleted;
  }

  /// The larger key becomes the smaller one's first child.
  std::uint16_t meld(std::uint16_t a, std::uint16_t b) {
    const bool aIsLess = nodes[a].key < nodes[b].key;
    const std::uint16_t parent = aIsLess ? a : b, child = aIsLess ? b : a;
    nodes[child].sibling = nodes[parent].child;
    nodes[parent].child = child;
    return parent;
  }

  std::uint16_t root = none, free = 1;
  std::uint32_t size = 0;
  std::uint64_t inserted = 0, deleted = 0;
  std::array<Node, capacity + 1> nodes{};
};

} // namespace qdadvise::meta
