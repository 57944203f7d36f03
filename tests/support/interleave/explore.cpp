/// main() of an interleaving test.
///
///   PROGRAM [--list] [--orders] [--seed N] [--schedules N] [--preemptions N] [--quick N] [--replay TEXT] [--weaken ORDER]
///           [CASE-PREFIX]...
///
/// --orders: a short search, and after each case its time and the memory orders that it executed.
/// --weaken: executes one order weaker than stated, as in orders.hpp. Searches the models in which orders matter, the weakest
/// first, until a case fails.
///
/// --preemptions: an upper limit for all cases.
/// --quick: only the weakest model of each case, and at most N schedules of each systematic search, fewest preemptions first.
///
/// The environment variables BLITZ_INTERLEAVE_SEED, _SCHEDULES, _PREEMPTIONS, _QUICK and _REPLAY have the same effect. Exits with
/// 0 if every case passed, with 1 if one failed, with 2 for other arguments.
#include "tests/support/interleave/explore.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

namespace interleave {
namespace {

struct Case {
  std::string name;
  Settings settings;
  std::function<void(Run&)> body;
};

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

struct Arguments {
  bool list = false;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> schedules;
  std::optional<std::uint64_t> preemptions;
  std::optional<std::uint64_t> quick;
  std::string replay;
  std::string weaken;
  std::vector<std::string> prefixes;
};

struct Configuration {
  Model model;
  Fences fences;
};

constexpr const char* kModels[] = {"sequential", "store-buffer", "weak"};
constexpr const char* kFences[] = {"asymmetric", "fallback"};

std::string name_of(const Configuration& configuration) {
  return std::string(kModels[static_cast<int>(configuration.model)]) + '/' +
         kFences[static_cast<int>(configuration.fences)];
}

std::vector<Configuration> configurations(const Settings& settings, bool quick) {
  std::vector<Configuration> all;
  std::vector<Model> models{Model::kSequential, Model::kStoreBuffer, Model::kWeak};
  // The effect of a weaker order most likely appears under the weakest model, and never without delayed stores. Every model
  // shows the orders that are executed.
  if (scheduler().orders.weakening()) models = {Model::kWeak, Model::kStoreBuffer};
  if (scheduler().orders.recording) models = {Model::kSequential};
  // The weak model has the schedules of the others: of the sequential model, if each load returns the newest store; of the store
  // buffers, if a thread executes its delayed stores, and all that follows them, later.
  if (models.size() > 1 && (settings.models & kWeak) != 0) {
    std::erase(models, Model::kSequential);
    if (quick) std::erase(models, Model::kStoreBuffer);
  }
  for (const Model model : models) {
    if ((settings.models >> static_cast<unsigned>(model) & 1) == 0) continue;
    all.push_back({model, Fences::kAsymmetric});
    if (settings.fences) all.push_back({model, Fences::kFallback});
  }
  return all;
}

/// A case that must find something is searched to its end.
bool is_quick(const Case& test, const Arguments& arguments) {
  return arguments.quick.has_value() && test.settings.finds == nullptr;
}

/// Runs one case in one configuration, with all searches.
class Explorer {
 public:
  Explorer(const Case& test, Configuration configuration, const Arguments& arguments)
      : test_(test),
        configuration_(configuration),
        arguments_(arguments),
        quick_(is_quick(test, arguments) ? arguments.quick : std::nullopt),
        world_(scheduler()) {
    world_.model = configuration.model;
    world_.fences = configuration.fences;
    world_.tracing = false;
    world_.memory().forget_sharing();
  }

  /// The first execution fills the memory that the library keeps for a thread, so it may differ from the next ones.
  void warm_up() {
    world_.search = Search::kSystematic;
    world_.budget = {0, 0, 0};
    world_.choices().clear();
    (void)execute();
  }

  bool systematic() {
    std::uint64_t in_all = 0;
    unsigned bound = test_.settings.preemptions;
    if (arguments_.preemptions && *arguments_.preemptions < bound)
      bound = static_cast<unsigned>(*arguments_.preemptions);
    if (world_.orders.recording) bound = std::min(bound, 1u);
    world_.search = Search::kSystematic;
    for (unsigned preemptions = 0; preemptions <= bound; ++preemptions) {
      world_.budget = {preemptions, test_.settings.delays, test_.settings.spurious};
      // Earlier schedules did not switch at a location that turns out to be shared: search again.
      do {
        (void)world_.memory().sharing_changed();
        schedules_ = 0;
        world_.choices().clear();
        do {
          ++schedules_;
          if (quick_ && ++in_all > *quick_) return passed(std::to_string(*quick_) + " schedules, not all");
          if (!execute()) return failed("systematic search, " + std::to_string(preemptions) + " preemptions");
        } while (world_.choices().advance());
      } while (world_.memory().sharing_changed());
    }
    return passed(std::to_string(schedules_) + " schedules, all with up to " + std::to_string(bound) + " preemptions");
  }

  bool random() {
    std::uint64_t schedules = arguments_.schedules.value_or(test_.settings.random_schedules);
    if (world_.orders.recording) schedules = std::min<std::uint64_t>(schedules, 200);
    if (schedules == 0) return true;
    world_.search = Search::kRandom;
    for (std::uint64_t i = 0; i < schedules; ++i) {
      world_.seed = arguments_.seed + i;
      world_.change_points = 1 + static_cast<unsigned>(i % 5);
      if (!execute()) return failed("random search, seed " + std::to_string(world_.seed));
    }
    return passed(std::to_string(schedules) + " random schedules from seed " + std::to_string(arguments_.seed));
  }

  bool replay(std::string_view choices) {
    world_.search = Search::kReplay;
    world_.tracing = true;
    if (!world_.choices().parse(choices)) {
      std::printf("not a schedule: %.*s\n", static_cast<int>(choices.size()), choices.data());
      return false;
    }
    const bool passed = execute();
    std::fputs(world_.trace().c_str(), stdout);
    print(passed ? "passed" : world_.message());
    return passed;
  }

 private:
  bool execute() {
    return world_.execute([this] {
      Run run;
      test_.body(run);
    }) == Scheduler::Outcome::kPassed;
  }

  bool passed(const std::string& searched) const {
    if (test_.settings.finds == nullptr) {
      print(searched);
      return true;
    }
    print("FAILED, nothing was found that is \"" + std::string(test_.settings.finds) + "\" in " + searched);
    return false;
  }

  bool failed(const std::string& how) {
    if (test_.settings.finds != nullptr && world_.message().find(test_.settings.finds) != std::string::npos) {
      print("found, as it should be: " + world_.message().substr(0, world_.message().find('\n')));
      return true;
    }
    return report(how);
  }

  bool report(const std::string& how) {
    const std::string message = world_.message();
    const std::string choices = world_.choices().text();
    world_.search = Search::kReplay;
    world_.tracing = true;
    (void)execute();
    print("FAILED, " + how);
    std::printf("\n step  thread      operation\n%s\n  %s\n\n", world_.trace().c_str(), message.c_str());
    if (world_.message() != message) std::printf("  (its replay gave: %s)\n", world_.message().c_str());
    const std::string weaken = arguments_.weaken.empty() ? "" : "--weaken '" + arguments_.weaken + "' ";
    std::printf("  replay: %s--replay '%s:%s' '%s'\n", weaken.c_str(), name_of(configuration_).c_str(), choices.c_str(),
                test_.name.c_str());
    return false;
  }

  void print(const std::string& text) const {
    std::printf("%s [%s]: %s\n", test_.name.c_str(), name_of(configuration_).c_str(), text.c_str());
    std::fflush(stdout);
  }

  const Case& test_;
  Configuration configuration_;
  const Arguments& arguments_;
  const std::optional<std::uint64_t> quick_;  // the maximum of schedules
  Scheduler& world_;
  std::uint64_t schedules_ = 0;
};

bool run_case(const Case& test, const Arguments& arguments) {
  bool passed = true;
  for (const Configuration& configuration : configurations(test.settings, is_quick(test, arguments))) {
    Explorer explorer(test, configuration, arguments);
    explorer.warm_up();
    if (!arguments.replay.empty()) {
      const std::string prefix = name_of(configuration) + ':';
      if (arguments.replay.starts_with(prefix)) passed &= explorer.replay(arguments.replay.substr(prefix.size()));
      continue;
    }
    // The other models would most likely fail, too, without further information.
    if (test.settings.systematic && !explorer.systematic()) return false;
    if (!explorer.random()) return false;
  }
  return passed;
}

bool number(const char* text, std::uint64_t& value) {
  const std::string_view digits(text);
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return result.ec == std::errc() && result.ptr == digits.data() + digits.size();
}

bool set(Arguments& arguments, std::string_view option, const char* value) {
  std::uint64_t count = 0;
  if (option == "replay") {
    arguments.replay = value;
    return true;
  }
  if (option == "weaken") {
    arguments.weaken = value;
    return scheduler().orders.weaken(value);
  }
  if (!number(value, count)) return false;
  if (option == "seed") {
    arguments.seed = count;
  } else if (option == "schedules") {
    arguments.schedules = count;
  } else if (option == "preemptions") {
    arguments.preemptions = count;
  } else if (option == "quick") {
    arguments.quick = count;
  } else {
    return false;
  }
  return true;
}

bool parse(int argc, char** argv, Arguments& arguments) {
  constexpr std::pair<const char*, const char*> kVariables[] = {{"BLITZ_INTERLEAVE_SEED", "seed"},
                                                                {"BLITZ_INTERLEAVE_SCHEDULES", "schedules"},
                                                                {"BLITZ_INTERLEAVE_PREEMPTIONS", "preemptions"},
                                                                {"BLITZ_INTERLEAVE_QUICK", "quick"},
                                                                {"BLITZ_INTERLEAVE_REPLAY", "replay"}};
  for (const auto& [variable, option] : kVariables) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0' && !set(arguments, option, value)) return false;
  }
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--list") {
      arguments.list = true;
    } else if (argument == "--orders") {
      scheduler().orders.recording = true;
    } else if (argument.starts_with("--")) {
      if (i + 1 == argc || !set(arguments, argument.substr(2), argv[++i])) return false;
    } else {
      arguments.prefixes.emplace_back(argument);
    }
  }
  return true;
}

int run_all(const Arguments& arguments) {
  unsigned ran = 0;
  unsigned failed = 0;
  for (const Case& test : cases()) {
    bool chosen = arguments.prefixes.empty();
    for (const std::string& prefix : arguments.prefixes) chosen |= test.name.starts_with(prefix);
    if (!chosen) continue;
    if (arguments.list) {
      std::printf("%s\n", test.name.c_str());
      continue;
    }
    ++ran;
    const auto began = std::chrono::steady_clock::now();
    failed += run_case(test, arguments) || scheduler().orders.recording ? 0 : 1;
    if (scheduler().orders.recording) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      std::printf("orders %.3f s: %s\n", took.count(), test.name.c_str());
      for (const std::string& order : scheduler().orders.executed()) std::printf("  %s\n", order.c_str());
    }
    // One failing case is enough.
    if (scheduler().orders.weakening() && failed > 0) break;
  }
  if (arguments.list) return 0;
  std::printf("%u cases, %u failed\n", ran, failed);
  return ran == 0 ? 2 : failed == 0 ? 0 : 1;
}

}  // namespace

void Run::thread(std::string name, std::function<void()> body) {
  scheduler().add_thread(std::move(name), std::move(body));
}

void Run::go() {
  if (!scheduler().settle()) scheduler().fail("deadlock: blocked for ever: " + scheduler().blocked());
}

void Run::settle() { (void)scheduler().settle(); }

Registered::Registered(std::string name, Settings settings, std::function<void(Run&)> body) {
  cases().push_back({std::move(name), settings, std::move(body)});
}

}  // namespace interleave

int main(int argc, char** argv) {
  interleave::Arguments arguments;
  if (!interleave::parse(argc, argv, arguments)) {
    std::fputs(
        "usage: [--list] [--orders] [--seed N] [--schedules N] [--preemptions N] [--quick N] [--replay TEXT] [--weaken "
        "ORDER]\n"
        "       [CASE-PREFIX]...\n",
        stderr);
    return 2;
  }
  return interleave::run_all(arguments);
}
