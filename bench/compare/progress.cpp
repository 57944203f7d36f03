#include "bench/compare/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace bench {
namespace {

std::string bar(std::size_t percent) {
  constexpr std::size_t kCells = 20;
  const std::size_t full = kCells * percent / 100;
  const std::string number = std::to_string(percent) + "%";
  std::string text = "[";
  text.append(full, '#').append(kCells - full, '.').append("]").append(5 - number.size(), ' ').append(number);
  return text;
}

/// A longer line would wrap and could not be rewritten.
int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::vector<std::string> passes, std::size_t steps)
    : passes_(std::move(passes)), cost_(steps, -1.0), terminal_(isatty(STDERR_FILENO) == 1) {}

double Progress::seconds_left(std::size_t pass, std::size_t step) const {
  double known = 0;
  std::size_t count = 0;
  for (const double c : cost_) {
    if (c < 0) continue;
    known += c;
    ++count;
  }
  const double mean = count == 0 ? 0 : known / static_cast<double>(count);
  const auto expected = [&](std::size_t i) { return cost_[i] >= 0 ? cost_[i] : mean; };
  double rest = 0;
  double whole = 0;
  for (std::size_t i = 0; i < cost_.size(); ++i) {
    whole += expected(i);
    if (i >= step) rest += expected(i);
  }
  return rest + whole * static_cast<double>(passes_.size() - pass - 1);
}

void Progress::begin(std::size_t pass, std::size_t step, const std::string& what) {
  if (!terminal_ && step != 0) return;
  const std::size_t percent = 100 * (pass * cost_.size() + step) / (passes_.size() * cost_.size());
  std::string line = passes_[pass];
  if (cost_.front() >= 0) {
    const auto left = static_cast<unsigned long>(seconds_left(pass, step) + 0.5);
    line += ", " + std::to_string(left / 60) + " min " + std::to_string(left % 60) + " s left";
  }
  if (terminal_) {
    line = bar(percent) + " " + line + ": " + what;
    std::fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, line.c_str());
  } else {
    std::fprintf(stderr, "[%3zu%%] %s\n", percent, line.c_str());
  }
}

void Progress::end(std::size_t step, double seconds) { cost_[step] = seconds; }

void Progress::finish() const {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

}  // namespace bench
