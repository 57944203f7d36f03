// From the standard library: the pieces of code in docs/migrating.md, which must give the same on both sides.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <execution>
#include <functional>
#include <future>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>

namespace before {

void order(std::vector<std::string>& words) {
  std::sort(std::execution::par, words.begin(), words.end(),
            [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
}

std::size_t letters(const std::vector<std::string>& words) {
  return std::transform_reduce(std::execution::par, words.begin(), words.end(), std::size_t{0}, std::plus<>{},
                               [](const std::string& word) { return word.size(); });
}

long fib(int n) {
  if (n < 16) return n < 2 ? n : fib(n - 1) + fib(n - 2);  // A thread for each call: there must be few.
  std::future<long> x = std::async(std::launch::async, [=] { return fib(n - 1); });
  const long y = fib(n - 2);
  return x.get() + y;
}

void fill(std::vector<int>& v) {
  const std::size_t count = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back([&v, t, count] {
      for (std::size_t i = v.size() * t / count; i < v.size() * (t + 1) / count; ++i) v[i] = static_cast<int>(i);
    });
  }
}

}  // namespace before

namespace after {

void order(std::vector<std::string>& words) { blitz::sort(words, {}, &std::string::size); }

std::size_t letters(const std::vector<std::string>& words) {
  return blitz::transform_reduce(words, std::size_t{0}, std::plus<>{}, &std::string::size);
}

long fib(int n) {
  if (n < 2) return n;
  const auto [x, y] = blitz::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return x + y;
}

void fill(std::vector<int>& v) {
  blitz::parallel_for(0, v.size(), [&](std::size_t i) { v[i] = static_cast<int>(i); });
}

}  // namespace after

int main() {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < 10'000; ++i) words.emplace_back(i * 7919 % 50, 'x');
  std::vector<std::string> same = words;
  before::order(words);
  after::order(same);
  std::vector<int> v(10'000);
  std::vector<int> w(10'000);
  before::fill(v);
  after::fill(w);
  std::printf("%d %d %d %d %zu\n", words == same, before::letters(words) == after::letters(words),
              before::fib(20) == after::fib(20), v == w, after::letters(words));
}
