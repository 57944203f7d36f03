#include "bench/compare/baseline.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/compare/options.hpp"

namespace bench {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// An unnamed file with `text`, positioned at its beginning. A pipe would fill up and block.
File file_with(const std::string& text) {
  File file(std::tmpfile(), std::fclose);
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0 && lseek(fileno(file.get()), 0, SEEK_SET) == 0;
  if (!written) throw BadOptions(std::string("cannot write a temporary file: ") + std::strerror(errno));
  return file;
}

/// Runs the script to its end, with `input` as its standard input.
void run_script(std::vector<std::string> arguments, const std::string& input) {
  arguments.insert(arguments.begin(), {BENCH_PYTHON, BENCH_BASELINE_SCRIPT});
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  const File standard_input = file_with(input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(standard_input.get()), STDIN_FILENO);
  pid_t child{};
  const int error = posix_spawn(&child, argv.front(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw BadOptions("--baseline: cannot run " BENCH_PYTHON ": " + std::string(std::strerror(error)));

  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) continue;
  if (status != 0) throw BadOptions("the baseline cannot be used");
}

}  // namespace

void check_baseline(const std::string& file, const std::string& scale) {
  run_script({"--scale", scale, "--", file}, "");
}

void write_changes(const std::string& file, const std::string& json) {
  std::cout.flush();  // the script writes to the same place
  run_script({"--", file, "-"}, json);
}

}  // namespace bench
