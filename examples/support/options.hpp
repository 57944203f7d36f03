// Command-line options of the examples: `--name VALUE`, `--name=VALUE`, `--flag`, and at most one bare argument.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace example {

/// Declares options by the variables they set. The initial value of a variable is the default.
class Options {
 public:
  Options(std::string program, std::string summary) : program_(std::move(program)), summary_(std::move(summary)) {}

  void flag(std::string name, std::string help, bool& target) {
    options_.push_back({std::move(name), "", std::move(help), [&target](std::string_view) { target = true; }});
  }

  void number(std::string name, std::string help, std::size_t& target, std::size_t min, std::size_t max) {
    auto set = [&target, min, max](std::string_view value) {
      std::size_t parsed = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
      if (error != std::errc{} || end != value.data() + value.size() || parsed < min || parsed > max) {
        throw std::invalid_argument("'" + std::string(value) + "' is not a whole number from " + std::to_string(min) +
                                    " to " + std::to_string(max));
      }
      target = parsed;
    };
    options_.push_back({std::move(name), "N", help + " (default " + std::to_string(target) + ")", std::move(set)});
  }

  void text(std::string name, std::string placeholder, std::string help, std::string& target) {
    options_.push_back({std::move(name), std::move(placeholder), help + " (default " + target + ")",
                        [&target](std::string_view value) { target = value; }});
  }

  void positional(std::string placeholder, std::string help, std::string& target) {
    positional_ = Option{"", std::move(placeholder), help + " (default " + target + ")",
                         [&target](std::string_view value) { target = value; }};
  }

  /// Sets the variables from the arguments. Returns nothing if the program may continue, otherwise the exit status: 0 after
  /// `--help`, 2 after a message on stderr about the first wrong argument.
  [[nodiscard]] std::optional<int> parse(int argc, const char* const* argv) const {
    bool positional_seen = false;
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if (argument == "--help" || argument == "-h") return print_help();

      if (!argument.starts_with('-')) {
        if (!positional_ || positional_seen) return fail("unexpected argument '" + std::string(argument) + "'");
        positional_seen = true;
        positional_->set(argument);
        continue;
      }

      const std::size_t equals = argument.find('=');
      const std::string name(argument.substr(0, equals));
      const Option* option = find(name);
      if (option == nullptr) return fail("unknown option '" + name + "'");

      std::string_view value;
      if (equals != std::string_view::npos) {
        if (!option->takes_value()) return fail(name + " takes no value");
        value = argument.substr(equals + 1);
      } else if (option->takes_value()) {
        if (++i == argc) return fail(name + " needs a value");
        value = argv[i];
      }

      try {
        option->set(value);
      } catch (const std::invalid_argument& error) {
        return fail(name + ": " + error.what());
      }
    }
    return std::nullopt;
  }

 private:
  struct Option {
    std::string name;
    std::string placeholder;
    std::string help;
    std::function<void(std::string_view)> set;

    [[nodiscard]] bool takes_value() const { return !placeholder.empty(); }
  };

  [[nodiscard]] const Option* find(std::string_view name) const {
    for (const Option& option : options_) {
      if (option.name == name) return &option;
    }
    return nullptr;
  }

  int print_help() const {
    std::printf("usage: %s [options]", program_.c_str());
    if (positional_) std::printf(" [%s]", positional_->placeholder.c_str());
    std::printf("\n%s\n\n", summary_.c_str());
    if (positional_) print_line(positional_->placeholder, positional_->help);
    for (const Option& option : options_) print_line(option.name + " " + option.placeholder, option.help);
    print_line("--help", "print this and exit");
    return 0;
  }

  static void print_line(const std::string& name, const std::string& help) {
    std::printf("  %-18s %s\n", name.c_str(), help.c_str());
  }

  [[nodiscard]] int fail(const std::string& message) const {
    std::fprintf(stderr, "%s: %s\ntry '%s --help'\n", program_.c_str(), message.c_str(), program_.c_str());
    return 2;
  }

  std::string program_;
  std::string summary_;
  std::vector<Option> options_;
  std::optional<Option> positional_;
};

}  // namespace example
