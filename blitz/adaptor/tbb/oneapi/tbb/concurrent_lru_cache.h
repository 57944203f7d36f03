#pragma once

#error "blitz has no stand-in for tbb/concurrent_lru_cache.h: use another cache; docs/tbb.md says what is left out"
