// SPDX-License-Identifier: MIT
// The gain of more workers, and its base.
#include "cli/scaling_finding.hpp"

#include "cli/findings.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/cli/result_rows.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kOneGpu = R"(gpus: [{model: p100-pcie}]
host: {sockets: 2, cores: 4, memory_bandwidth: 50 GB/s}
link_types:
  x16: {kind: pcie, bandwidth: 12 GB/s, latency: 1 us, source: test}
  qpi: {kind: qpi, bandwidth: 10 GB/s, latency: 1 us, source: test}
links: [{type: x16, from: cpu0, to: [gpu0]}, {type: qpi, from: cpu0, to: [cpu1]}]
)";

std::string experiment(const std::string& machine, const std::string& workers) {
  return "name: base\nmodel: {kind: synthetic, compute: 10 ms, gradient: 20 MB}\nmachine: " +
         machine + "\nbatch: 10\nworkers: " + workers +
         "\nsoftware: ideal\naggregation: {kind: parameter-server, shards: 4}\nsteps: 20\n";
}

double column(const std::string& csv, const std::string& name, std::size_t row) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> all;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) all.push_back(cell);
    return all;
  };
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> head = cells(line);
  for (std::size_t seen = 0; std::getline(in, line);) {
    if (line.find(",predicted,") == std::string::npos || seen++ != row) continue;
    const auto at = std::find(head.begin(), head.end(), name) - head.begin();
    return std::stod(cells(line).at(static_cast<std::size_t>(at)));
  }
  return 0;
}

class ServersOfOneWorker : public CommandTest {
 protected:
  double predicted(const std::string& name, std::size_t row) {
    return column(read("out/results.csv"), name, row);
  }
};

// Expected: one worker with servers on two computers is no base: 20 MB over 1 Gbit/s take 160
//           ms. The base is the same worker on a machine of one computer, to the last digit.
TEST_F(ServersOfOneWorker, AreBesideItInTheBaseOfASpeedup) {
  write("one.yaml", kOneGpu);
  write("alone.yaml", experiment("one.yaml", "1"));
  write("cluster.yaml", experiment("{of: one.yaml, count: 2, network: ethernet-1g}", "[1, 2]"));
  ASSERT_EQ(run({"simulate", "alone.yaml", "-o", "out", "--no-plot"}), 0) << err;
  const double alone = predicted("throughput", 0);
  ASSERT_EQ(run({"simulate", "cluster.yaml", "-o", "out", "--no-plot"}), 0) << err;
  EXPECT_LT(predicted("throughput", 1), alone / 2);
  EXPECT_NEAR(predicted("speedup", 1), predicted("throughput", 1) / alone, 1e-6);
  EXPECT_NEAR(predicted("efficiency", 1), predicted("throughput", 1) / alone / 2, 1e-6);
  EXPECT_NEAR(predicted("speedup", 0), predicted("throughput", 0) / alone, 1e-6);
  EXPECT_THAT(out, HasSubstr("From 1 to 2 workers throughput falls to "));
  EXPECT_THAT(out, HasSubstr("One worker counts with its servers on its own computer, "));
  EXPECT_THAT(out, Not(HasSubstr("gains")));
}

// Expected: a run that finds its points finished says the same.
TEST_F(ServersOfOneWorker, AreBesideItWhenPointsAreReused) {
  write("one.yaml", kOneGpu);
  write("cluster.yaml", experiment("{of: one.yaml, count: 2, network: ethernet-1g}", "[1, 2]"));
  ASSERT_EQ(run({"simulate", "cluster.yaml", "-o", "out", "--no-plot"}), 0) << err;
  const std::string first = read("out/results.csv");
  ASSERT_EQ(run({"simulate", "cluster.yaml", "-o", "out", "--no-plot"}), 0) << err;
  EXPECT_EQ(read("out/results.csv"), first);
}

// Expected: servers that are beside the worker as it is leave the base alone.
TEST_F(ServersOfOneWorker, ThatAreThereMakeNoOtherBase) {
  write("one.yaml", kOneGpu);
  write("cluster.yaml", experiment("{of: one.yaml, count: 2, network: ethernet-1g}", "[1, 2]"));
  ASSERT_EQ(
      run({"simulate", "cluster.yaml", "-o", "out", "--no-plot", "--set", "aggregation.shards=2"}),
      0)
      << err;
  EXPECT_DOUBLE_EQ(predicted("speedup", 0), 1);
  EXPECT_THAT(out, Not(HasSubstr("One worker counts")));
}

// Step at 1 worker: 10 ms of arithmetic and 4 ms of communication; at 4 workers 10 + 3.
TEST(Scaling, AboveAllIsExplainedByWhatBecameShorter) {
  const ExperimentFile file = test::load("workers: [1, 4]\n");
  std::vector<ResultRow> rows = test::predicted(file, {100, 430});
  for (ResultRow& row : rows) {
    row.measurement.compute = 0.010;
    row.measurement.exposed_comm = row.index == 0 ? 0.004 : 0.003;
    row.measurement.step_mean = *row.measurement.compute + *row.measurement.exposed_comm;
  }
  EXPECT_THAT(findings(rows, SweptLabels(file.points)),
              testing::Contains("4 workers train 430.0 samples/sec. From 1 to 4 workers throughput "
                                "gains 4.30 x: an efficiency of 107.5 % (above 100 %: the "
                                "communication that workers wait for is shorter than with 1 "
                                "worker, 3.000 ms instead of 4.000 ms a mini-batch)."));
}

TEST(Scaling, AboveAllWithoutAShorterPartIsABaseThatWasSlow) {
  const ExperimentFile file = test::load("workers: [1, 4]\n");
  EXPECT_THAT(findings(test::predicted(file, {100, 430}), SweptLabels(file.points)).front(),
              HasSubstr("107.5 % (above 100 %: the base is slower for each worker)."));
}

}  // namespace
}  // namespace paceline
