// From Taskflow: the piece of code in docs/migrating.md. others.cpp has its blitz version and prints the same output.

#include <cstdio>

#include <taskflow/taskflow.hpp>

int run_graph() {
  int a = 0, b = 0, c = 0, d = 0;
  tf::Executor executor;
  tf::Taskflow taskflow;
  auto A = taskflow.emplace([&] { a = 1; });
  auto B = taskflow.emplace([&] { b = a + 1; });
  auto C = taskflow.emplace([&] { c = a + 2; });
  auto D = taskflow.emplace([&] { d = b * c; });
  A.precede(B, C);
  D.succeed(B, C);
  executor.run(taskflow).wait();
  return d;
}

int main() { std::printf("%d\n", run_graph()); }
