#pragma once

#error "blitz has no stand-in for tbb/task.h: use tbb::task_group; docs/tbb.md says what is left out"
