#include "support/seed.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace blitz_test {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  std::uint64_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || rest != end) {
    throw std::runtime_error(std::string(name) + " is \"" + text + "\", which is not a number");
  }
  return value;
}

std::uint64_t test_seed() {
  static const std::uint64_t seed = number_from_environment(
      "BLITZ_TEST_SEED", static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
  return seed;
}

Clock::duration stress_time() {
  static const std::chrono::seconds seconds(number_from_environment("BLITZ_STRESS_SECONDS", 3));
  return seconds;
}

}  // namespace blitz_test
