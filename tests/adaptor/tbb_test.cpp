/// oneTBB's names on blitz: the behaviour that programs for oneTBB rely on. The program is compiled only with the stand-ins,
/// and runs with one thread and with several. Also passes when compiled against oneTBB itself.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#define TBB_PREVIEW_BLOCKED_RANGE_ND 1
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1

#include <doctest/doctest.h>
#include <oneapi/tbb.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <tbb/blocked_rangeNd.h>
#include <tbb/parallel_for.h>
#include <tbb/tbb.h>

namespace {

using Range = tbb::blocked_range<std::size_t>;

/// How often each position was visited.
class Visits {
 public:
  explicit Visits(std::size_t count) : counts_(count) {}
  void operator()(std::size_t i) { counts_[i].fetch_add(1, std::memory_order_relaxed); }
  void operator()(const Range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) (*this)(i);
  }
  [[nodiscard]] bool all_once() const {
    return std::all_of(counts_.begin(), counts_.end(), [](const auto& n) { return n == 1; });
  }

 private:
  std::vector<std::atomic<int>> counts_;
};

/// A user-defined range that has no proportional split. It splits at a third.
class Halves {
 public:
  Halves(std::size_t first, std::size_t last) : first_(first), last_(last) {}
  Halves(Halves& whole, tbb::split) : first_(whole.first_ + (whole.last_ - whole.first_) / 3), last_(whole.last_) {
    whole.last_ = first_;
  }
  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] bool is_divisible() const { return last_ - first_ > 7; }
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] std::size_t last() const { return last_; }

 private:
  std::size_t first_;
  std::size_t last_;
};

TEST_CASE("ranges: split the longest side in the middle") {
  Range whole(10, 30, 5);
  CHECK(whole.is_divisible());
  Range right(whole, tbb::split());
  CHECK(whole.begin() == 10);
  CHECK(whole.end() == right.begin());
  CHECK(right.end() == 30);
  CHECK(right.size() == 10);
  CHECK(right.grainsize() == 5);
  CHECK(Range(3, 3).empty());
  CHECK_FALSE(Range(3, 4).is_divisible());

  std::vector<int> v(9);
  tbb::blocked_range<std::vector<int>::iterator> of_iterators(v.begin(), v.end());
  CHECK(of_iterators.size() == 9);

  tbb::blocked_range2d<int> grid(0, 100, 1, 0, 10, 1);
  tbb::blocked_range2d<int> lower(grid, tbb::split());
  CHECK(grid.rows().end() == 50);
  CHECK(lower.rows().begin() == 50);
  CHECK(lower.cols().size() == 10);
  tbb::blocked_range3d<int, short, long> box(0, 2, 0, 30, 0, 4);
  const tbb::blocked_range3d<int, short, long> half(box, tbb::split());
  CHECK(half.rows().begin() == 15);
  CHECK(half.pages().size() == 2);
  CHECK(half.cols().size() == 4);
  CHECK_FALSE(half.empty());
}

TEST_CASE("parallel_for: calls for each index once, with any step and partitioner") {
  for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
    Visits visits(count);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { visits(i); });
    CHECK(visits.all_once());
  }
  std::atomic<int> sum{0};
  tbb::parallel_for(-10, 10, 7, [&](int i) { sum += i; });
  CHECK(sum == -10 - 3 + 4);
  tbb::parallel_for(5, -5, [&](int) { sum = 1000; });
  CHECK(sum < 1000);
  tbb::parallel_for(
      0, 4, [&](int i) { sum += i; }, tbb::static_partitioner());
  tbb::affinity_partitioner affinity;
  tbb::parallel_for(
      0, 4, 1, [&](int i) { sum += i; }, affinity);
  CHECK(sum == -9 + 12);
  CHECK_THROWS_AS(tbb::parallel_for(0, 1, -1, [](int) {}), std::invalid_argument);
}

/// A type that counts, but is not an integer.
struct Row {
  Row(int its_index) : index(its_index) {}
  friend bool operator<(Row a, Row b) { return a.index < b.index; }
  [[maybe_unused]] friend bool operator<=(Row a, Row b) { return a.index <= b.index; }
  [[maybe_unused]] friend Row operator+(Row a, Row b) { return a.index + b.index; }
  [[maybe_unused]] friend Row operator*(Row a, Row b) { return a.index * b.index; }
  [[maybe_unused]] friend Row operator/(Row a, Row b) { return a.index / b.index; }
  friend std::size_t operator-(Row a, Row b) { return static_cast<std::size_t>(a.index - b.index); }
  Row(std::size_t its_index) : index(static_cast<int>(its_index)) {}
  Row& operator++() { return ++index, *this; }
  Row& operator+=(Row other) { return index += other.index, *this; }
  int index;
};

TEST_CASE("parallel_for: takes an index type that behaves like an integer") {
  std::atomic<int> sum{0};
  tbb::parallel_for(Row(3), Row(1003), [&](Row row) { sum += row.index; });
  CHECK(sum == (3 + 1002) * 500);
  sum = 0;
  tbb::parallel_for(
      Row(3), Row(1004), Row(10), [&](Row row) { sum += row.index; }, tbb::simple_partitioner());
  CHECK(sum == (3 + 1003) * 101 / 2);
}

#ifdef BLITZ_TBB  // oneTBB counts in the type of the index.
TEST_CASE("parallel_for: takes the whole range of int") {
  std::atomic<int> negative{0};
  tbb::parallel_for(std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 1 << 30,
                    [&](int i) { negative += i < 0; });
  CHECK(negative == 2);
}
#endif

template <class Partitioner>
void check_parts(Partitioner&& partitioner, bool simple) {
  Visits visits(1003);
  std::atomic<bool> fits{true};
  tbb::parallel_for(
      Range(0, 1003, 10),
      [&](const Range& r) {
        if (simple && (r.size() > 10 || r.size() < 5)) fits = false;
        visits(r);
      },
      partitioner);
  CHECK(visits.all_once());
  CHECK(fits);

  Visits own(777);
  tbb::parallel_for(
      Halves(0, 777),
      [&](const Halves& r) {
        for (std::size_t i = r.first(); i != r.last(); ++i) own(i);
      },
      partitioner);
  CHECK(own.all_once());

  std::atomic<long> sum{0};
  tbb::parallel_for(
      tbb::blocked_range3d<int>(0, 5, 0, 30, 0, 20),
      [&](const tbb::blocked_range3d<int>& r) {
        for (int p = r.pages().begin(); p != r.pages().end(); ++p) {
          for (int i = r.rows().begin(); i != r.rows().end(); ++i) {
            for (int j = r.cols().begin(); j != r.cols().end(); ++j) sum += p * 600 + i * 20 + j;
          }
        }
      },
      partitioner);
  CHECK(sum == 2999L * 3000 / 2);
}

TEST_CASE("parallel_for: visits each item of a range once, for every partitioner") {
  check_parts(tbb::simple_partitioner(), true);
  check_parts(tbb::auto_partitioner(), false);
  check_parts(tbb::static_partitioner(), false);
  tbb::affinity_partitioner affinity;
  check_parts(affinity, false);
}

/// The items of a sum, in the order of joining.
struct Joined {
  explicit Joined(int) {}
  Joined(Joined&, tbb::split) {}
  template <class R>
  void operator()(const R& r) {
    for (auto i = r.begin(); i != r.end(); ++i) items.push_back(i);
  }
  void join(Joined& right) { items.insert(items.end(), right.items.begin(), right.items.end()); }
  std::vector<std::size_t> items;
};

TEST_CASE("parallel_reduce: keeps the order of the items") {
  std::vector<std::size_t> all(5000);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto fold = [](const Range& r, std::vector<std::size_t> value) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) value.push_back(i);
    return value;
  };
  const auto combine = [](std::vector<std::size_t> left, const std::vector<std::size_t>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  };
  const std::vector<std::size_t> none;
  const Range range(0, all.size(), 3);
  CHECK(tbb::parallel_reduce(range, none, fold, combine) == all);
  CHECK(tbb::parallel_reduce(range, none, fold, combine, tbb::simple_partitioner()) == all);
  CHECK(tbb::parallel_reduce(range, none, fold, combine, tbb::static_partitioner()) == all);
  CHECK(tbb::parallel_deterministic_reduce(range, none, fold, combine) == all);
  CHECK(tbb::parallel_reduce(Range(4, 4), std::vector<std::size_t>{7}, fold, combine).size() == 1);

  Joined body(0);
  tbb::parallel_reduce(range, body);
  CHECK(body.items == all);
  Joined again(0);
  tbb::parallel_deterministic_reduce(range, again, tbb::simple_partitioner());
  CHECK(again.items == all);

  const double lengths = tbb::parallel_reduce(
      tbb::blocked_range2d<int>(0, 40, 0, 30), 0.0,
      [](const tbb::blocked_range2d<int>& r, double sum) {
        return sum + static_cast<double>(r.rows().size() * r.cols().size());
      },
      std::plus<double>());
  CHECK(lengths == 1200);
}

TEST_CASE("parallel_deterministic_reduce: returns the same bits in each call") {
  const auto sum = [] {
    return tbb::parallel_deterministic_reduce(
        tbb::blocked_range<int>(1, 20000, 16), 0.0f,
        [](const tbb::blocked_range<int>& r, float part) {
          for (int i = r.begin(); i != r.end(); ++i) part += 1.0f / static_cast<float>(i);
          return part;
        },
        std::plus<float>());
  };
  const float first = sum();
  for (int i = 0; i < 20; ++i) CHECK(sum() == first);
}

/// Concatenates words: not commutative, and a lost word is visible.
class Concatenate {
 public:
  Concatenate(const std::vector<std::string>& in, std::vector<std::string>& out) : in_(in), out_(out) {}
  Concatenate(Concatenate& whole, tbb::split) : in_(whole.in_), out_(whole.out_) {}
  template <class Tag>
  void operator()(const Range& r, Tag) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) {
      sum_ += in_[i];
      if (Tag::is_final_scan()) out_[i] = sum_;
    }
  }
  void reverse_join(Concatenate& left) { sum_ = left.sum_ + sum_; }
  void assign(Concatenate& last) { sum_ = last.sum_; }
  [[nodiscard]] const std::string& sum() const { return sum_; }

 private:
  const std::vector<std::string>& in_;
  std::vector<std::string>& out_;
  std::string sum_;
};

TEST_CASE("parallel_scan: equals the serial loop for an operation that does not commute") {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 7u, 100u, 500u}) {
    std::vector<std::string> in(count);
    for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<char>('a' + i % 26);
    std::vector<std::string> expected(count);
    std::partial_sum(in.begin(), in.end(), expected.begin());
    std::vector<std::string> out(count);
    Concatenate body(in, out);
    tbb::parallel_scan(Range(0, count), body);
    CHECK(out == expected);
    CHECK(body.sum() == (count == 0 ? "" : expected.back()));

    std::vector<std::string> by_function(count);
    const std::string end = tbb::parallel_scan(
        Range(0, count), std::string(),
        [&](const Range& r, std::string sum, bool is_final) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) {
            sum += in[i];
            if (is_final) by_function[i] = sum;
          }
          return sum;
        },
        [](const std::string& left, const std::string& right) { return left + right; });
    CHECK(by_function == expected);
    CHECK(end == body.sum());
  }
}

/// How often a scan reads each of its items, with results and without.
struct Readings {
  explicit Readings(std::size_t count) : all(count), with_results(count) {}
  template <class Tag>
  void operator()(const Range& r, Tag) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) {
      all[i].fetch_add(1, std::memory_order_relaxed);
      if (Tag::is_final_scan()) with_results[i].fetch_add(1, std::memory_order_relaxed);
    }
  }
  std::vector<std::atomic<int>> all;
  std::vector<std::atomic<int>> with_results;
};
class ReadingBody {
 public:
  explicit ReadingBody(Readings& readings) : readings_(readings) {}
  ReadingBody(ReadingBody& whole, tbb::split) : readings_(whole.readings_) {}
  template <class Tag>
  void operator()(const Range& r, Tag tag) {
    readings_(r, tag);
  }
  void reverse_join(ReadingBody&) {}
  void assign(ReadingBody&) {}

 private:
  Readings& readings_;
};
bool all_are(const std::vector<std::atomic<int>>& counts, int least, int most) {
  return std::all_of(counts.begin(), counts.end(), [=](const auto& n) { return n >= least && n <= most; });
}

TEST_CASE("parallel_scan: reads each item at most twice and writes each result once") {
  for (int round = 0; round < 20; ++round) {
    Readings readings(10000);
    ReadingBody body(readings);
    tbb::parallel_scan(Range(0, 10000), body);
    CHECK(all_are(readings.all, 1, 2));
    CHECK(all_are(readings.with_results, 1, 1));
  }
}

TEST_CASE("parallel_scan: reads each item once if no other thread helps") {
  tbb::task_arena arena(2);
  arena.execute([] {
    tbb::task_group group;
    std::atomic<bool> busy{false};
    std::atomic<bool> over{false};
    group.run([&] {
      busy = true;
      while (!over) std::this_thread::yield();
    });
    while (!busy) std::this_thread::yield();
    Readings readings(10000);
    ReadingBody body(readings);
    tbb::parallel_scan(Range(0, 10000), body);
    CHECK(all_are(readings.all, 1, 1));
    over = true;
    group.wait();
  });
}

TEST_CASE("parallel_scan: passes on an exception and makes no call after a cancellation") {
  const auto sum = [](int a, int b) { return a + b; };
  for (const std::size_t at : {0u, 500u, 999u}) {
    CHECK_THROWS_WITH_AS(tbb::parallel_scan(
                             Range(0, 1000), 0,
                             [&](const Range& r, int value, bool is_final) {
                               if (is_final && r.begin() <= at && at < r.end()) throw std::runtime_error("of a scan");
                               return value;
                             },
                             sum),
                         "of a scan", std::runtime_error);
  }
#ifdef BLITZ_TBB  // oneTBB takes no context here.
  tbb::task_group_context context;
  context.cancel_group_execution();
  std::atomic<int> calls{0};
  tbb::parallel_scan(
      Range(0, 1000), 0, [&](const Range&, int value, bool) { return ++calls, value; }, sum, tbb::auto_partitioner(),
      context);
  CHECK(calls == 0);
#endif
}

TEST_CASE("parallel_sort: sorts ranges and iterators, also by a comparison") {
  std::vector<int> v(20000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i * 7919 % v.size());
  tbb::parallel_sort(v);
  CHECK(std::is_sorted(v.begin(), v.end()));
  tbb::parallel_sort(v.begin(), v.end(), std::greater<int>());
  CHECK(std::is_sorted(v.rbegin(), v.rend()));
  tbb::parallel_sort(v.data(), v.data() + 100);
  CHECK(std::is_sorted(v.begin(), v.begin() + 100));
}

TEST_CASE("parallel_invoke: calls all functions") {
  int a = 0, b = 0, c = 0;
  tbb::parallel_invoke([&] { a = 1; }, [&] { b = 2; });
  tbb::task_group_context context;
  tbb::parallel_invoke([&] { c = 3; }, [&] { a += 4; }, context);
  CHECK(a + b + c == 10);
}

TEST_CASE("parallel_for_each: visits each item once, also those of a feeder") {
  std::list<int> items(100, 1);
  tbb::parallel_for_each(items, [](int& x) { x *= 2; });
  tbb::parallel_for_each(items.begin(), items.end(), [](int& x) { x += 1; });
  CHECK(std::accumulate(items.begin(), items.end(), 0) == 300);

  std::atomic<int> calls{0};
  std::vector<int> roots{6, 5, 4};
  tbb::parallel_for_each(roots.begin(), roots.end(), [&](int& n, tbb::feeder<int>& feeder) {
    ++calls;
    if (n > 0) feeder.add(n - 1);
    if (n > 0) feeder.add(n - 1);
    n = -1;
  });
  CHECK(calls == 127 + 63 + 31);
  CHECK(roots == std::vector<int>(3, -1));

  std::istringstream text("1 2 3 4 5 6 7 8 9");
  std::atomic<int> sum{0};
  tbb::parallel_for_each(std::istream_iterator<int>(text), std::istream_iterator<int>(), [&](int x) { sum += x; });
  CHECK(sum == 45);
}

/// An item that cannot be copied or moved.
struct Fixed {
  explicit Fixed(int its_value) : value(its_value) {}
  Fixed(const Fixed&) = delete;
  Fixed& operator=(const Fixed&) = delete;
  int value;
};

TEST_CASE("parallel_for_each: takes items that cannot be moved") {
  std::list<Fixed> items;
  for (int i = 0; i < 1000; ++i) items.emplace_back(i);
  tbb::parallel_for_each(items, [](Fixed& item) { ++item.value; });
  tbb::parallel_for_each(items.begin(), items.end(), [](Fixed& item) { ++item.value; });
  int i = 2;
  for (const Fixed& item : items) CHECK(item.value == i++);
  Fixed array[] = {Fixed(1), Fixed(2), Fixed(3)};
  tbb::parallel_for_each(array, [](Fixed& item) { ++item.value; });
  CHECK(array[2].value == 4);
}

long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  tbb::task_group group;
  group.run([&] { x = fib(n - 1); });
  const long y = fib(n - 2);
  group.wait();
  return x + y;
}

TEST_CASE("task_group: runs all tasks and reports exceptions and a cancellation") {
  CHECK(fib(15) == 610);
  tbb::task_group group;
  std::atomic<int> ran{0};
  tbb::task_handle task = group.defer([&] { ran += 10; });
  CHECK(static_cast<bool>(task));
  for (int i = 0; i < 10; ++i) group.run([&] { ++ran; });
  group.run(std::move(task));
  CHECK(group.run_and_wait([&] { ran += 100; }) == tbb::complete);
  CHECK(ran == 120);

  group.run([] { throw std::runtime_error("of a task"); });
  CHECK_THROWS_WITH_AS(group.wait(), "of a task", std::runtime_error);
  CHECK(group.wait() == tbb::complete);

  // wait() returns only after a handle is run or destroyed.
  bool seen = false;
  task = group.defer([] {});
  std::thread other([&] {
    std::this_thread::yield();
    seen = true;
    task = tbb::task_handle();
  });
  CHECK(group.wait() == tbb::complete);
  CHECK(seen);
  other.join();

  // Cancelled while a task runs.
  group.run([&] { group.cancel(); });
  CHECK(group.wait() == tbb::canceled);
  ran = 0;
  group.run([&] { ++ran; });
  CHECK(group.wait() == tbb::complete);
  CHECK(ran == 1);
}

TEST_CASE("task_group: several threads may run tasks and wait concurrently") {
  for (int round = 0; round < 50; ++round) {
    tbb::task_group group;
    std::atomic<int> ran{0};
    std::atomic<int> caught{0};
    const auto on_threads = [](const auto& f) {
      std::vector<std::thread> threads;
      for (int i = 0; i < 4; ++i) threads.emplace_back(f);
      for (std::thread& t : threads) t.join();
    };
    on_threads([&] {
      for (int i = 0; i < 20; ++i) group.run([&] { ++ran; });
      group.wait();
    });
    CHECK(ran == 80);
    on_threads([&] {
      group.run([] { throw std::runtime_error("of a task"); });
      try {
        group.wait();
      } catch (const std::runtime_error&) {
        ++caught;
      }
    });
    CHECK(caught > 0);
    on_threads([&] {
      group.run([&] { group.cancel(); });
      group.wait();
    });
    // The group can be reused like a new one.
    ran = 0;
    CHECK(group.run_and_wait([&] { ++ran; }) == tbb::complete);
    CHECK(ran == 1);
  }
}

/// Destroys a group before its task, which ends when it is cancelled.
void forget_to_wait(bool throws) {
  tbb::task_group group;
  group.run([] {
    while (!tbb::is_current_task_group_canceling()) std::this_thread::yield();
  });
  if (throws) throw std::runtime_error("first");
}

TEST_CASE("task_group: cancels its tasks and throws missing_wait if nobody waited") {
  CHECK_THROWS_AS(forget_to_wait(false), tbb::missing_wait);
  CHECK_THROWS_WITH_AS(forget_to_wait(true), "first", std::runtime_error);
  CHECK_NOTHROW([] {
    tbb::task_group group;
    group.run([] {});
    group.wait();
  }());
}

TEST_CASE("isolated_task_group: a thread in its wait runs no other tasks") {
  thread_local int inside = 0;
  std::atomic<int> other_tasks{0};
  std::atomic<int> ran{0};
  tbb::parallel_for(
      Range(0, 50, 1),
      [&](const Range&) {
        if (inside != 0) ++other_tasks;
        ++inside;
        tbb::isolated_task_group group;
        for (int i = 0; i < 4; ++i) {
          group.run([&] {
            ++ran;
            group.run([&] { ++ran; });
          });
        }
        CHECK(group.wait() == tbb::complete);
        CHECK(group.run_and_wait([&] { ++ran; }) == tbb::complete);
        --inside;
      },
      tbb::simple_partitioner());
  CHECK(other_tasks == 0);
  CHECK(ran == 50 * 9);

  tbb::isolated_task_group group;
  group.run([] { throw std::runtime_error("of a task"); });
  CHECK_THROWS_WITH_AS(group.wait(), "of a task", std::runtime_error);
  group.run([&] { group.cancel(); });
  CHECK(group.wait() == tbb::canceled);
  CHECK(group.wait() == tbb::complete);
}

TEST_CASE("task_group_context: cancels its calls and the calls inside them") {
  tbb::task_group_context context;
  std::atomic<long> ran{0};
  tbb::parallel_for(
      0, 10000000,
      [&](int) {
        ++ran;
        context.cancel_group_execution();
      },
      context);
  CHECK(context.is_group_execution_cancelled());
  CHECK(ran < 10000000);
  ran = 0;
  tbb::parallel_for(
      0, 10, [&](int) { ++ran; }, context);
  CHECK(ran == 0);
  context.reset();
  tbb::parallel_for(
      0, 10, [&](int) { ++ran; }, context);
  CHECK(ran == 10);

  std::atomic<long> inner{0};
  tbb::parallel_for(
      Range(0, 4, 1),
      [&](const Range&) {
        context.cancel_group_execution();
        tbb::parallel_for(0, 1000, [&](int) { ++inner; });
      },
      tbb::simple_partitioner(), context);
  CHECK(inner < 4000);

  tbb::task_group_context of_exception;
  CHECK_THROWS_AS(tbb::parallel_for(
                      0, 100,
                      [](int i) {
                        if (i == 50) throw std::logic_error("here");
                      },
                      of_exception),
                  std::logic_error);
  CHECK(of_exception.is_group_execution_cancelled());
}

TEST_CASE("algorithms: pass on exceptions") {
  const Range range(0, 1000);
  CHECK_THROWS_AS(tbb::parallel_for(range,
                                    [](const Range& r) {
                                      if (r.end() == 1000) throw 1;
                                    }),
                  int);
  CHECK_THROWS_AS(tbb::parallel_reduce(
                      range, 0, [](const Range&, int) -> int { throw 2; }, std::plus<int>()),
                  int);
  CHECK_THROWS_AS(tbb::parallel_invoke([] { throw 3; }, [] {}), int);
  std::vector<int> v{1, 2, 3};
  CHECK_THROWS_AS(tbb::parallel_for_each(v,
                                         [](int x) {
                                           if (x == 2) throw 4;
                                         }),
                  int);
}

TEST_CASE("task_arena: runs functions and tasks with its number of threads") {
  tbb::task_arena arena(3);
  CHECK(arena.max_concurrency() == 3);
  CHECK(arena.execute([] { return tbb::this_task_arena::max_concurrency(); }) == 3);
  arena.execute([] {
    CHECK(tbb::this_task_arena::current_thread_index() >= 0);
    CHECK(tbb::this_task_arena::current_thread_index() < 3);
    Visits visits(500);
    tbb::parallel_for(Range(0, 500), [&](const Range& r) { visits(r); });
    CHECK(visits.all_once());
  });
  CHECK_THROWS_AS(arena.execute([] { throw std::runtime_error("in an arena"); }), std::runtime_error);
  tbb::task_group group;
  std::atomic<int> ran{0};
  arena.execute([&] { group.run([&] { ++ran; }); });
  arena.execute([&] { group.wait(); });
  CHECK(ran == 1);
  arena.enqueue([&] { ++ran; });
  arena.enqueue(group.defer([&] { ++ran; }));
  arena.execute([&] { group.wait(); });
  while (ran < 3) std::this_thread::yield();

  arena.enqueue(group.defer([] { throw std::runtime_error("of a handle"); }));
  CHECK_THROWS_WITH_AS(group.wait(), "of a handle", std::runtime_error);
#if TBB_VERSION_MAJOR >= 2023 || defined(BLITZ_TBB)
  arena.enqueue([&] { ++ran; }, group);
  tbb::this_task_arena::enqueue([&] { ++ran; }, group);
  group.wait();
  CHECK(ran == 5);
#endif

  arena.execute([] {
    tbb::task_arena attached{tbb::attach()};
    CHECK(attached.is_active());
  });

  tbb::task_arena automatic;
  CHECK(automatic.execute([] { return std::make_unique<int>(5); }) != nullptr);
  CHECK(tbb::this_task_arena::isolate([] { return 7; }) == 7);
}

TEST_CASE("global_control: limits the threads and stores the stack size") {
  using tbb::global_control;
  CHECK(global_control::active_value(global_control::max_allowed_parallelism) >= 1);
  {
    const global_control two(global_control::max_allowed_parallelism, 2);
    CHECK(global_control::active_value(global_control::max_allowed_parallelism) == 2);
    const global_control one(global_control::max_allowed_parallelism, 1);
    CHECK(global_control::active_value(global_control::max_allowed_parallelism) == 1);
    std::set<std::thread::id> threads;  // One thread: no lock.
    tbb::parallel_for(0, 1000, [&](int) { threads.insert(std::this_thread::get_id()); });
    CHECK(threads.size() == 1);
    tbb::task_group group;
    group.run_and_wait([&] { threads.insert(std::this_thread::get_id()); });
    CHECK(threads.size() <= 2);
  }
  CHECK(global_control::active_value(global_control::terminate_on_exception) == 0);
#if defined(__linux__) && !defined(BLITZ_PORTABLE)
  const std::size_t default_size = global_control::active_value(global_control::thread_stack_size);
  CHECK(default_size > 0);
  {
    const global_control twice(global_control::thread_stack_size, 2 * default_size);
    CHECK(global_control::active_value(global_control::thread_stack_size) == 2 * default_size);
  }
  CHECK(global_control::active_value(global_control::thread_stack_size) == default_size);
#endif
#ifdef BLITZ_TBB  // oneTBB aborts.
  CHECK_THROWS_AS(global_control(global_control::max_allowed_parallelism, 0), std::exception);
#endif
}

// Run separately: the program must fail.
TEST_CASE("global_control: terminate_on_exception ends the program" * doctest::skip()) {
  const tbb::global_control control(tbb::global_control::terminate_on_exception, 1);
  std::set_terminate([] { std::_Exit(1); });
  CHECK_THROWS(tbb::parallel_for(0, 10, [](int) { throw std::runtime_error("ends the program"); }));
}

TEST_CASE("task_scheduler_handle: can be moved and finalized, except by a worker") {
  tbb::task_scheduler_handle none;
  CHECK_FALSE(static_cast<bool>(none));
  tbb::task_scheduler_handle handle{tbb::attach()};
  tbb::task_scheduler_handle moved(std::move(handle));
  CHECK_FALSE(static_cast<bool>(handle));
  CHECK(static_cast<bool>(moved));
  none = std::move(moved);
  none.release();
  CHECK_FALSE(static_cast<bool>(none));

#ifdef BLITZ_TBB  // oneTBB's thread is lost then.
  tbb::task_arena arena(2);
  arena.execute([] {
    tbb::task_scheduler_handle inner{tbb::attach()};
    CHECK_FALSE(tbb::finalize(inner, std::nothrow));
    tbb::task_scheduler_handle thrower{tbb::attach()};
    CHECK_THROWS_AS(tbb::finalize(thrower), tbb::unsafe_wait);
  });
#endif

  tbb::task_scheduler_handle last{tbb::attach()};
  CHECK(tbb::finalize(last, std::nothrow));
  CHECK_FALSE(static_cast<bool>(last));
  std::atomic<int> calls{0};
  tbb::parallel_for(0, 10, [&](int) { ++calls; });
  CHECK(calls == 10);
}

TEST_CASE("enumerable_thread_specific and combinable: keep one value for each thread") {
  tbb::enumerable_thread_specific<long> sums(0L);
  tbb::parallel_for(0, 10000, [&](int i) { sums.local() += i; });
  CHECK(sums.size() >= 1);
  CHECK(sums.combine(std::plus<long>()) == 9999L * 10000 / 2);
  CHECK(std::accumulate(sums.begin(), sums.end(), 0L) == 9999L * 10000 / 2);
  long by_each = 0;
  sums.combine_each([&](long x) { by_each += x; });
  CHECK(by_each == 9999L * 10000 / 2);

  bool exists = true;
  tbb::enumerable_thread_specific<std::vector<int>> vectors([] { return std::vector<int>{1, 2}; });
  CHECK(vectors.local(exists).size() == 2);
  CHECK_FALSE(exists);
  vectors.local(exists).push_back(3);
  CHECK(exists);
  std::thread([&] { vectors.local(); }).join();
  CHECK(vectors.size() == 2);
  const auto flat = tbb::flatten2d(vectors);
  CHECK(flat.size() == 5);
  CHECK(std::accumulate(flat.begin(), flat.end(), 0) == 9);
  auto some = tbb::flatten2d(vectors, vectors.begin(), std::next(vectors.begin()));
  CHECK(some.size() == 3);
  for (int& x : some) x = 7;
  CHECK(std::accumulate(flat.begin(), flat.end(), 0) == 21 + 3);
  const auto copy = vectors;
  CHECK(copy.size() == 2);
  std::atomic<std::size_t> items{0};
  tbb::parallel_for(vectors.range(), [&](const decltype(vectors)::const_range_type& r) {
    for (const auto& each : r) items += each.size();
  });
  CHECK(items == 5);

  // With another allocator, by copy and by move: each value stays with its thread.
  using Vectors = tbb::enumerable_thread_specific<std::vector<int>, tbb::tbb_allocator<std::vector<int>>,
                                                  tbb::ets_key_per_instance>;
  Vectors other(vectors);
  CHECK(other.size() == 2);
  CHECK((other.local(exists), exists));
  CHECK(other.local().size() == 3);
  decltype(vectors) back;
  back = std::move(other);
  CHECK(back.size() == 2);
  CHECK(back.local() == std::vector<int>{7, 7, 7});
  back.clear();
  CHECK(back.local() == std::vector<int>{1, 2});  // by the function that was moved along
  vectors.clear();
  CHECK(vectors.empty());
  CHECK_FALSE((vectors.local(exists), exists));

  std::vector<std::thread> many;
  tbb::enumerable_thread_specific<std::thread::id> ids;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 40; ++i) {
    many.emplace_back([&] {
      const auto me = std::this_thread::get_id();
      ids.local() = me;
      for (int k = 0; k < 100; ++k) {
        std::this_thread::yield();
        if (ids.local() != me) ++wrong;
      }
    });
  }
  for (std::thread& t : many) t.join();
  CHECK(wrong == 0);

  tbb::combinable<int> counts([] { return 0; });
  tbb::parallel_for(0, 1000, [&](int) { ++counts.local(); });
  CHECK(counts.combine(std::plus<int>()) == 1000);
}

TEST_CASE("enumerable_thread_specific: makers run concurrently and may call parallel code") {
  std::atomic<int> makers{0};
  std::atomic<bool> met{false};
  tbb::enumerable_thread_specific<int> values([&] {
    if (++makers == 2) met = true;
    for (int i = 0; i < 10000 && !met; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 7;
  });
  std::thread first([&] { values.local(); });
  std::thread second([&] { values.local(); });
  first.join();
  second.join();
  CHECK(met);
  CHECK(values.combine(std::plus<int>()) == 14);

  tbb::enumerable_thread_specific<int> sums([] {
    std::atomic<int> sum{0};
    tbb::parallel_for(
        Range(0, 64, 1), [&](const Range& r) { sum += static_cast<int>(r.begin()); }, tbb::simple_partitioner());
    return sum.load();
  });
  std::atomic<int> wrong{0};
  tbb::parallel_for(
      Range(0, 64, 1),
      [&](const Range&) {
        if (sums.local() != 2016) ++wrong;
      },
      tbb::simple_partitioner());
  CHECK(wrong == 0);

  // A maker that throws leaves no value. A maker that asks for other values of its thread gets them.
  bool throws = true;
  tbb::enumerable_thread_specific<int> thrower([&] { return throws ? throw std::runtime_error("of a maker") : 1; });
  CHECK_THROWS_WITH_AS(thrower.local(), "of a maker", std::runtime_error);
#ifdef BLITZ_TBB  // oneTBB counts the value that was not made.
  CHECK(thrower.empty());
#endif
  throws = false;
  CHECK(thrower.local() == 1);
  tbb::enumerable_thread_specific<int> of_another([&] { return thrower.local() + 1; });
  CHECK(of_another.local() == 2);
}

template <class M>
void check_mutex() {
  M mutex;
  int count = 0;
  tbb::parallel_for(0, 1000, [&](int) {
    typename M::scoped_lock lock(mutex);
    ++count;
  });
  CHECK(count == 1000);
  typename M::scoped_lock lock;
  CHECK(lock.try_acquire(mutex));
  lock.release();
  lock.acquire(mutex);
}

TEST_CASE("mutexes: admit one writer at a time and support try_acquire") {
  check_mutex<tbb::mutex>();
  check_mutex<tbb::rw_mutex>();
  check_mutex<tbb::speculative_spin_mutex>();
  check_mutex<tbb::speculative_spin_rw_mutex>();
  check_mutex<tbb::spin_mutex>();
  check_mutex<tbb::queuing_mutex>();
  check_mutex<tbb::spin_rw_mutex>();
  check_mutex<tbb::queuing_rw_mutex>();
  tbb::spin_rw_mutex mutex;
  tbb::spin_rw_mutex::scoped_lock reader(mutex, false);
  {
    tbb::spin_rw_mutex::scoped_lock other;
    CHECK(other.try_acquire(mutex, false));
  }
  reader.upgrade_to_writer();
  tbb::spin_rw_mutex::scoped_lock other;
  CHECK_FALSE(other.try_acquire(mutex, false));
  reader.downgrade_to_reader();
  CHECK(other.try_acquire(mutex, false));
}

TEST_CASE("spin_rw_mutex: admits readers together and one writer at a time") {
  tbb::spin_rw_mutex mutex;
  std::array<long, 8> values{};
  std::atomic<int> torn{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const bool writes = (i + t) % 4 == 0;
        tbb::spin_rw_mutex::scoped_lock lock(mutex, writes);
        if (writes) {
          for (long& x : values) ++x;
        } else if (std::set<long>(values.begin(), values.end()).size() != 1) {
          ++torn;
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(torn == 0);
  CHECK(values[0] == 4 * 125);

  tbb::spin_rw_mutex::scoped_lock reader(mutex, false);
  std::thread([&] {
    tbb::spin_rw_mutex::scoped_lock lock;
    CHECK(lock.try_acquire(mutex, false));
    lock.release();
    CHECK_FALSE(lock.try_acquire(mutex, true));
  }).join();
}

TEST_CASE("allocators and the clock: align memory, and the clock does not go backwards") {
  std::vector<char, tbb::cache_aligned_allocator<char>> line(3);
  CHECK(reinterpret_cast<std::uintptr_t>(line.data()) % 64 == 0);
  std::list<int, tbb::tbb_allocator<int>> list{1, 2, 3};
  CHECK(list.size() == 3);
  const tbb::tick_count begin = tbb::tick_count::now();
  CHECK((oneapi::tbb::tick_count::now() - begin).seconds() >= 0);
}

}  // namespace
