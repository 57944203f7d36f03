// The pieces of code in docs/guide.md, and the last two of docs/start.md.

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>
#include <blitz/pipeline.hpp>

using Grid = std::vector<double>;

// Start.
double energy(const std::vector<double>& v) {
  return blitz::par(v).map([](double x) { return x * x; }).sum();
}

struct Tree {
  std::unique_ptr<Tree> left, right;
};

std::unique_ptr<Tree> make_tree(int depth) {
  if (depth == 0) return nullptr;
  return std::make_unique<Tree>(make_tree(depth - 1), make_tree(depth - 1));
}

int count_nodes(const Tree* tree) {
  if (tree == nullptr) return 0;
  const auto [left, right] =
      blitz::join([&] { return count_nodes(tree->left.get()); }, [&] { return count_nodes(tree->right.get()); });
  return 1 + left + right;
}

// Grain.
void halve(std::vector<float>& v) {
  blitz::parallel_for({.min_grain = 10'000}, v, [](float& x) { x /= 2; });
}

double norm(const std::vector<double>& v) {
  return blitz::parallel_reduce_blocks(
      v, 0.0,
      [](double sum, auto block) {
        for (double x : block) sum += x * x;
        return sum;
      },
      std::plus<>{});
}

// Memory.
double heat(std::size_t n) {
  auto now = blitz::par(0, n).map([](std::size_t i) { return std::sin(static_cast<double>(i)); }).collect();
  auto next = blitz::par(0, n).map([](std::size_t) { return 0.0; }).collect();
  for (int step = 0; step < 10; ++step) {
    blitz::parallel_for({.schedule = blitz::Schedule::kFixed}, 1, n - 1,
                        [&](std::size_t i) { next[i] = (now[i - 1] + 2 * now[i] + now[i + 1]) / 4; });
    std::swap(now, next);
  }
  return now[n / 2];
}

// Scratch.
std::size_t count_letters(const std::vector<std::string>& words) {
  blitz::WorkerLocal<std::map<char, std::size_t>> counts;
  blitz::parallel_for(words, [&](const std::string& word) {
    auto& mine = counts.here();
    for (char letter : word) ++mine[letter];
  });
  std::map<char, std::size_t> all;
  for (const auto& part : counts) {
    for (const auto& [letter, count] : part) all[letter] += count;
  }
  return all['a'];
}

// Locks.
class Table {
 public:
  double total() {
    return blitz::isolate([&] {
      const std::lock_guard lock(mutex_);
      if (!total_known_) total_ = blitz::par(rows_).sum();
      total_known_ = true;
      return total_;
    });
  }

 private:
  std::mutex mutex_;
  std::vector<double> rows_ = std::vector<double>(100'000, 0.5);
  double total_ = 0;
  bool total_known_ = false;
};

// Exceptions.
std::string first_failure(const std::vector<int>& v) {
  try {
    blitz::parallel_for(v, [](int x) {
      if (x < 0) throw std::domain_error("negative");
    });
  } catch (const std::domain_error& error) {
    return error.what();
  }
  return "none";
}

// Cancellation.
bool contains(const std::vector<int>& v, int wanted) {
  std::atomic<bool> found = false;
  blitz::parallel_for(v, [&](int x) {
    if (x != wanted) return blitz::Flow::kContinue;
    found = true;
    return blitz::Flow::kStop;
  });
  return found;
}

bool sort_unless_stopped(std::vector<int>& v, std::stop_token token) {
  try {
    blitz::sort({.stop = token}, v);
  } catch (const blitz::Stopped&) {
    return false;
  }
  return true;
}

// Nesting.
double sum_rows(const std::vector<Grid>& rows) {
  return blitz::par(rows).map([](const Grid& row) { return blitz::par(row).sum(); }).sum();
}

// Blocking work.
std::string read_slowly(int file) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return std::string(static_cast<std::size_t>(file), 'x');
}

std::size_t read_all(int files) {
  blitz::AsyncThreadPool readers({.num_threads = 16});
  std::vector<blitz::AsyncHandle<std::string>> texts;
  for (int file = 0; file < files; ++file) {
    texts.push_back(readers.async([file] { return read_slowly(file); }));
  }
  std::size_t size = 0;
  for (auto& text : texts) size += text.get().size();
  return size;
}

// Tuning.
double own_pool(std::vector<double>& v) {
  blitz::ThreadPool pool({.num_threads = 2, .affinity = blitz::Affinity::kOnePerWorker});
  blitz::parallel_for({.pool = &pool}, v, [](double& x) { x += 1; });  // an option of each call,
  blitz::sort({.pool = &pool}, v);
  return pool.install([&] { return blitz::par(v).take(10).sum(); });  // or everything below install
}

void print_stats(blitz::ThreadPool& pool) {
  const blitz::ThreadPoolStats stats = pool.stats();
  std::fprintf(stderr, "%llu jobs, %llu stolen\n", static_cast<unsigned long long>(stats.total.jobs_executed),
               static_cast<unsigned long long>(stats.total.jobs_stolen));
  for (const blitz::WorkerStats& worker : stats.workers) {
    std::fprintf(stderr, "  slept %llu times\n", static_cast<unsigned long long>(worker.times_slept));
  }
}

int main() {
  std::vector<float> floats(100'000, 2);
  halve(floats);
  std::vector<int> v(100'000);
  blitz::iota(v, -50'000);
  std::stop_source stopped;
  stopped.request_stop();
  std::vector<double> ones(1000, 1);
  std::printf("%g %d ", energy(ones), count_nodes(make_tree(10).get()));
  std::printf("%g %g %g ", floats.back(), norm(ones), std::round(1000 * heat(1000)));
  std::printf("%zu %g %s ", count_letters({"banana", "avocado"}), Table().total(), first_failure(v).c_str());
  std::printf("%d %d %d ", contains(v, 0), contains(v, 50'000), sort_unless_stopped(v, stopped.get_token()));
  std::printf("%g %zu ", sum_rows({ones, ones}), read_all(20));
  std::printf("%g\n", own_pool(ones));
  print_stats(blitz::global_pool());
}
