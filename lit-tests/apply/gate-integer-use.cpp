// The integer has to be one everywhere. A gate that does not know says no.
// RUN: %rewrite --refused --kind atomic %s | FileCheck %s
// CHECK: countLock {{.*}} refused
// CHECK-NEXT: integer-use: an integer of its sections is used as an atomic cannot be ('count'), and in 1 other place
// CHECK: packedLock {{.*}} refused
// CHECK-NEXT: declaration: {{.*}} ('Packet::length': it is packed)
// CHECK: pairLock {{.*}} refused
// CHECK-NEXT: declaration: {{.*}} ('left': several names in one declaration)
// CHECK: skippedLock {{.*}} refused
// CHECK-NEXT: inactive-code: {{.*}} ('skipped')
// CHECK: 0 changed, 4 refused
#include <algorithm>
#include <mutex>

std::mutex countLock;
int count;
void add() {
  std::lock_guard<std::mutex> guard(countLock);
  ++count;
}

std::mutex pairLock;
int left, right;
void step() {
  std::lock_guard<std::mutex> guard(pairLock);
  ++left;
}

std::mutex packedLock;
struct __attribute__((packed)) Packet {
  char kind;
  int length;
};
void grow(Packet &packet) {
  std::lock_guard<std::mutex> guard(packedLock);
  ++packet.length;
}

std::mutex skippedLock;
int skipped;
void skip() {
  std::lock_guard<std::mutex> guard(skippedLock);
  ++skipped;
}
int *address() { return &count; }
int greatest() { return std::max(count, 1); }
#ifdef ELSEWHERE
int *elsewhere() { return &skipped; }
#endif
