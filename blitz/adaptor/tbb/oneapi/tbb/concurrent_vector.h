#pragma once

#error "blitz has no stand-in for tbb/concurrent_vector.h: use tbb::enumerable_thread_specific vectors, or a std::deque under a std::mutex; docs/tbb.md says what is left out"
