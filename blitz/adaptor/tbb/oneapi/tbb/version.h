#pragma once

#include "blitz/adaptor/tbb/tbb_version.hpp"
