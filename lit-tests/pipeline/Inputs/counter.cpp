#include <mutex>
#include <thread>

class Counter {
public:
  void add(long value) {
    std::lock_guard<std::mutex> guard(lock_);
    for (int i = 0; i < 2000; ++i)
      sum_ = sum_ + value;
  }

private:
  std::mutex lock_;
  volatile long sum_ = 0;
};

int main() {
  Counter counter;
  std::thread thread([&] {
    for (int i = 0; i < 200000; ++i)
      counter.add(i);
  });
  thread.join();
}
