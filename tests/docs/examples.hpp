// The names that the examples of the public headers use without declaring them: first the names for all headers, then the names
// for each header in a separate namespace. A function `meanwhile` runs on another thread while an example of its header runs.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <latch>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <blitz/adaptor/calls.hpp>
#include <blitz/algorithm.hpp>
#include <blitz/fork_join.hpp>
#include <blitz/pipeline.hpp>
#include <blitz/version.hpp>

namespace examples {

struct Person {
  std::string name, city;
  int age;
};
struct Item {};
struct Part {
  bool load() { return true; }
};

inline std::vector<double> numbers{3, 0, -1, 4, 0, 2}, v(1000, 1.5), samples(1000, 0.5);
inline std::vector<std::string> words{"a", "b", "b", "cc"};
inline std::vector<Person> people{{"Grace", "Arlington", 85}, {"Ada", "London", 36}, {"Alan", "London", 41}};
inline std::vector<Item> items(100);
inline std::stop_token token;
inline blitz::ThreadPool pool;
inline int n = 1000;
inline void work_on(const Item& /*item*/) {}

namespace adjacent_difference {
inline std::vector<double> timestamps(1000, 1), gaps(1000);
}
namespace async_handle {
inline void do_something_else() {}
}  // namespace async_handle
namespace calls {
struct Node {};
inline std::vector<Node> nodes(10);
inline void work_on(Node& /*node*/) {}
}  // namespace calls
namespace compare {
inline std::vector<int> found(1000), expected(1000);
}
namespace copy {
inline std::vector<unsigned char> frame(1000), buffer(1000);
}
namespace copy_if {
inline std::vector<std::string> others(words.size());
inline std::vector<double> rest(numbers.size());
}  // namespace copy_if
namespace coroutine {
inline int n = 10;
inline int compute() { return 42; }
}  // namespace coroutine
namespace current_pool {
struct Result {};
inline std::vector<int> calls_of(64);
}  // namespace current_pool
namespace fill {
inline std::vector<int> order(1000);
}
namespace for_each {
struct Job {
  void start() {}
};
inline std::vector<Job> jobs(10);
}  // namespace for_each
namespace from {
inline std::list<int> list(100, 1);
inline int costly(int x) { return x; }
}  // namespace from
namespace group_by {
inline void count(std::size_t /*size*/) {}
inline void print(const std::string& /*city*/, std::size_t /*size*/) {}
inline void visit(const Person& /*person*/) {}
}  // namespace group_by
namespace isolate {
inline std::mutex mutex;
inline std::vector<int> table(16);
inline void update(int& entry) {
  std::this_thread::sleep_for(std::chrono::microseconds(20));
  ++entry;
}
/// Loops with items that take the same lock.
inline void meanwhile() {
  for (int round = 0; round < 20; ++round) {
    blitz::parallel_for(0, 16, [](int) {
      const std::lock_guard lock(mutex);
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    });
  }
}
}  // namespace isolate
namespace join {
inline bool copied, prefetch;
inline const double *first = samples.data(), *middle = first + 500, *last = first + 1000;
inline double sum(const double* from, const double* to) { return std::accumulate(from, to, 0.0); }
inline void sort_names() {}
inline void sort_dates() {}
inline void sort_sizes() {}
}  // namespace join
namespace join_all {
inline int ask_anna() { return 1; }
inline int ask_bert() { return 2; }
inline int ask_carl() { return 3; }
}  // namespace join_all
namespace merge {
inline std::vector<int> mine{1, 3}, yours{2, 4}, ours(4), items{1, 5}, added{3, 2};
}
namespace min_max {
struct Offer {
  double price;
};
inline std::vector<Offer> offers{{3}, {1}, {2}};
}  // namespace min_max
namespace parallel_for {
inline std::vector<int> squares(1000);
inline bool matches(const Item& /*item*/) { return true; }
inline void filter(double* /*samples*/, std::size_t /*count*/) {}
}  // namespace parallel_for
namespace parallel_for_each {
struct Node {
  std::vector<Node*> children;
};
using Vertex = std::size_t;
inline Node leaf, tree{{&leaf, &leaf}};
inline std::vector<Node*> roots{&tree};
inline std::vector<std::vector<Vertex>> graph{{1, 2}, {2}, {0}};
inline Vertex start = 0;
}  // namespace parallel_for_each
namespace parallel_for_tiles {
inline std::size_t rows = 200, cols = 200;
struct Image {
  std::vector<double> pixels = std::vector<double>(parallel_for_tiles::rows * parallel_for_tiles::cols);
  std::size_t rows() const { return parallel_for_tiles::rows; }
  std::size_t cols() const { return parallel_for_tiles::cols; }
  double& operator()(std::size_t row, std::size_t col) { return pixels[row * cols() + col]; }
  double& operator[](std::size_t i) { return pixels[i]; }
};
inline Image image, in, out;
}  // namespace parallel_for_tiles
namespace parallel_reduce {
inline double kernel(const double* samples, std::size_t count) {
  return std::accumulate(samples, samples + count, 0.0);
}
}  // namespace parallel_reduce
namespace partition {
struct Worker {
  bool busy;
};
struct Task {
  bool urgent;
};
inline std::vector<Worker> workers{{false}, {true}};
inline std::vector<Task> tasks{{false}, {true}};
inline std::vector<int> numbers(100), even(100), odd(100);
}  // namespace partition
namespace permute {
inline std::vector<int> cards(32);
}
namespace par {
struct Counts : std::map<std::string_view, int> {
  void merge_with(const Counts& other) {
    for (const auto& [word, count] : other) (*this)[word] += count;
  }
};
inline std::vector<double> a(1000, 2), b(1000, 3);
inline const std::string text = "many\nlines of\ntext";
inline std::vector<std::string_view> words_of(std::string_view line) { return {line}; }
}  // namespace par
namespace policy {
struct NoJob : blitz::policy::Job {
  NoJob() : Job(nullptr) {}
};
inline NoJob no_job;
inline blitz::policy::Job *job = &no_job, *top;
inline std::mutex mutex;
}  // namespace policy
namespace reduce {
struct File {
  std::size_t size;
};
inline std::vector<double> prices(1000, 2);
inline std::vector<int> lengths(1000, 3);
inline std::vector<File> files(1000);
}  // namespace reduce
namespace reduce_by_key {
inline std::vector<std::string> different_words(words.size());
inline std::vector<int> ones(words.size(), 1), counts(words.size());
}  // namespace reduce_by_key
namespace remove {
struct Particle {
  double energy;
};
inline std::vector<Particle> particles(1000);
inline double threshold = 1;
}  // namespace remove
namespace scan {
inline std::vector<std::size_t> sizes(1000, 1), begins(1000), ends(1000);
}
namespace scope {
inline std::vector<Part> parts(10);
}
namespace sender {
struct Receiver {
  void set_value(auto&&...) && noexcept { done->count_down(); }
  void set_error(std::exception_ptr /*error*/) && noexcept { done->count_down(); }
  void set_stopped() && noexcept { done->count_down(); }
  std::latch* done;
};
inline std::latch done(1);
inline Receiver receiver{&done};
inline blitz::PoolScheduler scheduler(pool);
}  // namespace sender
namespace set_operations {
inline std::vector<std::string> known_words = words;
inline std::vector<int> a{1, 2}, b{2, 3}, all{1, 2, 3, 4}, common(2), done{2}, left(4), before{1}, after{2}, changed(2);
}  // namespace set_operations
namespace sort {
inline std::vector<int> scores(100);
}
namespace spawn {
struct Message {};
inline std::vector<std::size_t> seeds(64);
inline std::size_t seed = 1;
inline std::string request = "a request";
inline std::vector<Message> inbox(10);
inline void answer(const std::string& /*request*/) {}
inline void deliver(const Message& /*message*/) {}
inline void warm_up_cache(std::size_t /*worker*/) {}
}  // namespace spawn
namespace stable_sort {
struct Path {};
inline long checksum(const Path& /*file*/) { return 1; }
inline std::vector<double> distances{3, 1, 2};
inline std::vector<std::string> cities{"c", "a", "b"};
inline std::vector<Path> files(100);
}  // namespace stable_sort
namespace stats {
inline blitz::WorkerStats total;
inline blitz::ThreadPoolStats stats = pool.stats();
inline std::size_t i = 0;
}  // namespace stats
namespace task_group {
struct Node {
  std::vector<Node> children;
};
inline Node root{{Node{}, Node{}}};
inline void work_on(Node& /*node*/) {}
}  // namespace task_group
namespace text {
inline std::string_view row = "1,2,3", text = "many\n\nlines";
}
namespace transform {
inline std::vector<double> prices(1000, 2), amounts(1000, 3), totals(1000);
}
namespace tree {
struct Folder {
  std::vector<const Folder*> folders;
};
inline const Folder leaf{}, top{{&leaf, &leaf}};
inline const Folder* root = &top;
inline long sum_of_range(std::pair<int, int> range) { return range.second - range.first; }
}  // namespace tree
namespace uninitialized {
inline std::vector<double> space(samples.size());
inline double* memory = space.data();
}  // namespace uninitialized
namespace unique {
inline std::vector<std::string> names = words;
inline std::vector<int> sorted{1, 1, 2}, kinds(3);
}  // namespace unique
namespace worker_local {
inline blitz::WorkerLocal<std::vector<char>> buffers(pool);
inline std::vector<int> all;
inline bool is_good(int x) { return x % 3 == 0; }
}  // namespace worker_local
namespace yield {
inline std::atomic<bool> ready;
inline void meanwhile() { ready = true; }
}  // namespace yield

}  // namespace examples
