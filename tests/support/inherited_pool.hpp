/// Calls on the parent's pools in a forked child.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <blitz/fork_join.hpp>

namespace blitz_test {

/// True if `f` throws the exception of a call on a parent's pool.
template <class F>
[[nodiscard]] bool is_refused(F&& f) {
  try {
    f();
  } catch (const blitz::ThreadPoolError& error) {
    return std::string(error.what()).find("parent process") != std::string::npos;
  }
  return false;
}

/// Makes every call on an inherited pool. Returns the number of the first that is not refused, or 0.
template <class Pool>
[[nodiscard]] int use_inherited(Pool& pool) {
  const auto nothing = [] {};
  std::vector<int> items(3);
  if (!is_refused([&] { pool.install(nothing); })) return 11;
  if (!is_refused([&] { pool.install_blocking(nothing); })) return 12;
  if (!is_refused([&] { pool.join(nothing, nothing); })) return 13;
  if (!is_refused([&] { pool.join(nothing, nothing, nothing); })) return 14;
  if (!is_refused([&] { pool.join_context([](auto) {}, [](auto) {}); })) return 15;
  if (!is_refused([&] { blitz::parallel_for({.pool = &pool}, 0, 3, [](int) {}); })) return 16;
  if (!is_refused([&] { blitz::parallel_for_blocks({.pool = &pool}, items, [](auto) {}); })) return 17;
  if (!is_refused([&] { blitz::parallel_reduce({.pool = &pool}, items, 0, std::plus<>()); })) return 18;
  if (!is_refused([&] { pool.parallel_invoke(nothing, nothing); })) return 19;
  if (!is_refused([&] { pool.join_all(std::vector(2, nothing)); })) return 33;
  if (!is_refused([&] { pool.scope([](blitz::Scope&) {}); })) return 20;
  if (!is_refused([&] { pool.scope_fifo([](blitz::Scope&) {}); })) return 21;
  if (!is_refused([&] { pool.in_place_scope([](blitz::Scope&) {}); })) return 22;
  if (!is_refused([&] { pool.spawn(nothing); })) return 23;
  if (!is_refused([&] { pool.spawn_fifo(nothing); })) return 24;
  if (!is_refused([&] { pool.spawn_broadcast([](blitz::BroadcastContext) {}); })) return 25;
  if (!is_refused([&] { pool.broadcast([](blitz::BroadcastContext) {}); })) return 26;
  if (!is_refused([&] { static_cast<void>(pool.async(nothing)); })) return 27;
  blitz::TaskGroup group(pool);
  if (!is_refused([&] { group.run(nothing); })) return 29;
  if (!is_refused([&] { group.run_and_wait(nothing); })) return 30;
  if (!is_refused([&] { group.wait(); })) return 31;
  if (!is_refused([&] { static_cast<void>(group.stop_token()); })) return 32;
  group.request_stop();
  if (pool.num_threads() == 0 || pool.current_thread_index()) return 28;
  return 0;
}

}  // namespace blitz_test
