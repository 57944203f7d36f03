/// The decisions that distinguish one execution of a test from another: which thread runs next, which store a load returns.
///
/// An execution is a function of its decisions. The systematic search steps through lists of decisions, a failure prints its
/// list, and a replay reads one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interleave {

class Choices {
 public:
  /// Goes back to the first decision; the list is unchanged.
  void rewind() noexcept { depth_ = 0; }
  void clear() noexcept {
    path_.clear();
    depth_ = 0;
  }

  /// Chooses one of `options`; the first is the usual one. `fresh` makes a decision that is not in the list yet, which is
  /// appended. The search will try the first `allowed` of its options.
  ///
  /// Returns `options` if the test does not depend only on its decisions.
  template <class Fresh>
  unsigned choose(unsigned options, unsigned allowed, Fresh&& fresh) {
    if (options <= 1) return 0;
    if (depth_ == path_.size()) path_.push_back({options, allowed, fresh()});
    Choice& choice = path_[depth_++];
    if (choice.options == kUnknown) choice.options = options;
    if (choice.options != options) return options;
    return choice.taken < options ? choice.taken : options;
  }

  /// The next list in the order of the depth-first search; false after the last.
  bool advance() {
    path_.resize(depth_ < path_.size() ? depth_ : path_.size());
    while (!path_.empty() && path_.back().taken + 1 >= path_.back().allowed) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    rewind();
    return true;
  }

  /// The list as text, "0*12,2,0*3", up to the last unusual decision taken.
  [[nodiscard]] std::string text() const;
  /// The inverse of text(). Returns false if `text` is not such a list.
  bool parse(std::string_view text);

 private:
  static constexpr unsigned kUnknown = 0;

  struct Choice {
    unsigned options;
    unsigned allowed;
    unsigned taken;
  };

  std::vector<Choice> path_;
  std::size_t depth_ = 0;
};

/// SplitMix64 (S. Vigna): any seed is good, and a seed gives the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t operator()() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// A number below `bound`.
  unsigned below(unsigned bound) noexcept { return static_cast<unsigned>((*this)() % bound); }

 private:
  std::uint64_t state_;
};

}  // namespace interleave
