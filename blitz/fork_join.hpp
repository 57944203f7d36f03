/// @file
/// Only the calls of the scheduler: joins, loops, scopes, jobs, pools. It compiles in three quarters of the time of blitz.hpp.
#pragma once

#include "blitz/detail/base/compiler.hpp"

#include "blitz/async_handle.hpp"
#include "blitz/broadcast.hpp"
#include "blitz/current_pool.hpp"
#include "blitz/isolate.hpp"
#include "blitz/join.hpp"
#include "blitz/join_all.hpp"
#include "blitz/options.hpp"
#include "blitz/parallel_for.hpp"
#include "blitz/parallel_for_each.hpp"
#include "blitz/parallel_for_tiles.hpp"
#include "blitz/parallel_reduce.hpp"
#include "blitz/policy.hpp"
#include "blitz/scope.hpp"
#include "blitz/spawn.hpp"
#include "blitz/stats.hpp"
#include "blitz/stopped.hpp"
#include "blitz/task_group.hpp"
#include "blitz/thread_pool.hpp"
#include "blitz/version.hpp"
#include "blitz/worker_local.hpp"
#include "blitz/yield.hpp"
