/// The options of a thread of a pool.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace blitz::detail {

struct ThreadOptions {
  /// Truncated to the 15 bytes that the Linux kernel keeps. Ignored on systems without thread names.
  std::string name = {};
  /// In bytes, rounded up to whole pages; Windows takes less than 4 GiB. 0: the system's default.
  std::size_t stack_size = 0;
  /// The only processor to run on, from the first instruction. None: any processor.
  std::optional<unsigned> processor = {};
};

}  // namespace blitz::detail
