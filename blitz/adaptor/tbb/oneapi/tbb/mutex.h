#pragma once

#include "blitz/adaptor/tbb/mutexes.hpp"
