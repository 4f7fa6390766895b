#include <mutex>
#include <pthread.h>

// Texts before a site count in UTF-16 and in bytes: äöü€𝄞.
#define LOCKED(m) std::lock_guard<std::mutex> guard(m)

struct Table {
  std::mutex lock_;
  pthread_mutex_t raw_ = PTHREAD_MUTEX_INITIALIZER;
  int values_[4] = {};

  void set(int i) {
    /* äöü€𝄞 */ std::lock_guard<std::mutex> guard(lock_);
    values_[i]++;
    values_[0] += i;
  }
  int get(int i) {
    std::lock_guard<std::mutex> guard(lock_);
    return values_[i];
  }
  void macro() {
    LOCKED(lock_);
    values_[1]++;
  }
  void plain() {
    pthread_mutex_lock(&raw_);
    values_[2]++;
    pthread_mutex_unlock(&raw_);
  }
  void changed() {
    pthread_mutex_lock(&raw_);
    values_[3]++;
    pthread_mutex_unlock(&raw_);
  }
  void settled() {
    // qdadvise: keep (one thread only)
    pthread_mutex_lock(&raw_);
    pthread_mutex_unlock(&raw_);
  }
};

template <typename T> void each(T &table) {
  std::lock_guard<std::mutex> guard(table.lock_);
  table.values_[0]++;
}

struct Kept {
  std::mutex lock_;
  int count = 0;
  void add() {
    std::lock_guard<std::mutex> guard(lock_);
    count++;
  }
};

int main() {
  Table table;
  Kept kept;
  table.set(1);
  each(table);
  kept.add();
  return table.get(1);
}
