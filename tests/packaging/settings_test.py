#!/usr/bin/env python3
"""Builds a program of each adaptor in settings that change the linker's input, and runs it.

    settings_test.py SOURCE_ROOT BUILD_ROOT COMPILER [PROGRAM...]

COMPILER builds each of PROGRAMS, or the named ones, in each of SETTINGS, if the program's library is installed. The programs
throw and catch exceptions across the library if the adaptor does. Without the compiler the exit status is 77: skipped.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from packaging_test import ADAPTORS, FOLDERS, PARLAY_STUB, library_of

SETTINGS = {
    "without RTTI": ["-fno-rtti"],
    "hidden": ["-fvisibility=hidden", "-fvisibility-inlines-hidden"],
    "link-time optimization": ["-O2", "-flto"],
}

ASIO = """
#include <atomic>
int main() {
  std::atomic<int> calls{0};
  blitz::CONTEXT context(blitz::global_pool());
  for (int i = 0; i < 100; ++i) NAMESPACE::post(context, [&] { ++calls; });
  context.join();
  return calls == 100 ? 0 : 1;
}
"""
PSTL = """
#include <execution>
#include <algorithm>
#include <numeric>
#include <vector>
int main() {
  std::vector<int> v(30000), sums(30000);
  std::iota(v.rbegin(), v.rend(), 0);
  std::sort(std::execution::par, v.begin(), v.end());
  std::exclusive_scan(std::execution::par, v.begin(), v.end(), sums.begin(), 0);
  return sums.back() == std::reduce(std::execution::par, v.begin(), v.end() - 1) ? 0 : 1;
}
"""

# Programs by the names of their adaptors' packages, and others. Each program exits with 0 if its results are right.
PROGRAMS = {
    "asio": "#include <asio.hpp>\n#include <blitz/adaptor/asio.hpp>\n#include <blitz/blitz.hpp>\n"
            + ASIO.replace("CONTEXT", "AsioContext").replace("NAMESPACE", "asio"),
    "boost_asio": "#include <utility>\n#include <boost/asio.hpp>\n#include <blitz/adaptor/boost_asio.hpp>\n#include <blitz/blitz.hpp>\n"
                  + ASIO.replace("CONTEXT", "BoostAsioContext").replace("NAMESPACE", "boost::asio"),
    "blitz": """
#include <blitz/algorithm.hpp>
#include <blitz/blitz.hpp>
#include <stdexcept>
#include <stop_token>
#include <vector>
struct Own {};
int main() {
  int caught = 0;
  try {
    blitz::parallel_for(0, 1000, [](int i) { if (i == 500) throw Own(); });
  } catch (const Own&) {
    ++caught;
  }
  try {
    blitz::ThreadPool pool({.num_threads = static_cast<std::size_t>(-1)});
  } catch (const std::invalid_argument&) {
    ++caught;
  }
  try {
    blitz::init_global_pool({});
  } catch (const blitz::ThreadPoolError&) {
    ++caught;
  }
  std::stop_source stop;
  stop.request_stop();
  std::vector<int> v(1000, 1);
  try {
    blitz::sort(blitz::AlgorithmOptions{.stop = stop.get_token()}, v);
  } catch (const blitz::Stopped&) {
    ++caught;
  }
  return caught == 4 && blitz::reduce(v, 0) == 1000 ? 0 : 1;
}
""",
    "c": """
#include <blitz/c.h>
int main() {
  int calls[1000] = {};
  const blitz_status status = blitz_parallel_for(nullptr, 1000, 1, [](void* context, size_t first, size_t last) {
    for (; first != last; ++first) ++static_cast<int*>(context)[first];
    return 0;
  }, calls);
  for (int count : calls) if (count != 1) return 1;
  return status;
}
""",
    "calls": """
#include <blitz/adaptor/calls.hpp>
#include <stdexcept>
struct Own {};
int main() {
  int caught = 0;
  try {
    blitz::adaptor::for_blocks(1000, 1, [](std::size_t, std::size_t) -> bool { throw Own(); });
  } catch (const Own&) {
    ++caught;
  }
  blitz::adaptor::TaskGroup group;
  group.run([] { throw std::runtime_error("a job"); });
  try {
    group.wait();
  } catch (const std::runtime_error&) {
    ++caught;
  }
  std::optional<long> sum(0);
  blitz::adaptor::reduce_blocks(1000, 1, sum, [](std::optional<long>& part, std::size_t first, std::size_t last) {
    part = part.value_or(0) + static_cast<long>(last - first);
    return false;
  }, [](long& left, long& right) { left += right; });
  return caught == 2 && *sum == 1000 ? 0 : 1;
}
""",
    "coroutine": """
#include <blitz/adaptor/coroutine.hpp>
#include <blitz/blitz.hpp>
#include <stdexcept>
blitz::Task<long> fib(int n) {
  if (n < 2) co_return n;
  auto [x, y] = co_await blitz::when_all(fib(n - 1), fib(n - 2));
  co_return x + y;
}
blitz::Task<> throws() {
  co_await blitz::schedule(blitz::global_pool());
  throw std::runtime_error("a task");
}
int main() {
  try {
    blitz::sync_wait(throws());
  } catch (const std::runtime_error&) {
    return blitz::sync_wait(fib(15)) == 610 ? 0 : 1;
  }
  return 2;
}
""",
    "eigen": """
#include <atomic>
#include <blitz/adaptor/eigen.hpp>
#include <blitz/blitz.hpp>
int main() {
  std::atomic<int> calls{0};
  {
    blitz::EigenThreadPool pool(blitz::global_pool());
    for (int i = 0; i < 100; ++i) pool.Schedule([&] { ++calls; });
  }
  return calls == 100 ? 0 : 1;
}
""",
    "opencv": """
#include <blitz/adaptor/opencv.hpp>
#include <blitz/blitz.hpp>
#include <opencv2/core.hpp>
#include <stdexcept>
int main() {
  cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(blitz::global_pool()));
  std::atomic<int> calls{0};
  cv::parallel_for_(cv::Range(0, 100), [&](const cv::Range& range) { calls += range.size(); });
  return calls == 100 ? 0 : 1;
}
""",
    "parlay": """
#include <atomic>
#include <blitz/adaptor/parlay.hpp>
#include <parlay/parallel.h>
int main() {
  std::atomic<int> calls{0};
  parlay::parallel_for(0, 100, [&](std::size_t) { ++calls; });
  return calls == 100 ? 0 : 1;
}
""",
    "pstl": PSTL,
    "pstl_17": PSTL,
    "sender": """
#include <atomic>
#include <blitz/adaptor/sender.hpp>
#include <blitz/blitz.hpp>
#include <exception>
struct Receiver {
  std::atomic<int>* done;
  void set_value() noexcept { end(1); }
  void set_stopped() noexcept { end(2); }
  void set_error(std::exception_ptr) noexcept { end(3); }
  void end(int how) noexcept {
    *done = how;
    done->notify_one();
  }
};
int main() {
  static std::atomic<int> done{0};
  auto operation = blitz::PoolScheduler(blitz::global_pool()).schedule().connect(Receiver{&done});
  operation.start();
  done.wait(0);
  return done == 1 ? 0 : 1;
}
""",
    "stdexec": """
#include <blitz/adaptor/stdexec.hpp>
#include <blitz/blitz.hpp>
#include <stdexec/execution.hpp>
int main() {
  blitz::StdexecScheduler scheduler(blitz::global_pool());
  auto result = stdexec::sync_wait(stdexec::schedule(scheduler) | stdexec::then([] { return 42; }));
  return result && std::get<0>(*result) == 42 ? 0 : 1;
}
""",
    "tbb": """
#include <functional>
#include <tbb/tbb.h>
struct Own {};
int main() {
  bool caught = false;
  try {
    tbb::parallel_for(0, 1000, [](int i) { if (i == 500) throw Own(); });
  } catch (const Own&) {
    caught = true;
  }
  tbb::enumerable_thread_specific<int> calls(0);
  tbb::task_group group;
  for (int i = 0; i < 100; ++i) group.run([&] { ++calls.local(); });
  group.wait();
  tbb::task_arena arena(2);
  const int sum = arena.execute([&] {
    return tbb::parallel_reduce(tbb::blocked_range<int>(0, 1000), 0,
                                [](const tbb::blocked_range<int>& range, int value) {
                                  for (int i = range.begin(); i != range.end(); ++i) value += i % 2;
                                  return value;
                                }, std::plus<>());
  });
  return caught && calls.combine(std::plus<>()) == 100 && sum == 500 ? 0 : 1;
}
""",
}
OPTIONS = {
    "asio": ["-DASIO_NO_TYPEID"],  # Asio needs this without RTTI; Boost.Asio detects it.
    "opencv": ["-lopencv_core"],
    "parlay": ["-isystem", str(PARLAY_STUB)],
    "pstl": ["PATH/pstl"],
    "pstl_17": ["PATH/pstl", "-std=c++17"],
    "tbb": ["PATH/tbb", "PATH/tbb/oneapi"],
}


def works(command):
    """True if an empty program can be built with `command` and run."""
    with tempfile.TemporaryDirectory() as folder:
        program = [*command, "-x", "c++", "-", "-o", f"{folder}/program"]
        built = subprocess.run(program, input="int main() {}\n", text=True, capture_output=True).returncode == 0
        return built and subprocess.run([f"{folder}/program"]).returncode == 0


def has_coroutines(compiler):
    old = "#if defined(__clang__) && __clang_major__ < 19\n#error\n#endif\n"
    command = [compiler, "-E", "-x", "c++", "-", "-o", os.devnull]
    return subprocess.run(command, input=old, text=True, capture_output=True).returncode == 0


def complaint(folder, root, library, command, name):
    """The complaint about a program; empty if there is none."""
    source, program = folder / f"{name}.cpp", folder / name
    source.write_text(PROGRAMS[name])
    options = [option.replace("PATH", f"-I{root}/blitz/adaptor") for option in OPTIONS.get(name, [])]
    folders = [f"-isystem{path}" for path in FOLDERS]
    command = [*command, "-Wall", "-Wextra", "-Werror", f"-I{root}", *folders, source, *options, "-o", program,
               f"-L{library}", "-lblitz", f"-Wl,-rpath,{library}", "-pthread"]
    build = subprocess.run(command, text=True, capture_output=True)
    if build.returncode != 0:
        return f"is not built:\n{build.stderr[:4000]}"
    code = subprocess.run([program], timeout=60).returncode
    return f"ended with {code}" if code != 0 else ""


def main():
    root, build_root, compiler, *chosen = sys.argv[1:]
    if not shutil.which(compiler):
        sys.exit(77)
    failed = False
    names = [name for name in chosen or PROGRAMS if name not in ADAPTORS or library_of(name, [compiler])]
    if "coroutine" in names and not has_coroutines(compiler):
        names.remove("coroutine")
    for setting, flags in SETTINGS.items():
        command = [compiler, "-std=c++20", *flags]
        if not works(command) and works([*command, "-fuse-ld=lld"]):
            command.append("-fuse-ld=lld")
        if not works(command):
            print(f"Not tested: {setting}: the linker cannot do that", flush=True)
            continue
        with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
            check = lambda name: complaint(pathlib.Path(scratch), root, f"{build_root}/blitz", command, name)
            for name, wrong in zip(names, pool.map(check, names)):
                print(f"{compiler}, {setting}: {name} {wrong or 'works'}", flush=True)
                failed = failed or bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
