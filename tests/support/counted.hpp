/// Values with counted lifetimes.
#pragma once

#include <atomic>

namespace blitz_test {

/// The number of Counted objects that exist, and of those that were constructed in any way.
struct Lives {
  std::atomic<int> alive{0};
  std::atomic<int> made{0};
};

/// A move-only value without a default constructor. `alive` returns to 0 only if each object, including moved-from ones, is
/// destroyed once.
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
