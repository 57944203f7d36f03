/// Headers that suites include and no mutation changes, compiled once for all mutations.
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "blitz/detail/base/atomic.hpp"
#include "tests/support/interleave/explore.hpp"
