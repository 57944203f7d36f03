#pragma once

#include "blitz/detail/base/atomic.hpp"
