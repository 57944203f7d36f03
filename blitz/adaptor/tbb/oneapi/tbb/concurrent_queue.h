#pragma once

#error "blitz has no stand-in for tbb/concurrent_queue.h: use a std::queue under a std::mutex; docs/tbb.md says what is left out"
