/// Values whose lives are counted.
#pragma once

#include <atomic>

namespace blitz_test {

/// How many Counted objects exist, and how many have been made, by whichever way.
struct Lives {
  std::atomic<int> alive{0};
  std::atomic<int> made{0};
};

/// A value, move-only and not default-constructible. Each object, a moved-from one included, is destroyed once or
/// `alive` does not return to 0.
class Counted {
 public:
  Counted(Lives& lives, int the_value) noexcept : value(the_value), lives_(&lives) { born(); }
  Counted(Counted&& other) noexcept : value(other.value), lives_(other.lives_) {
    other.value = kMovedFrom;
    born();
  }
  Counted& operator=(Counted&& other) noexcept {
    value = other.value;
    other.value = kMovedFrom;
    return *this;
  }
  ~Counted() { --lives_->alive; }

  static constexpr int kMovedFrom = -1;
  int value;

 private:
  void born() noexcept {
    ++lives_->alive;
    ++lives_->made;
  }

  Lives* lives_;
};

}  // namespace blitz_test
