#pragma once

#error "blitz has no stand-in for tbb/memory_pool.h: use std::pmr; docs/tbb.md says what is left out"
