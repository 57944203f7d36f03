// The pieces of code in docs/pipelines.md.

#include <cstddef>
#include <cstdio>
#include <vector>

#include <blitz/pipeline.hpp>

struct Row {
  std::size_t number = 0;
};

double sum_of_large(const std::vector<double>& v) {
  double s = blitz::par(v).map([](double x) { return x * x; }).filter([](double x) { return x > 1; }).sum();
  return s;
}

double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
  double dot = blitz::par(a, b).map([](double x, double y) { return x * y; }).sum();
  return dot;
}

void number(std::vector<Row>& rows) {
  blitz::par(rows).enumerate().for_each([](std::size_t i, Row& row) { row.number = i; });
}

int main() {
  const std::vector<double> a{1, 2, 3};
  std::vector<Row> rows(4);
  number(rows);
  std::printf("%g %g %zu\n", sum_of_large(a), inner_product(a, a), rows.back().number);
}
