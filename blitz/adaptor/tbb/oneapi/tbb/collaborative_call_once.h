#pragma once

#error "blitz has no stand-in for tbb/collaborative_call_once.h: use std::call_once; docs/tbb.md says what is left out"
