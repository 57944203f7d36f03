// The names that the examples of the public headers use and do not declare: those of all headers, and then, in a namespace for
// each header, those of this header alone. Only declared: examples_test.py compiles the examples, and links nothing.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
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
#include <utility>
#include <vector>

#include <blitz/adaptor/calls.hpp>
#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>
#include <blitz/version.hpp>

namespace examples {

struct Person {
  std::string name, city;
  int age;
};
struct Item {};
struct Part {
  bool load();
};

extern std::vector<double> numbers, v, samples;
extern std::vector<std::string> words;
extern std::vector<Person> people;
extern std::vector<Item> items;
extern std::stop_token token;
extern blitz::ThreadPool pool;
extern int n;
void work_on(const Item& item);

namespace adjacent_difference {
extern std::vector<double> timestamps, gaps;
}
namespace async_handle {
void do_something_else();
}
namespace calls {
struct Node {};
extern std::vector<Node> nodes;
void work_on(Node& node);
}  // namespace calls
namespace compare {
extern std::vector<int> found, expected;
}
namespace copy {
extern std::vector<unsigned char> frame, buffer;
}
namespace copy_if {
extern std::vector<std::string> others;
extern std::vector<double> rest;
}  // namespace copy_if
namespace coroutine {
int compute();
}
namespace current_pool {
struct Result {};
extern std::vector<int> calls_of;
}  // namespace current_pool
namespace fill {
extern std::vector<int> order;
}
namespace for_each {
struct Job {
  void start();
};
extern std::vector<Job> jobs;
}  // namespace for_each
namespace from {
extern std::list<int> list;
int costly(int x);
}  // namespace from
namespace group_by {
void count(std::size_t size);
void print(const std::string& city, std::size_t size);
void visit(const Person& person);
}  // namespace group_by
namespace isolate {
extern std::mutex mutex;
extern std::vector<int> table;
void update(int& entry);
}  // namespace isolate
namespace join {
extern bool copied, prefetch;
extern const double *first, *middle, *last;
double sum(const double* from, const double* to);
void sort_names();
void sort_dates();
void sort_sizes();
}  // namespace join
namespace join_all {
int ask_anna();
int ask_bert();
int ask_carl();
}  // namespace join_all
namespace merge {
extern std::vector<int> mine, yours, ours, items, added;
}
namespace min_max {
struct Offer {
  double price;
};
extern std::vector<Offer> offers;
}  // namespace min_max
namespace parallel_for {
extern std::vector<int> squares;
bool matches(const Item& item);
void filter(double* samples, std::size_t count);
}  // namespace parallel_for
namespace parallel_for_each {
struct Node {
  std::vector<Node*> children;
};
using Vertex = std::size_t;
extern std::vector<Node*> roots;
extern std::vector<std::vector<Vertex>> graph;
extern Vertex start;
}  // namespace parallel_for_each
namespace parallel_for_tiles {
struct Image {
  std::size_t rows() const;
  std::size_t cols() const;
  double& operator()(std::size_t row, std::size_t col);
  double& operator[](std::size_t i);
};
extern Image image, in, out;
extern std::size_t rows, cols;
}  // namespace parallel_for_tiles
namespace parallel_reduce {
double kernel(const double* samples, std::size_t count);
}
namespace partition {
struct Worker {
  bool busy;
};
struct Task {
  bool urgent;
};
extern std::vector<Worker> workers;
extern std::vector<Task> tasks;
extern std::vector<int> numbers, even, odd;
}  // namespace partition
namespace permute {
extern std::vector<int> cards;
}
namespace pipeline {
struct Counts : std::map<std::string_view, int> {
  void merge_with(const Counts& other);
};
extern std::vector<double> a, b;
extern const std::string text;
std::vector<std::string_view> words_of(std::string_view line);
}  // namespace pipeline
namespace policy {
extern blitz::policy::Job *job, *top;
extern std::mutex mutex;
}  // namespace policy
namespace reduce {
struct File {
  std::size_t size;
};
extern std::vector<double> prices;
extern std::vector<int> lengths;
extern std::vector<File> files;
}  // namespace reduce
namespace reduce_by_key {
extern std::vector<std::string> different_words;
extern std::vector<int> ones, counts;
}  // namespace reduce_by_key
namespace remove {
struct Particle {
  double energy;
};
extern std::vector<Particle> particles;
extern double threshold;
}  // namespace remove
namespace scan {
extern std::vector<std::size_t> sizes, begins, ends;
}
namespace scope {
extern std::vector<Part> parts;
}
namespace sender {
struct Receiver {
  void set_value(auto&&...) && noexcept;
  void set_error(std::exception_ptr error) && noexcept;
  void set_stopped() && noexcept;
};
extern Receiver receiver;
extern blitz::PoolScheduler scheduler;
}  // namespace sender
namespace set_operations {
extern std::vector<std::string> known_words;
extern std::vector<int> a, b, all, common, done, left, before, after, changed;
}  // namespace set_operations
namespace sort {
extern std::vector<int> scores;
}
namespace spawn {
struct Message {};
extern std::vector<std::size_t> seeds;
extern std::size_t seed;
extern std::string request;
extern std::vector<Message> inbox;
void answer(const std::string& request);
void deliver(const Message& message);
void warm_up_cache(std::size_t worker);
}  // namespace spawn
namespace stable_sort {
struct Path {};
long checksum(const Path& file);
extern std::vector<double> distances;
extern std::vector<std::string> cities;
extern std::vector<Path> files;
}  // namespace stable_sort
namespace stats {
extern blitz::WorkerStats total;
extern blitz::ThreadPoolStats stats;
extern std::size_t i;
}  // namespace stats
namespace task_group {
struct Node {
  std::vector<Node> children;
};
extern Node root;
void work_on(Node& node);
}  // namespace task_group
namespace text {
extern std::string_view row, text;
}
namespace transform {
extern std::vector<double> prices, amounts, totals;
}
namespace tree {
struct Folder {
  std::vector<const Folder*> folders;
};
extern const Folder* root;
long sum_of_range(std::pair<int, int> range);
}  // namespace tree
namespace uninitialized {
extern double* memory;
}
namespace unique {
extern std::vector<std::string> names;
extern std::vector<int> sorted, kinds;
}  // namespace unique
namespace worker_local {
extern blitz::worker_local<std::vector<char>> buffers;
extern std::vector<int> all;
bool is_good(int x);
}  // namespace worker_local
namespace yield {
extern std::atomic<bool> ready;
}

}  // namespace examples
