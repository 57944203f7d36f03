#pragma once

#include "blitz/adaptor/tbb/tick_count.hpp"
