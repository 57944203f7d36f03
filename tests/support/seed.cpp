#include "support/seed.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace blitz_test {
namespace {

/// Months: certainly a mistake.
constexpr double kMostSeconds = 1e7;

[[noreturn]] void refuse(const char* name, const char* text, const char* what) {
  throw std::runtime_error(std::string(name) + " is \"" + text + "\", which is " + what);
}

/// May have a fraction. Throws like number_from_environment.
double seconds_from_environment(const char* name, double otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* rest = nullptr;
  const double value = std::strtod(text, &rest);
  if (*rest != '\0' || !(value >= 0 && value <= kMostSeconds)) refuse(name, text, "no time in seconds");
  return value;
}

}  // namespace

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  std::uint64_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || rest != end) refuse(name, text, "not a number");
  return value;
}

std::uint64_t test_seed() {
  static const std::uint64_t seed = number_from_environment(
      "BLITZ_TEST_SEED", static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
  return seed;
}

Clock::duration stress_time() {
  static const std::chrono::duration<double> seconds(seconds_from_environment("BLITZ_STRESS_SECONDS", 3));
  return std::chrono::duration_cast<Clock::duration>(seconds);
}

}  // namespace blitz_test
