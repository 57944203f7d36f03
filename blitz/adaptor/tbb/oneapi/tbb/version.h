#pragma once

#include "blitz/adaptor/tbb/version.hpp"
