/// Shared parts of the fuzz targets.
///
/// A target defines LLVMFuzzerTestOneInput. libFuzzer calls it with generated inputs, corpus_main.cpp with the inputs in
/// corpus/. It aborts if a property does not hold, and throws no exceptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace blitz_test {

/// Ends the program if `holds` is false; libFuzzer then saves the input.
inline void require(bool holds, const char* property, std::string_view detail = "") {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n%.*s\n", property, static_cast<int>(detail.size()), detail.data());
  std::abort();
}

[[nodiscard]] inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

/// The pieces between separators; one empty piece for an empty text.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace blitz_test
