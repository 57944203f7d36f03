/// Tables of outcomes.
#pragma once

#include <iosfwd>
#include <vector>

#include "bench/simulation/scenario.hpp"

namespace simulation {

/// One run of a scenario.
struct Row {
  unsigned threads;
  Outcome outcome;
};

/// `alone` is the time on one thread.
void print_scenario(std::ostream& out, const Scenario& scenario, Time alone, const std::vector<Row>& rows);

/// Prints all lines that were transferred, and the callers of heavy fences.
void print_details(std::ostream& out, const Scenario& scenario, const std::vector<Row>& rows);

}  // namespace simulation
