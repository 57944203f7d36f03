#pragma once

#error "blitz has no stand-in for tbb/task_scheduler_observer.h: use blitz::ThreadPoolOptions::on_thread_start; docs/tbb.md says what is left out"
