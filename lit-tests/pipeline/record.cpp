// From an instrumented program to its profile, its report and its network, in both hook
// modes. The critical sections are counted, so every number below is exact.
//
// RUN: %clangxx --config=%cfgdir/profile.cfg -std=c++17 -O2 -pthread %s -o %t
// RUN: %qdadvise record -o %t.qdprof -- %t 2> %t.err
// RUN: FileCheck %s --check-prefix=RECORD < %t.err
// RUN: %qdadvise report %t.qdprof | FileCheck %s --check-prefix=REPORT -DHOOKS=patch
// RUN: %qdadvise report --format json %t.qdprof | FileCheck %s --check-prefix=JSON
// RUN: %qdadvise show %t.qdprof -o %t.toml 2> %t.err
// RUN: FileCheck %s --check-prefix=NOTES < %t.err
// RUN: FileCheck %s --check-prefix=SHOW < %t.toml
// RUN: %qdadvise predict --network %t.toml --threads 1,4 --kind pthread_mutex
//
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -std=c++17 -O0 -pthread %s -o %t
// RUN: %qdadvise record -o %t.qdprof -- %t 2> %t.err
// RUN: %qdadvise report %t.qdprof | FileCheck %s --check-prefix=REPORT -DHOOKS=call
// RUN: %qdadvise report --format json %t.qdprof | FileCheck %s --check-prefix=JSON
// RUN: %qdadvise show %t.qdprof | FileCheck %s --check-prefix=SHOW
//
// What is damaged is refused in one line.
// RUN: head -c 900 %t.qdprof > %t.cut
// RUN: sh -c '%qdadvise report %t.cut 2> %t.err; test $? = 2'
// RUN: FileCheck %s --check-prefix=CUT < %t.err
// CUT: qdadvise: error: {{.*}}.cut: its header says {{[0-9]+}} bytes, the file has 900: it was cut short; record again
//
// RECORD: qdadvise: recorded record.cpp.tmp (pid {{[0-9]+}}): {{[0-9.]+}} s, 2 threads
// RECORD-NEXT: 3 critical sections at 2 locks; {{[0-9]+}} events of {{.*}} each, taken out
// RECORD-NEXT: busiest lock: Table::lock
// RECORD: profile: {{.*}}.qdprof; see `qdadvise report
//
// REPORT: Hooks ([[HOOKS]]): {{[0-9]+}} events
// REPORT: UTIL CON MEAN( MAX) MEAN( MAX) TOTAL SPIN file:line function
// REPORT: 3000 0 Table::lock
// REPORT-DAG: 2000 0 record.cpp:{{[0-9]+}} get
// REPORT-DAG: 1000 0 record.cpp:{{[0-9]+}} put
// REPORT: 1000 0 logLock
// REPORT: Not executed: 1 critical section
// REPORT-NEXT: record.cpp:{{[0-9]+}} Table::drop
//
// JSON: "program": "record.cpp.tmp"
// JSON: "name": "Table::lock"
// JSON: "type": "std::mutex"
// JSON: "kind": "pthread_mutex"
// JSON: "acquisitions": 3000
//
// NOTES: qdadvise: note: machine: {{.*}} assumed)
// NOTES: qdadvise: note: thread classes that take the threads of --threads:
//
// SHOW: name = "Table::lock"
// SHOW: name = "Table::get:[[#]]"
// SHOW: name = "Table::put:[[#]]"
// SHOW: inside = "Table::put:
// SHOW: visits = 1.0

#include <mutex>
#include <thread>

std::mutex logLock;
volatile int sink;

static void work(int rounds) {
  for (int i = 0; i < rounds; ++i)
    sink = sink + 1;
}

struct Table {
  std::mutex lock;
  void get() {
    std::lock_guard<std::mutex> guard(lock);
    work(300);
  }
  void put() {
    std::lock_guard<std::mutex> guard(lock);
    work(500);
    std::lock_guard<std::mutex> logGuard(logLock);
    work(5);
  }
  void drop() {
    std::lock_guard<std::mutex> guard(lock);
    sink = 0;
  }
};

static void serve(Table *table) {
  for (int i = 0; i < 1000; ++i) {
    table->get();
    work(1000);
    table->put();
    work(1000);
    table->get();
    work(1000);
  }
}

int main(int argc, char **) {
  Table table;
  std::thread worker(serve, &table);
  worker.join();
  if (argc > 5)
    table.drop();
  return 0;
}
