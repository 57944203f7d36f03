#pragma once

#include "blitz/adaptor/tbb/divide.hpp"
