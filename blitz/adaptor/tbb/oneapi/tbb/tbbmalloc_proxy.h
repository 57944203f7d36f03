#pragma once

#error "blitz has no stand-in for tbb/tbbmalloc_proxy.h: use another allocator, which needs no header; docs/tbb.md says what is left out"
