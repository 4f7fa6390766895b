#include <mutex>

std::mutex lock;
void take() { std::lock_guard<std::mutex> guard(lock); }
