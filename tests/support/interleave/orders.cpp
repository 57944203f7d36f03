#include "tests/support/interleave/orders.hpp"

#include <charconv>
#include <utility>

namespace interleave {
namespace {

/// Removes the part after the last `mark` from `text` and returns it.
std::string_view last_part(std::string_view& text, char mark) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view part = text.substr(at + 1);
  text.remove_suffix(part.size() + 1);
  return part;
}

bool number(std::string_view text, std::uint32_t& value) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end;
}

}  // namespace

std::memory_order Orders::used(const Where& where, std::memory_order stated, Part part) {
  if (recording) executed_.emplace(where.file_name(), where.line(), where.column(), part);
  if (!weakening_ || where.line() != line_ || where.column() != column_ || part != part_) return stated;
  return std::string_view(where.file_name()).ends_with(file_) ? order_ : stated;
}

std::set<std::string> Orders::executed() {
  std::set<std::string> all;
  for (const auto& [file, line, column, part] : std::exchange(executed_, {})) {
    all.insert(std::string(file) + ':' + std::to_string(line) + ':' + std::to_string(column) +
               (part == Part::kFailure ? ":failure" : ""));
  }
  return all;
}

bool Orders::weaken(std::string_view text) {
  const std::string_view to = last_part(text, '=');
  for (const std::memory_order order :
       {std::memory_order_relaxed, std::memory_order_acquire, std::memory_order_release, std::memory_order_acq_rel}) {
    if (name(order) != to) continue;
    order_ = order;
    weakening_ = true;
  }
  std::string_view column = last_part(text, ':');
  part_ = column == "failure" ? Part::kFailure : Part::kOnly;
  if (part_ == Part::kFailure) column = last_part(text, ':');
  const std::string_view line = last_part(text, ':');
  file_ = text;
  return weakening_ && number(column, column_) && number(line, line_);
}

}  // namespace interleave
