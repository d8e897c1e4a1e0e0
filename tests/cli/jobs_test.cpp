// SPDX-License-Identifier: MIT
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

// Two pairs of GPUs behind switches of their own, and one cable between the switches.
class Jobs : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("a.yaml",
          "name: twin\nmodel: {kind: synthetic, compute: 10 ms, gradient: 100 MB}\nworkers: 2\n"
          "software: ideal\naggregation: {kind: allreduce, overlap: false}\n");
    write("jobs.yaml", R"(name: jobs
machine:
  gpus: [{model: p100-sxm2, count: 4}]
  host: {cores: 8, memory_bandwidth: 100 GB/s}
  vertices: [{kind: pcie-switch, names: [left, right]}]
  link_types: {port: {kind: pcie, bandwidth: 10 GB/s, latency: 0 s, source: test}}
  links:
    - {type: port, from: cpu0, to: [left]}
    - {type: port, from: left, to: [right, gpu0, gpu1]}
    - {type: port, from: right, to: [gpu2, gpu3]}
jobs:
  - {experiment: a.yaml, gpus: [0, 2]}
  - {experiment: a.yaml, gpus: [1, 3]}
)");
  }
};

TEST_F(Jobs, EachIsToldWhatTheOthersCostIt) {
  ASSERT_EQ(run({"simulate", "jobs.yaml", "-o", "out", "--no-plot"}), 0) << err;
  // 10 ms of arithmetic; 10 ms of exchange alone, 20 ms beside the other
  EXPECT_THAT(out, HasSubstr("twin beside twin-2: 2,090 samples/sec, 33 % fewer than alone."));
  EXPECT_THAT(out, HasSubstr("twin-2 beside twin: "));
  const std::string rows = read("out/results.csv");
  EXPECT_THAT(rows, HasSubstr("swept.job,swept.fabric,"));
  EXPECT_THAT(rows, HasSubstr(",twin-2,shared,"));
}

TEST_F(Jobs, ExplainTakesAJobBesideTheOthers) {
  ASSERT_EQ(run({"explain", "jobs.yaml"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("job=twin, fabric=shared\n"));
}

}  // namespace
}  // namespace paceline
