// OpenCV's loops on a pool, or on its own threads: milliseconds per call, the minimum of several rounds. OpenCV cannot return
// to its own threads, so each side is a run.
//
//   g++ -std=c++20 -O3 bench/adaptors/opencv.cpp -isystem /usr/include/opencv4 $(pkg-config --cflags --libs blitz) \
//     -lopencv_core -lopencv_imgproc -o opencv && ./opencv && ./opencv blitz
//
// Needs libopencv-core-dev and libopencv-imgproc-dev.
#include "blitz/adaptor/opencv.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "blitz/blitz.hpp"

namespace {

using Clock = std::chrono::steady_clock;

template <class F>
void measure(const char* name, int calls, const F& f) {
  double least = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) f();
    least = std::min(least, std::chrono::duration<double, std::milli>(Clock::now() - start).count() / calls);
  }
  std::printf("%-34s %9.4f ms\n", name, least);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "blitz") == 0) {
    cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(blitz::global_pool()), false);
  }
  for (const cv::Size size : {cv::Size(320, 240), cv::Size(1920, 1080)}) {
    cv::Mat picture(size, CV_8UC3);
    cv::randu(picture, 0, 255);
    cv::Mat result;
    char name[64];
    const int calls = size.width < 1000 ? 50 : 5;
    const auto row = [&](const char* what, const auto& f) {
      std::snprintf(name, sizeof name, "%s, %d x %d", what, size.width, size.height);
      measure(name, calls, f);
    };
    row("GaussianBlur 9 x 9", [&] { cv::GaussianBlur(picture, result, cv::Size(9, 9), 0); });
    row("medianBlur 5", [&] { cv::medianBlur(picture, result, 5); });
    row("resize to a half, area", [&] { cv::resize(picture, result, cv::Size(), 0.5, 0.5, cv::INTER_AREA); });
    row("resize to twice, cubic", [&] { cv::resize(picture, result, cv::Size(), 2, 2, cv::INTER_CUBIC); });
    row("bilateralFilter 5", [&] { cv::bilateralFilter(picture, result, 5, 50, 50); });
  }
}
