/// A policy that a program shares with its own library, both compiled with hidden visibility.
#pragma once

#include <blitz/blitz.hpp>
#include <blitz/custom_policy.hpp>

#include "custom_policy/first_come_policy.hpp"

struct [[gnu::visibility("default")]] SharedPolicy : example::FirstComePolicy {};

using SharedPool = blitz::BasicThreadPool<SharedPolicy>;

/// The sum of the integers below `n`.
[[gnu::visibility("default")]] long sum_in_library(SharedPool& pool, long n);
