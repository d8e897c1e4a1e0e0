// SPDX-License-Identifier: MIT
// Every row of checks.csv: published or elementary closed forms, printed to six digits.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "experiments/language/csv.hpp"
#include "tests/training/theory/collective_cost.hpp"
#include "tests/training/theory/queue.hpp"
#include "tests/training/theory/theory_of.hpp"
#include "tests/training/workload/stragglers/example.hpp"
#include "training/theory/order_statistic.hpp"

namespace paceline {
namespace {

struct Check {
  std::string id;
  std::string check;
  std::string parameters;
  int workers = 0;
  int waited_for = 0;  ///< or the slack of ssp
  double expected = 0;
};

std::vector<Check> read_checks() {
  std::ifstream file(std::string(PACELINE_SOURCE_DIR) + "/tests/training/theory/checks.csv");
  std::vector<Check> checks;
  Diagnostics errors;
  CsvReader csv("checks.csv", file, errors);
  csv.next();  // the header
  while (csv.next()) {
    const std::vector<std::string>& cell = csv.fields();
    checks.push_back({cell.at(0), cell.at(1), cell.at(2), std::stoi(cell.at(3)),
                      std::stoi(cell.at(4)), std::stod(cell.at(5))});
  }
  errors.throw_if_any();
  return checks;
}

/// 50 Gbit/s Ethernet as in the rows; sums are free.
LinkCost ethernet() {
  return {Seconds{20e-6}, BytesPerSecond{6.25e9}};
}

/// The numbers in "1 s compute; 0.1 s service" or "100000000 B; 8 x 4", in order.
std::vector<double> numbers(const std::string& text) {
  std::vector<double> all;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) all.push_back(std::stod(word));
  }
  return all;
}

double collective(const Check& row) {
  const std::vector<double> number = numbers(row.parameters);
  const Bytes size{number.at(0)};
  if (row.check == "ring") return ring_cost(ethernet(), size, row.workers).value();
  if (row.check == "halving-doubling") {
    return halving_doubling_cost(ethernet(), size, row.workers).value();
  }
  if (row.check == "binomial") return binomial_cost(ethernet(), size, row.workers).value();
  if (row.check == "parameter-server") {
    return parameter_server_cost(ethernet(), size, row.workers).value();
  }
  if (row.check == "torus") {
    return torus_cost(ethernet(), size, static_cast<int>(number.at(1)),
                      static_cast<int>(number.at(2)))
        .value();
  }
  return ring_cost(ethernet(), size, row.workers) /
         halving_doubling_cost(ethernet(), size, row.workers);
}

double of_stragglers(const Check& row) {
  const Stragglers stragglers{read_straggler(row.parameters), {}, {}, {}};
  const auto theory_of_policy = [&](const std::string& policy) {
    const std::string update = with_k(policy, row.waited_for);
    return theory_of(update, row.workers, Seconds{0}, stragglers).value();
  };
  if (row.check == "order statistic") {
    const StepTime x(Seconds{0}, stragglers.compute.part().get());
    return expected_order_statistic(x, row.waited_for, row.workers).value().value();
  }
  if (row.check == "sync over async")
    return theory_of_policy("sync").iteration / theory_of_policy("async").iteration;
  if (row.check.ends_with("at slack")) {
    const std::string ssp = "{kind: ssp, slack: " + std::to_string(row.waited_for) + "}";
    const Theory theory = theory_of(ssp, row.workers, Seconds{0}, stragglers).value();
    EXPECT_FALSE(theory.bound);
    return 1 / (theory.iteration.value() * row.workers);
  }
  const std::string policy = row.check.substr(row.check.find(" of ") + 4);
  if (row.check.starts_with("staleness")) return theory_of_policy(policy).staleness.value();
  if (row.check.starts_with("fresh")) return theory_of_policy(policy).fresh.value();
  const Theory theory = theory_of_policy(policy);
  EXPECT_FALSE(theory.bound);
  return theory.iteration.value();
}

double computed(const Check& row) {
  if (row.check == "queue") {
    const std::vector<double> number = numbers(row.parameters);
    return queue_throughput(row.workers, Seconds{number.at(0)}, Seconds{number.at(1)});
  }
  return row.parameters.starts_with("{") ? of_stragglers(row) : collective(row);
}

TEST(TheoryChecks, every_row_holds_to_its_printed_digits) {
  const std::vector<Check> checks = read_checks();
  EXPECT_EQ(checks.size(), 108U);
  for (const Check& row : checks) {
    EXPECT_NEAR(computed(row), row.expected, 1e-5 * row.expected)
        << row.id << ": " << row.check << ", " << row.parameters << ", " << row.waited_for << " of "
        << row.workers;
  }
}

}  // namespace
}  // namespace paceline
