// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small in-memory key-value server with its own load. Clients have sent their
// requests already: each connection is a buffer of lines such as `set k17 v3`
// and `get k17`. Worker threads take connections from the accept queue, answer
// every request and check the answers at the end.
//
//   kvstore [--threads N] [--requests N]
//
// Three locks, as in many servers: the queue's, the index's and the journal's. How
// much a request does outside and inside them is fixed by the constants below, in
// rounds of one to two nanoseconds.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

#ifndef KV_PROTOCOL_ROUNDS
#define KV_PROTOCOL_ROUNDS 1400
#endif
#ifndef KV_ACCEPT_ROUNDS
#define KV_ACCEPT_ROUNDS 200
#endif
#ifndef KV_INDEX_ROUNDS
#define KV_INDEX_ROUNDS 240
#endif
#ifndef KV_JOURNAL_ROUNDS
#define KV_JOURNAL_ROUNDS 960
#endif
/// Decoding a request and encoding its reply, outside any lock.
constexpr int protocolRounds = KV_PROTOCOL_ROUNDS;
/// Accepting a connection, under the queue's lock.
constexpr int acceptRounds = KV_ACCEPT_ROUNDS;
/// Finding a key and copying its value, under the index's lock.
constexpr int indexRounds = KV_INDEX_ROUNDS;
/// Appending a write to the journal, under the journal's lock.
constexpr int journalRounds = KV_JOURNAL_ROUNDS;

#ifndef KV_REQUESTS_PER_CONNECTION
#define KV_REQUESTS_PER_CONNECTION 64
#endif
constexpr int requestsPerConnection = KV_REQUESTS_PER_CONNECTION;
constexpr int keys = 4096;

/// A fixed amount of work that the compiler cannot shorten: each round needs the last.
std::uint64_t churn(std::uint64_t seed, int rounds) {
  for (int round = 0; round < rounds; ++round)
    seed = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9u;
  return seed;
}

/// What a client has sent, and what it has been answered.
struct Connection {
  std::string requests;
  std::uint64_t written = 0, found = 0, checksum = 0;
};

/// Connections that wait for a worker.
class ConnectionQueue {
public:
  explicit ConnectionQueue(std::vector<Connection> &connections) {
    for (Connection &connection : connections)
      waiting_.push_back(&connection);
  }

  /// The oldest connection; null when none is left.
  Connection *pop() {
    std::unique_lock<std::mutex> guard(lock_);
    if (waiting_.empty())
      return nullptr;
    Connection *connection = waiting_.front();
    waiting_.pop_front();
    connection->checksum = churn(connection->requests.size(), acceptRounds);
    return connection;
  }

private:
  std::mutex lock_;
  std::deque<Connection *> waiting_;
};

/// The keys and their values.
class Index {
public:
  Index() : values_(keys) {}

  void set(std::uint32_t key, std::uint64_t value) {
    std::lock_guard<std::mutex> guard(lock_);
    values_[key % keys] = {value, churn(value + 1, indexRounds)};
  }

  bool get(std::uint32_t key, std::uint64_t &value) {
    std::lock_guard<std::mutex> guard(lock_);
    const Entry &entry = values_[key % keys];
    value = entry.value;
    return churn(value + 1, indexRounds) == entry.checksum;
  }

private:
  struct Entry {
    std::uint64_t value = 0;
    std::uint64_t checksum = churn(1, indexRounds);
  };
  std::mutex lock_;
  std::vector<Entry> values_;
};

/// Every write, in order, with a checksum over all before it.
class Journal {
public:
  Journal() { pthread_mutex_init(&lock_, nullptr); }
  ~Journal() { pthread_mutex_destroy(&lock_); }
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  void append(std::uint32_t key, std::uint64_t value) {
    pthread_mutex_lock(&lock_);
    checksum_ = churn(checksum_ + key + value, journalRounds);
    records_.push_back({key, value, checksum_});
    pthread_mutex_unlock(&lock_);
  }

  /// For the main thread, when the workers are gone.
  std::size_t size() const { return records_.size(); }

private:
  struct Record {
    std::uint32_t key;
    std::uint64_t value, checksum;
  };
  pthread_mutex_t lock_;
  std::vector<Record> records_;
  std::uint64_t checksum_ = 1;
};

class Server {
public:
  explicit Server(std::vector<Connection> &connections) : queue_(connections) {}
  const Journal &journal() const { return journal_; }

  /// One worker's life: until no connection is left.
  void work() {
    while (Connection *connection = queue_.pop())
      serve(*connection);
  }

private:
  void serve(Connection &connection) {
    std::string_view rest = connection.requests;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      answer(rest.substr(0, end), connection);
      rest.remove_prefix(end + 1);
    }
  }

  /// `get k<number>` or `set k<number> v<number>`.
  void answer(std::string_view line, Connection &connection) {
    std::uint32_t key = 0;
    const char *after = std::from_chars(line.data() + 5, line.data() + line.size(), key).ptr;
    std::uint64_t value = 0;
    connection.checksum += churn(key + 1, protocolRounds);
    if (line.front() == 's') {
      std::from_chars(after + 2, line.data() + line.size(), value);
      index_.set(key, value);
      journal_.append(key, value);
      ++connection.written;
    } else {
      connection.found += index_.get(key, value);
    }
  }

  ConnectionQueue queue_;
  Index index_;
  Journal journal_;
};

/// Three reads to a write, the same load in every run.
std::vector<Connection> clients(int requests) {
  std::vector<Connection> connections;
  std::uint64_t random = 1;
  for (int request = 0; request < requests; ++request) {
    if (request % requestsPerConnection == 0)
      connections.emplace_back();
    random = churn(random + 1, 3);
    const std::string key = 'k' + std::to_string(random % keys);
    const bool write = random >> 62 == 0;
    connections.back().requests +=
        write ? "set " + key + " v" + std::to_string(random >> 40) + '\n' : "get " + key + '\n';
  }
  return connections;
}

struct Options {
  int threads = 1, requests = 256000;
};

/// False where an option is not one of ours, or its value no positive number.
bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    int *value = name == "--threads"    ? &options.threads
                 : name == "--requests" ? &options.requests
                                        : nullptr;
    if (!value || i + 1 == argc)
      return false;
    const char *end = argv[i + 1] + std::strlen(argv[i + 1]);
    if (std::from_chars(argv[i + 1], end, *value).ptr != end || *value < 1)
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: kvstore [--threads N] [--requests N]\n");
    return 2;
  }
  std::vector<Connection> connections = clients(options.requests);
  Server server(connections);

  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (int worker = 0; worker < options.threads; ++worker)
    workers.emplace_back(&Server::work, &server);
  for (std::thread &worker : workers)
    worker.join();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;

  std::uint64_t written = 0, found = 0;
  for (const Connection &connection : connections) {
    written += connection.written;
    found += connection.found;
  }
  std::printf("%d worker%s: %d requests in %.3f s\n", options.threads,
              options.threads == 1 ? "" : "s", options.requests, taken.count());
  const bool right = written + found == static_cast<std::uint64_t>(options.requests) &&
                     server.journal().size() == written;
  if (!right)
    std::fprintf(stderr, "kvstore: some requests were answered wrongly\n");
  return right ? 0 : 1;
}
