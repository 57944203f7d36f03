#pragma once

#include "blitz/base/atomic.hpp"
