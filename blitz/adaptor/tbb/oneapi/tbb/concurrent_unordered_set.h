#pragma once

#error "blitz has no stand-in for tbb/concurrent_unordered_set.h: use a std::unordered_set under a std::shared_mutex; docs/tbb.md says what is left out"
