/// The memory orders of the code under test, each with its place in the source. Records the orders that a case executes, and
/// executes one of them weaker than stated, so that a mutation test of orders needs no new compilation.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>

namespace interleave {

using Where = std::source_location;

constexpr const char* name(std::memory_order order) noexcept {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    default:
      return "seq_cst";
  }
}

class Orders {
 public:
  /// Which order of an operation: a compare-exchange has another one for its failure.
  enum class Part : unsigned char { kOnly, kFailure };

  /// The order to execute. Each fence states seq_cst; weakened to relaxed, it has no effect.
  std::memory_order at(const Where& where, std::memory_order stated, Part part = Part::kOnly) {
    if (!recording && !weakening_) [[likely]]
      return stated;
    return used(where, stated, part);
  }

  /// Collect orders in executed(), as the text that weaken() expects before its '='.
  bool recording = false;
  std::set<std::string> executed();

  /// "FILE:LINE:COLUMN=ORDER", or "FILE:LINE:COLUMN:failure=ORDER", where FILE is the end of a path. Returns false for other
  /// texts.
  bool weaken(std::string_view text);
  /// True if an order is weakened.
  [[nodiscard]] bool weakening() const noexcept { return weakening_; }

 private:
  /// A file name may have several addresses: executed() compares the names.
  using Place = std::tuple<const char*, std::uint32_t, std::uint32_t, Part>;

  std::memory_order used(const Where& where, std::memory_order stated, Part part);

  std::set<Place> executed_;
  bool weakening_ = false;
  std::string file_;
  std::uint32_t line_ = 0;
  std::uint32_t column_ = 0;
  Part part_ = Part::kOnly;
  std::memory_order order_ = std::memory_order_relaxed;
};

}  // namespace interleave
