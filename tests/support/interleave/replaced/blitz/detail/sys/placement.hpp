/// blitz/detail/sys/placement.hpp for the interleaving tests: simulated threads have no processors.
#pragma once

namespace blitz::detail {

enum class Waker : unsigned char { kBlocks, kStaysBusy, kCallsAgain };

class Placement {
 public:
  void adopt() noexcept {}
  void keep_off_this_processor() noexcept {}
  void restore() noexcept {}
};

}  // namespace blitz::detail
