// The piece of code in docs/opencv.md, as a program. Needs libopencv-core-dev and libopencv-imgproc-dev.
#include <cstdio>
#include <memory>

#include <blitz/adaptor/opencv.hpp>
#include <blitz/blitz.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

int main() {
  cv::parallel::setParallelForBackend(std::make_shared<blitz::OpenCvBackend>(blitz::global_pool()));
  cv::Mat picture(1080, 1920, CV_8UC3, cv::Scalar(10, 20, 30));
  cv::Mat small;
  cv::resize(picture, small, cv::Size(), 0.5, 0.5, cv::INTER_AREA);  // on all workers of the pool
  std::printf("%d %d %d\n", small.rows, small.cols, int(small.at<cv::Vec3b>(0, 0)[2]));
}
