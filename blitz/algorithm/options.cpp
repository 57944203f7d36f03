#include "blitz/algorithm/options.hpp"

namespace blitz {

const char* Stopped::what() const noexcept { return "blitz: a stop was requested before the algorithm was complete"; }

}  // namespace blitz
