// Waits for a result, but only for some time. A std::future can do that; the job keeps running after the time.

#include <chrono>
#include <cstdio>
#include <future>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include <blitz/blitz.hpp>

template <class F>
std::future<std::invoke_result_t<F&>> spawn_with_future(F f) {
  std::packaged_task<std::invoke_result_t<F&>()> job(std::move(f));
  auto result = job.get_future();
  blitz::spawn(std::move(job));
  return result;
}

int main() {
  std::stop_source stop;
  auto slow = spawn_with_future([token = stop.get_token()] {
    int steps = 0;
    for (; !token.stop_requested(); ++steps) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return steps;
  });
  const bool late = slow.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout;
  if (late) stop.request_stop();

  auto fast = spawn_with_future([] { return 6 * 7; });
  const bool in_time = fast.wait_for(std::chrono::seconds(60)) == std::future_status::ready;

  std::printf("%d %d\n", late, in_time ? fast.get() : 0);  // 1 42
  return late && in_time ? 0 : 1;
}
