#pragma once

#include "blitz/adaptor/tbb/utilities.hpp"
