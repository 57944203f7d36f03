// The items that satisfy a predicate, in their order: into existing memory, into a new array, and in place.

#include <cstdio>
#include <vector>

#include <blitz/algorithm.hpp>
#include <blitz/pipeline.hpp>

int main() {
  std::vector<int> numbers(1'000'000);
  blitz::iota(numbers, 0);
  const auto is_round = [](int x) { return x % 1000 == 0; };

  std::vector<int> room(numbers.size());
  const auto [in, out] = blitz::copy_if(numbers, room, is_round);
  room.erase(out, room.end());

  const blitz::Array<int> squares =
      blitz::par(numbers).filter(is_round).map([](int x) { return x / 1000 * (x / 1000); }).collect();

  const auto dropped = blitz::remove_if(numbers, is_round);
  numbers.erase(dropped.begin(), dropped.end());

  std::printf("%d %d %zu\n", room.back(), squares[999], numbers.size());  // 999000 998001 999000
}
