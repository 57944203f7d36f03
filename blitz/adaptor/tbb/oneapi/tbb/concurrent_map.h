#pragma once

#error "blitz has no stand-in for tbb/concurrent_map.h: use a std::map under a std::shared_mutex; docs/tbb.md says what is left out"
