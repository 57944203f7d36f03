#pragma once

#error "blitz has no stand-in for tbb/profiling.h: use thread names of blitz::ThreadPoolOptions; docs/tbb.md says what is left out"
