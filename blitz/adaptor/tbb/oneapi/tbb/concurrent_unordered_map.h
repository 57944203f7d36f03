#pragma once

#error "blitz has no stand-in for tbb/concurrent_unordered_map.h: use a std::unordered_map under a std::shared_mutex, or tbb::enumerable_thread_specific maps that are merged; docs/tbb.md says what is left out"
