// The pieces of code in docs/asio.md, as a program. Needs libasio-dev.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>

#include <asio.hpp>
#include <blitz/adaptor/asio.hpp>
#include <blitz/blitz.hpp>

asio::awaitable<void> serve(blitz::AsioContext& context, int request, std::atomic<long>& answer) {
  asio::steady_timer timer(context, std::chrono::milliseconds(request));
  co_await timer.async_wait(asio::use_awaitable);                          // occupies no thread of the pool
  answer += blitz::parallel_reduce(0, 1000 * request, 0L, std::plus<>());  // uses them all
}

int main() {
  std::atomic<long> answer = 0;
  blitz::AsyncThreadPool pool;
  blitz::AsioContext context(pool);  // in place of asio::thread_pool context;
  for (int request = 1; request <= 3; ++request) {
    asio::co_spawn(context, serve(context, request, answer), asio::detached);
  }
  auto strand = asio::make_strand(context);
  for (int i = 0; i < 3; ++i) asio::post(strand, [i] { std::printf("%d ", i); });
  context.join();
  std::printf("%ld\n", answer.load());
}
