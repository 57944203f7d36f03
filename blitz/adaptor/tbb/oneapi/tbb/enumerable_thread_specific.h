#pragma once

#include "blitz/adaptor/tbb/thread_specific.hpp"
