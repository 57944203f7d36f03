/// What the tests of algorithms include, compiled once. It is to save time alone: each source includes what it uses.
#include <atomic>
#include <deque>
#include <initializer_list>
#include <limits>
#include <random>
#include <ranges>
#include <span>
#include <stop_token>
#include <utility>

#include <blitz/algorithm.hpp>

#include "support/pch/tests.hpp"
