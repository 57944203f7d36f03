#include "tests/support/interleave/choices.hpp"

#include <charconv>

namespace interleave {

std::string Choices::text() const {
  std::size_t end = depth_ < path_.size() ? depth_ : path_.size();
  while (end > 0 && path_[end - 1].taken == 0) --end;
  std::string text;
  for (std::size_t i = 0; i < end;) {
    std::size_t next = i;
    while (next < end && path_[next].taken == path_[i].taken) ++next;
    if (!text.empty()) text += ',';
    text += std::to_string(path_[i].taken);
    if (next - i > 1) text += '*' + std::to_string(next - i);
    i = next;
  }
  return text.empty() ? "0" : text;
}

bool Choices::parse(std::string_view text) {
  clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    unsigned taken = 0;
    auto result = std::from_chars(at, end, taken);
    if (result.ec != std::errc()) return false;
    at = result.ptr;
    std::size_t times = 1;
    if (at < end && *at == '*') {
      result = std::from_chars(at + 1, end, times);
      if (result.ec != std::errc() || times > 1'000'000) return false;
      at = result.ptr;
    }
    path_.insert(path_.end(), times, Choice{kUnknown, 0, taken});
    if (at < end && *at++ != ',') return false;
  }
  return true;
}

}  // namespace interleave
