// The frames of a game. Steps that do not depend on each other are the parts of a join, and a step that needs them follows it.
// A frame is drawn while the next one is computed.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include <blitz/blitz.hpp>

struct Frame {
  explicit Frame(std::size_t n) : places(n), poses(n), colors(n) {}
  std::vector<int> places, poses, colors;
};

void compute(const Frame& last, Frame& next) {
  const std::size_t n = last.places.size();
  blitz::join(
      [&] {
        blitz::parallel_for(0, n, [&](std::size_t i) { next.places[i] = last.places[i] + static_cast<int>(i % 3); });
      },
      [&] { blitz::parallel_for(0, n, [&](std::size_t i) { next.poses[i] = (last.poses[i] + 1) % 8; }); });
  blitz::parallel_for(0, n, [&](std::size_t i) { next.colors[i] = 10 * next.places[i] + next.poses[i]; });
}

long draw(const Frame& frame) {
  return blitz::par(frame.colors).map([](int color) { return static_cast<long>(color); }).sum();
}

int main() {
  Frame shown(30'000), next(30'000);
  long drawn = 0;
  auto time = std::chrono::steady_clock::now();
  for (int frame = 0; frame < 20; ++frame) {
    blitz::global_pool().warm_up();  // the workers have slept since the last frame
    blitz::join([&] { drawn += draw(shown); }, [&] { compute(shown, next); });
    std::swap(shown, next);
    time += std::chrono::milliseconds(5);
    std::this_thread::sleep_until(time);  // the wait for the display
  }
  std::printf("%ld\n", drawn);  // 58860000
  return drawn == 58'860'000 ? 0 : 1;
}
