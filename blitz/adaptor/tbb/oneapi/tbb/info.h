#pragma once

#include "blitz/adaptor/tbb/tasks.hpp"
