#pragma once

#include "blitz/adaptor/tbb/algorithms.hpp"
#include "blitz/adaptor/tbb/left_out.hpp"
#include "blitz/adaptor/tbb/memory.hpp"
#include "blitz/adaptor/tbb/mutexes.hpp"
#include "blitz/adaptor/tbb/tasks.hpp"
#include "blitz/adaptor/tbb/thread_specific.hpp"
#include "blitz/adaptor/tbb/tick_count.hpp"
#include "blitz/adaptor/tbb/tbb_version.hpp"
