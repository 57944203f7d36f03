/// Headers of the algorithm tests, precompiled. This only saves time: each source includes the headers that it uses.
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
