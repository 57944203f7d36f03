#pragma once

#include "blitz/adaptor/tbb/ranges.hpp"
