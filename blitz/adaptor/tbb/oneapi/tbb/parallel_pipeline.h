#pragma once

#error "blitz has no stand-in for tbb/parallel_pipeline.h: use blitz::from(range).map(f); docs/tbb.md says what is left out"
