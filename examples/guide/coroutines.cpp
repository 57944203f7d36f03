// The pieces of code in docs/coroutines.md, as a program.
#include <cstdio>
#include <stop_token>
#include <vector>

#include <blitz/adaptor/coroutine.hpp>
#include <blitz/blitz.hpp>

blitz::Task<long> fib(int n) {
  if (n < 2) co_return n;
  auto [x, y] = co_await blitz::when_all(fib(n - 1), fib(n - 2));
  co_return x + y;
}

blitz::Task<long> serve(blitz::AsyncThreadPool& pool, long request) {
  co_await pool.schedule();                                           // from here on a worker
  long sum = co_await pool.async([=] { return request * request; });  // occupies no thread while it waits
  std::vector<blitz::Task<long>> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(fib(i));
  for (const long part : co_await blitz::when_all(std::move(parts))) sum += part;
  co_return sum;
}

blitz::Task<> poll(blitz::AsyncThreadPool& pool, std::stop_token stop, int& polls) {
  for (;;) {
    co_await pool.schedule(stop);  // throws blitz::Stopped after a request
    ++polls;
    co_await pool.async([] { /* look for news */ });
  }
}

int main() {
  std::printf("%ld ", blitz::sync_wait(fib(20)));  // 6765

  blitz::AsyncThreadPool pool;
  std::printf("%ld ", blitz::sync_wait(serve(pool, 12)));  // 148

  std::stop_source source;
  source.request_stop();
  int polls = 0;
  try {
    blitz::sync_wait(poll(pool, source.get_token(), polls));
  } catch (const blitz::Stopped&) {
    std::printf("stopped %d\n", polls);  // stopped 0
  }
}
