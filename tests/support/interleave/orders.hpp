/// The memory orders that the code under test states, each by its place in the source: which of them a case executes, and
/// one that is executed weaker than stated, so that a test of the tests need not compile anything again.
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
  /// Of an operation's orders: a compare-exchange has one for its failure.
  enum class Part : unsigned char { kOnly, kFailure };

  /// The order to execute. Each fence states seq_cst; weakened to relaxed, it is none.
  std::memory_order at(const Where& where, std::memory_order stated, Part part = Part::kOnly) {
    if (!recording && !weakening_) [[likely]]
      return stated;
    return used(where, stated, part);
  }

  /// Orders are collected in executed(), as the text that weaken() takes before its '='.
  bool recording = false;
  std::set<std::string> executed();

  /// "FILE:LINE:COLUMN=ORDER", or "FILE:LINE:COLUMN:failure=ORDER", where FILE is the end of a path. False if it is neither.
  bool weaken(std::string_view text);
  /// One order is weakened.
  [[nodiscard]] bool weakening() const noexcept { return weakening_; }

 private:
  /// A file may have several addresses: its name is looked at by executed().
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
