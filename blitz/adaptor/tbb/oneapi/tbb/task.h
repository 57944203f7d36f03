#pragma once

#include "blitz/adaptor/tbb/context.hpp"
