// The item that failed: the exception has its index, and the original exception nested in it. If several items fail, the loop
// throws the exception of any of them, and try_for_each returns the leftmost error.

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <blitz/blitz.hpp>

struct ItemError : std::runtime_error {
  explicit ItemError(std::size_t i) : std::runtime_error("item " + std::to_string(i)), index(i) {}
  std::size_t index;
};

int main() {
  std::vector<std::string> texts(10'000, "12");
  std::vector<int> numbers(texts.size());

  texts[7000] = "many";
  std::size_t failed = 0;
  bool cause_known = false;
  try {
    blitz::parallel_for(0, texts.size(), [&](std::size_t i) {
      try {
        numbers[i] = std::stoi(texts[i]);
      } catch (...) {
        std::throw_with_nested(ItemError(i));
      }
    });
  } catch (const ItemError& error) {
    failed = error.index;
    try {
      std::rethrow_if_nested(error);
    } catch (const std::invalid_argument&) {
      cause_known = true;
    }
  }

  texts[300] = "few";
  const std::optional<std::size_t> leftmost =
      blitz::par(texts).enumerate().try_for_each([&](std::size_t i, const std::string& text) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
        return error == std::errc() ? std::nullopt : std::optional(i);
      });

  std::printf("%zu %d %zu\n", failed, cause_known, leftmost.value_or(0));  // 7000 1 300
  return failed == 7000 && cause_known && leftmost == 300 ? 0 : 1;
}
