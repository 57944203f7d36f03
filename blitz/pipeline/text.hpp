/// @file
/// lines and split_at: the parts of a text, as the source of a pipeline.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "blitz/detail/base/export.hpp"
#include "blitz/detail/loop/items.hpp"
#include "blitz/detail/pipeline/source.hpp"
#include "blitz/pipeline/par.hpp"

namespace blitz {
namespace detail {
BLITZ_BEGIN_BY_OPTIMIZATION

/// The parts of a text between separators. A position is a block of the text: its items are the parts that begin in it. Only
/// the end of a part may be after the block.
template <class Text = std::string_view>
class TextSource : public Source {
 public:
  using Items = Pack<Text>;
  static constexpr bool kIndexed = false;

  TextSource(Text text, char separator) noexcept : text_(text), separator_(separator) {}

  [[nodiscard]] LoopIndex positions() const noexcept { return ceil_div(text_.size(), kBlock); }
  template <class Sink>
  bool for_each(LoopIndex first, LoopIndex last, const Sink& sink) const {
    const std::size_t limit = std::min<std::size_t>(last * kBlock, text_.size());
    std::size_t begin = first * kBlock;
    if (begin > 0) {
      // A part that begins before the block belongs to the block to the left.
      const std::size_t end = text_.substr(begin - 1, limit - begin).find(separator_);
      if (end == Text::npos) return false;
      begin += end;
    }
    while (begin < limit) {
      const std::size_t end = std::min(text_.find(separator_, begin), text_.size());
      if (sink(text_.substr(begin, end - begin))) return true;
      begin = end + 1;
    }
    return false;
  }

 private:
  static constexpr std::size_t kBlock = 4096;

  Text text_;
  char separator_;
};

BLITZ_END_BY_OPTIMIZATION
}  // namespace detail
BLITZ_BEGIN_BY_OPTIMIZATION

/// A pipeline of the parts of `text` between separators, as `std::string_view`s without the separators. Parts may be empty, but
/// "" has no part, and there is no part after a separator at the end. The text must live until the terminal has returned.
/// Threads search different blocks of the text concurrently.
/// @code
///   const std::size_t cells = blitz::split_at(row, ',').count();
/// @endcode
/// @param text       The text; the pipeline keeps a reference.
/// @param separator  The character between parts.
/// @return A Pipeline.
/// @throws Nothing. Complexity: O(1); a terminal reads the text once. Thread-safety: any thread.
[[nodiscard]] inline auto split_at(std::string_view text, char separator) {
  return Pipeline(detail::TextSource(text, separator));
}

/// A pipeline of the lines of `text`, without the newline characters at their ends. It is split_at() with a newline character
/// as the separator.
/// @code
///   const std::size_t empty =
///       blitz::lines(text).filter([](std::string_view line) { return line.empty(); }).count();
/// @endcode
/// @param text  The text; the pipeline keeps a reference.
/// @return A Pipeline.
/// @throws Nothing. Complexity: O(1); a terminal reads the text once. Thread-safety: any thread.
[[nodiscard]] inline auto lines(std::string_view text) { return split_at(text, '\n'); }

BLITZ_END_BY_OPTIMIZATION
}  // namespace blitz
