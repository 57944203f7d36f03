// What the charts have in common: the document, text, and the colours of the libraries.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace bench::svg {

/// The start of a document on a white ground, and its end.
void begin(std::ostream& out, int width, int height);
void end(std::ostream& out);

/// `attributes` as in SVG, `content` as it is to be read.
void text(std::ostream& out, int x, int y, std::string_view attributes, std::string_view content);

/// The colour of the library that `peer` belongs to; further shades, over and over, for its further implementations.
std::string_view colour(std::string_view peer, std::size_t shade = 0);

}  // namespace bench::svg
