// Jobs from several threads with one common wait. The jobs add jobs, too.

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include <blitz/blitz.hpp>

int main() {
  std::atomic<int> done = 0;
  blitz::TaskGroup group;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for (int job = 0; job < 1000; ++job) {
          group.run([&] {
            ++done;
            group.run([&] { ++done; });
          });
        }
      });
    }
  }
  group.wait();
  std::printf("%d\n", done.load());  // 6000
}
