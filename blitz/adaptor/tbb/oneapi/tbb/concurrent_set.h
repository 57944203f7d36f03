#pragma once

#error "blitz has no stand-in for tbb/concurrent_set.h: use a std::set under a std::shared_mutex; docs/tbb.md says what is left out"
