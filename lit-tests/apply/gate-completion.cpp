// With --detached nobody waits for an operation of which it is proven that nothing depends on its
// completion. For the others it is told why they are waited for.
// RUN: %rewrite --kind qd --detached %s | FileCheck %s
// CHECK: Account::lock_ {{.*}}; 0 of 1 operation detached{{$}}
// CHECK-NEXT: completion: what follows a section may depend on its completion (it follows a pointer)
// CHECK: callsLock {{.*}}; 0 of 1 operation detached{{$}}
// CHECK-NEXT: completion: {{.*}} (it calls something, or may)
// CHECK: escapesLock {{.*}}; 0 of 1 operation detached{{$}}
// CHECK-NEXT: completion: {{.*}} ('known' is not only read and written)
// CHECK: innerLock {{.*}}; 0 of 2 operations detached{{$}}
// CHECK-NEXT: completion: {{.*}} ('inner' is used without the lock), and in 1 other place
// CHECK: seenLock {{.*}}; 1 of 2 operations detached{{$}}
// CHECK-NEXT: completion: {{.*}} (its value is returned)
// CHECK: skippedLock {{.*}}; 0 of 1 operation detached{{$}}
// CHECK-NEXT: completion: {{.*}} ('skipped' is named in code that was not compiled)
// CHECK: sumLock {{.*}}; 2 of 5 operations detached{{$}}
// CHECK-NEXT: completion: {{.*}} ('out' may be seen by others), and in 2 other places
// CHECK: +  sumLock.delegate_detached([=] {
// CHECK: +  sumLock.delegate_detached([] {
// CHECK: +  sumLock.delegate([&] {
// CHECK: +  return sumLock.delegate([&] {
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <functional>
#include <mutex>
#include <thread>

constexpr int size = 4;
std::mutex sumLock;
static long sums[size];
static struct {
  int adds;
} total;

void add(int by) {
  std::lock_guard<std::mutex> guard(sumLock);
  for (int i = 0; i < size; ++i)
    sums[i] += by;
  ++total.adds;
}
void halve() {
  sumLock.lock();
  total.adds = total.adds > 0 ? total.adds : 0;
  sumLock.unlock();
}
void count(long &out) {
  std::lock_guard<std::mutex> guard(sumLock);
  out = total.adds;
}
void left(int by) {
  std::lock_guard<std::mutex> guard(sumLock);
  --by;
  sums[0] += by - by;
}
long sum(int which) {
  std::lock_guard<std::mutex> guard(sumLock);
  return sums[which];
}

std::mutex callsLock;
int called;
inline int one() { return 1; }
void call() {
  std::lock_guard<std::mutex> guard(callsLock);
  called += one();
}

std::mutex escapesLock;
int known;
int *everybody() { return &known; }
void escape() {
  std::lock_guard<std::mutex> guard(escapesLock);
  ++known;
}

std::mutex seenLock;
int seen;
void see() {
  std::lock_guard<std::mutex> guard(seenLock);
  ++seen;
}
int seenNow() {
  std::lock_guard<std::mutex> guard(seenLock);
  return seen;
}

// A function of its own is no part of the section that it stands in.
std::mutex innerLock;
int inner;
std::function<int()> later;
void raise() {
  std::lock_guard<std::mutex> guard(innerLock);
  ++inner;
}
void keep() {
  std::lock_guard<std::mutex> guard(innerLock);
  later = [] { return inner; };
}

std::mutex skippedLock;
int skipped;
void skip() {
  std::lock_guard<std::mutex> guard(skippedLock);
  ++skipped;
}
#ifdef ELSEWHERE
int look() { return skipped; }
#endif

class Account {
public:
  void pay() {
    std::lock_guard<std::mutex> guard(lock_);
    ++paid_;
  }

private:
  std::mutex lock_;
  int paid_ = 0;
} account;

void work() {
  long now = 0;
  for (int i = 0; i < 1000; ++i) {
    add(2);
    halve();
    count(now);
    left(1);
    call();
    escape();
    see();
    raise();
    skip();
    account.pay();
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  keep();
  long adds = 0;
  count(adds);
  return sum(0) == 4000 && sum(3) == 4000 && adds == 2000 && seenNow() == 2000 && later() == 2000
             ? 0
             : 1;
}
