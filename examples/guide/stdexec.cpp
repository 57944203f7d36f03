// The piece of code in docs/senders.md, as a program. Needs stdexec.
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

#include <blitz/adaptor/stdexec.hpp>
#include <blitz/blitz.hpp>
#include <stdexec/execution.hpp>

int main() {
  std::vector<double> items(1000);
  blitz::AsyncThreadPool pool;
  blitz::StdexecScheduler scheduler(pool);
  auto work = stdexec::schedule(scheduler)  // on a worker
              | stdexec::bulk(stdexec::par, items.size(), [&](std::size_t i) { items[i] = 0.5 * double(i); })  // on all
              | stdexec::then([&] { return std::accumulate(items.begin(), items.end(), 0.0); });
  auto [sum] = stdexec::sync_wait(std::move(work)).value();
  std::printf("%.1f\n", sum);
}
