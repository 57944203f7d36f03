#pragma once

#include "blitz/adaptor/tbb/algorithms.hpp"
