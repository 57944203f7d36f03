#pragma once

#include "blitz/adaptor/tbb/memory.hpp"
#include "blitz/adaptor/tbb/thread_specific.hpp"
