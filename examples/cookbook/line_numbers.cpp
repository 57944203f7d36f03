// The numbers of the lines with errors. lines() finds lines in many places of the text concurrently, so it does not know their
// numbers. An array of all lines does.

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <blitz/pipeline.hpp>

int main() {
  std::string text;
  for (int i = 1; i <= 100'000; ++i) text += i % 1000 == 0 ? "error: no space left\n" : "ok\n";

  const blitz::Array<std::string_view> lines = blitz::lines(text).collect();
  const blitz::Array<std::size_t> numbers =
      blitz::par(lines)
          .enumerate()
          .filter([](std::size_t, std::string_view line) { return line.starts_with("error"); })
          .map([](std::size_t index, std::string_view) { return index + 1; })
          .collect();

  std::printf("%zu: %zu to %zu\n", numbers.size(), numbers[0], numbers.back());  // 100: 1000 to 100000
  return numbers.size() == 100 && numbers[0] == 1000 && numbers.back() == 100'000 ? 0 : 1;
}
