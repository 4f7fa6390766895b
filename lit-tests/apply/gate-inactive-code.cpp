// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: gate-inactive-code.cpp:[[# @LINE + 8]]:15: inactive-code: its name is in code that this configuration leaves out ('lock'), and in 1 other place
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
void take() { std::lock_guard<std::mutex> guard(lock); }
#ifdef NEVER
void more() { lock.lock(), lock.unlock(); }
#endif
