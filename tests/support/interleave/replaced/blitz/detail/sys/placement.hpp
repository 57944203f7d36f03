/// blitz/detail/sys/placement.hpp for the interleaving tests: threads have no processors here.
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
