// The progress bar on stderr, with the time left.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// Follows named passes over the same `steps` steps. A step is expected to take as long as in the last pass, so the
/// time left is reliable from the second pass on.
class Progress {
 public:
  Progress(std::vector<std::string> passes, std::size_t steps);

  /// Shows that a step begins. On a terminal it rewrites the line; elsewhere it prints one line for each pass.
  void begin(std::size_t pass, std::size_t step, const std::string& what);
  void end(std::size_t step, double seconds);

  /// Clears the line.
  void finish() const;

 private:
  [[nodiscard]] double seconds_left(std::size_t pass, std::size_t step) const;

  std::vector<std::string> passes_;
  std::vector<double> cost_;  // of each step; negative: not known yet
  bool terminal_;
};

}  // namespace bench
