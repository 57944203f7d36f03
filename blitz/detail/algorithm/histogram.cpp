#include "blitz/algorithm/histogram.hpp"

#include <stdexcept>
#include <string>

namespace blitz::detail {

namespace {

[[noreturn]] void throw_no_such_bin_of(const std::string& bin, std::size_t bins) {
  throw std::out_of_range("blitz: histogram: an item is of bin " + bin + ", but there are " + std::to_string(bins) +
                          " bins, from 0 on");
}

}  // namespace

void throw_no_such_bin(std::intmax_t bin, std::size_t bins) { throw_no_such_bin_of(std::to_string(bin), bins); }
void throw_no_such_bin(std::uintmax_t bin, std::size_t bins) { throw_no_such_bin_of(std::to_string(bin), bins); }

}  // namespace blitz::detail
