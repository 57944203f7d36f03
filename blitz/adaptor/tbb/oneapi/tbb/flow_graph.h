#pragma once

#error "blitz has no stand-in for tbb/flow_graph.h: use blitz::async, blitz::TaskGroup or coroutines; docs/tbb.md says what is left out"
