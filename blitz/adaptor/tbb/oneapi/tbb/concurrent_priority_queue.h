#pragma once

#error "blitz has no stand-in for tbb/concurrent_priority_queue.h: use a std::priority_queue under a std::mutex; docs/tbb.md says what is left out"
