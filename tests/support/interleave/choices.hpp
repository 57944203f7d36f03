/// The decisions that make one execution of a test differ from another: which thread runs next, which store a load sees.
///
/// An execution is a function of its decisions. The list of them is what the systematic search steps through, what a
/// failure prints, and what a replay is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interleave {

class Choices {
 public:
  /// Goes back to the first decision; the list stays.
  void rewind() noexcept { depth_ = 0; }
  void clear() noexcept {
    path_.clear();
    depth_ = 0;
  }

  /// One of `options`, the first of which is the usual one. A decision that is not in the list yet is made by `fresh`
  /// and appended; of its options, the search will try the first `allowed`.
  ///
  /// A test that does not depend on its decisions alone is found out here: returns `options` then.
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

  /// The list as text, "0*12,2,0*3", up to the last decision taken that was not the usual one.
  [[nodiscard]] std::string text() const;
  /// The opposite. False if `text` is no such list.
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

/// SplitMix64 (S. Vigna): any seed will do, and the same seed gives the same numbers everywhere.
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
