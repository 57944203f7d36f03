// A program without blitz loads a plug-in that uses it, and closes it again: the plug-in's pools end with it, whichever threads
// have called them.
#include "plugin.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include "support/child_process.hpp"
#include "support/emulated.hpp"

namespace {

constexpr int kCycles = 25;  // of each size and plug-in
constexpr int kCount = 1000;
constexpr long kSum = 499500;

class Plugin {
 public:
  explicit Plugin(const char* file) : handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) FAIL(std::string(::dlerror()));
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  ~Plugin() { close(); }
  void close() {
    if (handle_ != nullptr) CHECK(::dlclose(handle_) == 0);
    handle_ = nullptr;
  }
  void* release() { return std::exchange(handle_, nullptr); }

  bool start(int threads) const { return function<decltype(plugin_start)>("plugin_start")(threads); }
  [[nodiscard]] long sum() const { return function<decltype(plugin_sum)>("plugin_sum")(kCount); }
  [[nodiscard]] long sum_in_static_pools() const {
    return function<decltype(plugin_sum_in_static_pools)>("plugin_sum_in_static_pools")(kCount);
  }
  void spawn(void (*job)(void*), void* context) const {
    function<decltype(plugin_spawn)>("plugin_spawn")(job, context);
  }
  void shut_down() const { function<decltype(plugin_shut_down)>("plugin_shut_down")(); }

 private:
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(::dlsym(handle_, name));
  }

  void* handle_;
};

const char* const kPlugins[] = {BLITZ_TEST_PLUGINS};
const char* const kWithCopy = kPlugins[0];
constexpr int kThreads[] = {1, 2, 3, 16};

/// True if all other threads of this process have ended. The kernel may list a joined thread a moment longer.
[[nodiscard]] bool is_alone() {
  using Iterator = std::filesystem::directory_iterator;
  for (int i = 0; i < 100'000; ++i) {
    if (std::distance(Iterator("/proc/self/task"), Iterator()) == 1) return true;
    std::this_thread::yield();
  }
  return false;
}

/// Closes a plug-in when the program ends, and detects threads that run unloaded code. It is constructed first, so it is
/// destroyed after the statics of the plug-in.
struct Manager {
  ~Manager() {
    if (file == nullptr) return;
    if (::dlclose(handle) != 0) ::_exit(98);
    if (::dlopen(file, RTLD_NOW | RTLD_NOLOAD) == nullptr && !is_alone()) ::_exit(99);
  }
  const char* file = nullptr;
  void* handle = nullptr;
} manager;

}  // namespace

namespace {

/// Loads each plug-in repeatedly, with a global pool of each size, calls use(plugin), and closes it.
template <class Use>
void load_and_close(Use&& use) {
  for (const char* file : kPlugins) {
    CAPTURE(file);
    for (const int threads : kThreads) {
      CAPTURE(threads);
      for (int cycle = 0; cycle < kCycles; ++cycle) {
        Plugin plugin(file);
        plugin.start(threads);
        use(plugin);
        plugin.close();
        // The other may stay loaded with the shared library, which uses functions of the plug-in that both contain.
        if (file == kWithCopy) CHECK(::dlopen(file, RTLD_NOW | RTLD_NOLOAD) == nullptr);
      }
    }
  }
}

/// Runs `call` on `count` threads. They have called when the constructor returns, and end with this object.
class Callers {
 public:
  template <class Call>
  Callers(int count, Call call) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, call] {
        call();
        called_.fetch_add(1);
        called_.notify_all();
        end_.wait(false);
      });
    }
    for (int called = 0; (called = called_.load()) != count;) called_.wait(called);
  }
  ~Callers() {
    end_ = true;
    end_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<int> called_{0};
  std::atomic<bool> end_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("plugin: closes after one thread has called it") {
  load_and_close([](Plugin& plugin) { CHECK(plugin.sum() == kSum); });
}

TEST_CASE("plugin: closes after two threads that called it have ended") {
  load_and_close([](Plugin& plugin) {
    const auto call = [&] {
      for (int i = 0; i < 10; ++i) CHECK(plugin.sum() == kSum);
    };
    const Callers callers(2, call);
  });
}

TEST_CASE("plugin: closes while threads that called it live on") {
  load_and_close([](Plugin& plugin) {
    CHECK(plugin.sum() == kSum);
    const Callers callers(2, [&] { CHECK(plugin.sum() == kSum); });
    plugin.close();
  });
}

TEST_CASE("plugin: closes while its static pools run") {
  load_and_close([](Plugin& plugin) {
    CHECK(plugin.sum() == kSum);
    const Callers callers(2, [&] { CHECK(plugin.sum_in_static_pools() == kSum); });
  });
}

TEST_CASE("plugin: closing it does not lose spawned jobs") {
  load_and_close([](Plugin& plugin) {
    std::atomic<int> ran{0};
    const auto spawn = [&] {
      for (int i = 0; i < 100; ++i) plugin.spawn([](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &ran);
    };
    const Callers callers(2, spawn);
    plugin.close();
    while (ran != 200) std::this_thread::yield();
  });
}

#if !defined(BLITZ_PORTABLE)  // There a child treats the pools of its parent as its own.

/// Whether a child process can have threads; see emulated().
[[nodiscard]] bool children_have_threads() {
  if (blitz_test::emulated()) MESSAGE("skipped: qemu's user mode forks no process with threads");
  return !blitz_test::emulated();
}

// In child processes: a libblitz.so from g++ stays loaded, and its global pool was shut down permanently.
TEST_CASE("plugin: closes after its global pool was shut down") {
  if (!children_have_threads()) return;
  for (const char* file : kPlugins) {
    CAPTURE(file);
    const auto run = [&] {
      for (int cycle = 0; cycle < kCycles; ++cycle) {
        const Plugin plugin(file);
        if (!plugin.start(2) && cycle > 0) break;
        {
          const Callers callers(2, [&] { static_cast<void>(plugin.sum()); });
        }
        if (plugin.sum() != kSum) return 1;
        plugin.shut_down();
      }
      return 0;
    };
    CHECK(blitz_test::wait_for(blitz_test::start_child(run, std::chrono::seconds(60))) == 0);
  }
}

TEST_CASE("plugin: a child may be forked after it was closed") {
  if (!children_have_threads()) return;
  for (const char* file : kPlugins) {
    Plugin plugin(file);
    const Callers callers(2, [&] { CHECK(plugin.sum() == kSum); });
    plugin.close();
    CHECK(blitz_test::wait_for(blitz_test::start_child([] { return 7; }, std::chrono::seconds(60))) == 7);
  }
}

TEST_CASE("plugin: the program ends normally with it open or closed by a static object") {
  if (!children_have_threads()) return;
  for (const char* file : kPlugins) {
    CAPTURE(file);
    for (const bool closed : {false, true}) {
      CAPTURE(closed);
      for (const int threads : kThreads) {
        CAPTURE(threads);
        const pid_t child = blitz_test::fork_child(std::chrono::seconds(60));
        if (child == 0) {
          Plugin plugin(file);
          plugin.start(threads);
          if (plugin.sum() != kSum) ::_exit(97);
          {
            const Callers callers(2, [&] { static_cast<void>(plugin.sum()); });
          }
          manager.handle = plugin.release();
          if (closed) manager.file = file;
          std::exit(5);
        }
        CHECK(blitz_test::wait_for(child) == 5);
      }
    }
  }
}

#endif
