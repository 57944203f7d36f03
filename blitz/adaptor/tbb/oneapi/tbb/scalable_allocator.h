#pragma once

#include "blitz/adaptor/tbb/memory.hpp"
