// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A red-black tree of numbers, and the operations of threads on it, for a program of real threads
// and for one of virtual threads, which sees each access to memory. The tree is that of Cormen,
// Leiserson, Rivest and Stein, Introduction to Algorithms, chapter 13, with links that may be null
// instead of a sentinel, to which every removal would write.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace qdadvise::optimistic {

using Word = std::uint64_t;

/// A tree of keys 1 to `keys`. Each key has a node of its own, so that operations do not allocate.
/// All accesses are to words, by `Memory::read(place)` and `Memory::write(place, value)`.
template <typename Memory> class Tree {
public:
  /// With `counts`, the tree knows how many keys it has, as standard containers do.
  Tree(std::size_t keys, bool counts, Memory &memory)
      : memory(memory), counts(counts), nodes(keys + 1) {}
  Tree(const Tree &) = delete;
  Tree &operator=(const Tree &) = delete;

  bool contains(Word key) {
    Word node = get(root);
    while (node != none) {
      const Word here = get(at(node).key);
      if (here == key)
        return true;
      node = get(at(node).child[key > here]);
    }
    return false;
  }

  bool insert(Word key) {
    Word parent = none, here = 0;
    for (Word node = get(root); node != none; node = get(at(node).child[key > here])) {
      here = get(at(node).key);
      if (here == key)
        return false;
      parent = node;
    }
    Node &node = at(key);
    set(node.key, key);
    set(node.child[0], none);
    set(node.child[1], none);
    set(node.parent, parent);
    set(node.red, 1);
    set(parent == none ? root : at(parent).child[key > here], key);
    afterInsertion(key);
    if (counts)
      set(size, get(size) + 1);
    return true;
  }

  bool erase(Word key) {
    Word node = get(root);
    while (node != none) {
      const Word here = get(at(node).key);
      if (here == key)
        break;
      node = get(at(node).child[key > here]);
    }
    if (node == none)
      return false;
    const Word left = get(at(node).child[0]), right = get(at(node).child[1]);
    Word child, parent; // what moves up, and below which node
    bool wasRed;
    if (left == none || right == none) {
      child = left == none ? right : left;
      parent = get(at(node).parent);
      wasRed = isRed(node);
      replace(node, child);
    } else {
      Word next = right;
      for (Word lower; (lower = get(at(next).child[0])) != none;)
        next = lower;
      child = get(at(next).child[1]);
      wasRed = isRed(next);
      parent = next;
      if (next != right) {
        parent = get(at(next).parent);
        replace(next, child);
        link(next, 1, right);
      }
      replace(node, next);
      link(next, 0, left);
      set(at(next).red, get(at(node).red));
    }
    if (!wasRed)
      afterRemoval(child, parent);
    if (counts)
      set(size, get(size) - 1);
    return true;
  }

  /// Whether it is a valid red-black tree: ordered, without a red node below a red one, and with as
  /// many black nodes on every way down. For tests.
  bool isValid() { return !isRed(get(root)) && blackHeight(get(root), 0, nodes.size()) >= 0; }

private:
  static constexpr Word none = 0;
  struct alignas(64) Node {
    Word key = 0, child[2] = {none, none}, parent = none, red = 0;
  };

  Node &at(Word node) { return nodes[node]; }
  Word get(const Word &place) { return memory.read(place); }
  void set(Word &place, Word value) { memory.write(place, value); }
  bool isRed(Word node) { return node != none && get(at(node).red) != 0; }

  void link(Word parent, int side, Word child) {
    set(at(parent).child[side], child);
    set(at(child).parent, parent);
  }

  void replace(Word node, Word by) {
    const Word parent = get(at(node).parent);
    if (parent == none)
      set(root, by);
    else
      set(at(parent).child[get(at(parent).child[1]) == node], by);
    if (by != none)
      set(at(by).parent, parent);
  }

  /// Rotates down to `side`; the child on the other side comes up.
  void rotate(Word node, int side) {
    const Word up = get(at(node).child[!side]);
    const Word inner = get(at(up).child[side]);
    replace(node, up);
    set(at(node).child[!side], inner);
    if (inner != none)
      set(at(inner).parent, node);
    link(up, side, node);
  }

  void afterInsertion(Word node) {
    Word parent;
    while (isRed(parent = get(at(node).parent))) {
      const Word above = get(at(parent).parent);
      const int side = get(at(above).child[1]) == parent;
      const Word uncle = get(at(above).child[!side]);
      if (isRed(uncle)) {
        set(at(parent).red, 0);
        set(at(uncle).red, 0);
        set(at(above).red, 1);
        node = above;
        continue;
      }
      if (get(at(parent).child[!side]) == node) {
        rotate(parent, side);
        parent = node;
      }
      set(at(parent).red, 0);
      set(at(above).red, 1);
      rotate(above, !side);
      return;
    }
    if (parent == none)
      set(at(node).red, 0);
  }

  /// Repairs the tree where the ways through `node` (which may be none) below `parent` lack a black
  /// node.
  void afterRemoval(Word node, Word parent) {
    while (parent != none && !isRed(node)) {
      const int side = get(at(parent).child[1]) == node;
      Word sibling = get(at(parent).child[!side]);
      if (isRed(sibling)) {
        set(at(sibling).red, 0);
        set(at(parent).red, 1);
        rotate(parent, side);
        sibling = get(at(parent).child[!side]);
      }
      const Word near = get(at(sibling).child[side]), far = get(at(sibling).child[!side]);
      const bool farIsRed = isRed(far);
      if (!farIsRed && !isRed(near)) {
        set(at(sibling).red, 1);
        node = parent;
        parent = get(at(node).parent);
        continue;
      }
      if (farIsRed) {
        set(at(far).red, 0);
      } else {
        rotate(sibling, !side);
        sibling = near;
      }
      set(at(sibling).red, get(at(parent).red));
      set(at(parent).red, 0);
      rotate(parent, side);
      return;
    }
    if (node != none && isRed(node))
      set(at(node).red, 0);
  }

  /// The black height; -1 where the tree is not valid. Keys must lie between `low` and `high`.
  int blackHeight(Word node, Word low, Word high) {
    if (node == none)
      return 0;
    const Word key = get(at(node).key), left = get(at(node).child[0]),
               right = get(at(node).child[1]);
    if (key != node || key <= low || key >= high || (isRed(node) && (isRed(left) || isRed(right))))
      return -1;
    const int below = blackHeight(left, low, key);
    if (below < 0 || below != blackHeight(right, key, high))
      return -1;
    return below + (isRed(node) ? 0 : 1);
  }

  Memory &memory;
  const bool counts;
  std::vector<Node> nodes; ///< by key; the first stands for no node
  alignas(64) Word root = none;
  alignas(64) Word size = 0;
};

/// The operations of threads on a tree. Keys are drawn evenly, and half of the updates insert, so
/// that half of the keys are in the tree.
struct Mix {
  std::size_t keys = 1024;
  double updates = 0.2;  ///< the share of operations that insert or erase
  unsigned together = 1; ///< keys in an operation, which looks up, inserts or erases all of them
  bool counts = false;
};

/// Reads the four arguments of a command.
inline Mix mixOf(char **arguments) {
  return {std::strtoull(arguments[0], nullptr, 10), std::atof(arguments[1]),
          static_cast<unsigned>(std::atoi(arguments[2])), std::atoi(arguments[3]) != 0};
}

enum Kind : std::uint32_t { look, insert, erase, kinds };

inline constexpr unsigned mostTogether = 8;

struct Operation {
  Kind kind = look;
  unsigned count = 0; ///< the number of keys
  std::array<Word, mostTogether> keys{};
};

class Operations {
public:
  Operations(const Mix &mix, std::uint64_t seed) : mix(mix), random(seed) {
    operation.count = std::clamp(mix.together, 1u, mostTogether);
  }
  const Operation &next() {
    const double what = share();
    operation.kind = what >= mix.updates ? look : what >= mix.updates / 2 ? insert : erase;
    for (unsigned i = 0; i != operation.count; ++i)
      operation.keys[i] = 1 + random() % mix.keys;
    return operation;
  }
  double share() { return static_cast<double>(random() >> 11) * 0x1p-53; } ///< in [0, 1)

private:
  Mix mix;
  std::mt19937_64 random;
  Operation operation;
};

/// Executes an operation. Returns how many of its keys it found, inserted or erased.
template <typename Memory> unsigned apply(Tree<Memory> &tree, const Operation &operation) {
  unsigned done = 0;
  for (unsigned i = 0; i != operation.count; ++i) {
    const Word key = operation.keys[i];
    done += operation.kind == insert  ? tree.insert(key)
            : operation.kind == erase ? tree.erase(key)
                                      : tree.contains(key);
  }
  return done;
}

/// Inserts every second key, in random order.
template <typename Memory> void fill(Tree<Memory> &tree, const Mix &mix) {
  std::mt19937_64 random(1);
  std::vector<Word> keys;
  for (Word key = 1; key <= mix.keys; key += 2)
    keys.push_back(key);
  for (std::size_t i = keys.size(); i > 1; --i)
    std::swap(keys[i - 1], keys[random() % i]);
  for (const Word key : keys)
    tree.insert(key);
}

} // namespace qdadvise::optimistic
