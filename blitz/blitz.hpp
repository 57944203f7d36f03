/// All of blitz.
#pragma once

#include "blitz/current_pool.hpp"
#include "blitz/join.hpp"
#include "blitz/options.hpp"
#include "blitz/parallel_for.hpp"
#include "blitz/policy.hpp"
#include "blitz/stats.hpp"
#include "blitz/thread_pool.hpp"
#include "blitz/version.hpp"
