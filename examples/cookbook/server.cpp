// A server: many clients submit small requests, and a callback answers them. AsyncThreadPool is made for jobs from outside. The
// pool's destructor answers all waiting requests.

#include <atomic>
#include <cstdio>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include <blitz/blitz.hpp>

class Server {
 public:
  void submit(long request, std::function<void(long)> reply) {
    pool_.spawn([request, reply = std::move(reply)] { reply(request * request); });
  }

 private:
  blitz::AsyncThreadPool pool_{blitz::ThreadPoolOptions{
      .num_threads = 2,
      .exception_handler = [](std::exception_ptr) { std::fputs("a request failed\n", stderr); },
  }};
};

int main() {
  std::atomic<long> sum = 0;
  {
    Server server;
    std::vector<std::jthread> clients;
    for (int client = 0; client < 4; ++client) {
      clients.emplace_back([&] {
        for (long i = 0; i < 1000; ++i) server.submit(i, [&sum](long answer) { sum += answer; });
      });
    }
  }
  std::printf("%ld\n", sum.load());  // 1331334000
}
