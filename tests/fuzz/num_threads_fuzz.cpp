/// The number of threads of a pool, from ThreadPoolOptions and BLITZ_NUM_THREADS.
///
/// The first line is BLITZ_NUM_THREADS. An optional second line of at least sixteen bytes contains num_threads and stack_size.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "blitz/detail/sys/cpu_count.hpp"
#include "blitz/detail/worker/pool_config.hpp"
#include "fuzz.hpp"

using blitz_test::require;

namespace {

constexpr std::size_t kLimit = 65'535;
constexpr std::size_t kMoreThanAnyMachine = std::size_t{1} << 22;

/// The value of a text of digits, limited to the maximum of std::size_t; empty for other texts.
std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::size_t>(c - '0');
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    value = value > (kMost - digit) / 10 ? kMost : value * 10 + digit;
  }
  return value;
}

bool mentions(const std::exception& error, std::string_view part) {
  return std::string_view(error.what()).find(part) != std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = blitz_test::text_of(data, size);
  const std::size_t line = std::min(input.find('\n'), input.size());
  const std::string environment(input.substr(0, std::min(line, input.find('\0'))));
  blitz::ThreadPoolOptions options;
  if (const std::string_view rest = input.substr(line); rest.size() > 2 * sizeof(std::size_t)) {
    std::memcpy(&options.num_threads, rest.data() + 1, sizeof(std::size_t));
    std::memcpy(&options.stack_size, rest.data() + 1 + sizeof(std::size_t), sizeof(std::size_t));
  }
  ::setenv("BLITZ_NUM_THREADS", environment.c_str(), 1);

  const std::optional<std::size_t> from_environment = number_in(environment);
  const bool asks_environment = options.num_threads == 0;
  const std::size_t wanted = asks_environment ? from_environment.value_or(0) : options.num_threads;
  try {
    const std::size_t count = blitz::detail::checked_num_threads(options, kLimit);
    require(count >= 1 && count <= kLimit, "the number is in range");
    require(count == (wanted != 0 ? wanted : blitz::detail::available_cpus()), "the number is what was asked for");
    require(!asks_environment || from_environment.has_value(), "the environment has a number", environment);
  } catch (const blitz::ThreadPoolError& error) {
    const bool no_number = asks_environment && (!from_environment || wanted > kMoreThanAnyMachine) &&
                           mentions(error, "BLITZ_NUM_THREADS") && mentions(error, environment);
    const bool too_many = wanted > kLimit && mentions(error, std::to_string(wanted));
    require(no_number || too_many, "the message says what is wrong", error.what());
  } catch (const std::invalid_argument& error) {
    const bool threads =
        options.num_threads > kLimit && mentions(error, "num_threads") && mentions(error, std::to_string(wanted));
    const bool stack = mentions(error, "stack_size") && mentions(error, std::to_string(options.stack_size));
    require(threads || stack, "the message names the option", error.what());
  }
  return 0;
}
