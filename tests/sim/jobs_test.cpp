// SPDX-License-Identifier: MIT
// Jobs that share a machine, against hand computation: two pairs of GPUs, with links
// that cross one cable, or do not.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "sim/simulate.hpp"

namespace paceline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class JobsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("jobs-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  /// A job that computes for `compute` and exchanges 100 MB.
  void write_job(const std::string& name, const std::string& compute,
                 const std::string& rest = "workers: 2\n") const {
    write(name + ".yaml", "name: " + name + "\nmodel: {kind: synthetic, compute: " + compute +
                              ", gradient: 100 MB}\nsoftware: ideal\n"
                              "aggregation: {kind: allreduce, overlap: false}\n" +
                              rest);
  }
  /// Two jobs on the GPUs `first` and `second`; all links carry 10 GB/s.
  ExperimentFile load(const std::string& first, const std::string& second,
                      const std::string& rest = "", const std::string& name = "b") const {
    return load_experiment_text(
        (folder_ / "jobs.yaml").string(),
        "name: jobs\nmachine:\n"
        "  gpus: [{model: p100-sxm2, count: 4}]\n"
        "  host: {cores: 8, memory_bandwidth: 100 GB/s}\n"
        "  vertices: [{kind: pcie-switch, names: [left, right]}]\n"
        "  link_types: {port: {kind: pcie, bandwidth: 10 GB/s, latency: 0 s, source: test}}\n"
        "  links:\n"
        "    - {type: port, from: cpu0, to: [left]}\n"
        "    - {type: port, from: left, to: [right, gpu0, gpu1]}\n"
        "    - {type: port, from: right, to: [gpu2, gpu3]}\n"
        "steps: 20\nwarmup: 2\njobs:\n  - {experiment: a.yaml, gpus: " +
            first + "}\n  - {experiment: " + name + ".yaml, gpus: " + second + "}\n" + rest,
        {});
  }
  static double iteration(const ExperimentPoint& point) {
    return *simulate(make_prediction(point, nullptr)).iteration_mean;
  }

  std::filesystem::path folder_;
};

TEST_F(JobsTest, TwoOfAKindOnOneCableExchangeHalfAsFast) {
  write_job("a", "30 ms");
  const ExperimentFile file = load("[0, 2]", "[1, 3]", "", "a");
  ASSERT_EQ(file.points.size(), 4U);
  EXPECT_THAT(file.swept, testing::ElementsAre("job", "fabric"));
  EXPECT_EQ(file.points[0].swept[1].value, "alone");
  EXPECT_EQ(file.points[3].swept[0].value, "a-2");
  EXPECT_EQ(file.points[3].swept[1].value, "shared");
  // a ring of two sends half of the bytes in each of two steps; sums in a GPU's memory take little
  const double alone = iteration(file.points[0]);
  EXPECT_NEAR(alone, 0.030 + 0.010, 0.001);
  EXPECT_NEAR(iteration(file.points[1]), alone + 0.010, 1e-9);
  EXPECT_NEAR(iteration(file.points[3]), alone + 0.010, 1e-9);
}

TEST_F(JobsTest, JobsOnLinksOfTheirOwnDoNotSlowEachOther) {
  write_job("a", "30 ms");
  write_job("b", "7 ms");
  const ExperimentFile file = load("[0, 1]", "[2, 3]");
  EXPECT_EQ(iteration(file.points[0]), iteration(file.points[1]));
  EXPECT_EQ(iteration(file.points[2]), iteration(file.points[3]));
}

TEST_F(JobsTest, AJobThatOnlyExchangesTakesHalfOfTheCableForEver) {
  write_job("a", "1 s");
  write_job("b", "1 ns");  // it goes on however long the other is measured
  const ExperimentFile file = load("[0, 2]", "[1, 3]");
  EXPECT_NEAR(iteration(file.points[1]), 1 + 0.020, 0.002);
  // nearly alone meanwhile
  EXPECT_NEAR(iteration(file.points[3]) / iteration(file.points[2]), 1.01, 0.005);
}

TEST_F(JobsTest, AFilesOwnSweepIsOverAllJobs) {
  write_job("a", "30 ms");
  write_job("b", "7 ms");
  const ExperimentFile file = load("[0, 2]", "[1, 3]");
  EXPECT_EQ(file.name, "jobs");
  EXPECT_EQ(file.points[2].experiment.name, "jobs");
  EXPECT_EQ(file.points[2].experiment.steps.rounds, 20);
  ASSERT_EQ(file.points[3].beside.size(), 1U);
  EXPECT_EQ(file.points[3].beside.front()->swept.back().value, "a");
}

TEST_F(JobsTest, MistakesAreRefused) {
  const auto error_of = [&](const std::string& first, const std::string& second,
                            const std::string& rest = "", const std::string& name = "b") {
    try {
      load(first, second, rest, name);
    } catch (const SpecError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  write_job("a", "30 ms");
  write_job("b", "7 ms");
  EXPECT_THAT(error_of("[0, 1]", "[1, 2]"),
              HasSubstr("jobs 'a' and 'b' both have GPU 1 (give each job 'gpus' of its own)"));
  EXPECT_THAT(error_of("[0, 1]", "[2, 3]", "batch: 4\n"),
              AllOf(HasSubstr("jobs.yaml:"), HasSubstr("'batch' is for one job")));
  EXPECT_THAT(error_of("[0, 1]", "[2, 3]", "", "none"),
              AllOf(HasSubstr("jobs.yaml:15:18: "), HasSubstr("cannot open experiment"),
                    HasSubstr("none.yaml")));
  write_job("b", "7 ms", "workers: [1, 2]\n");
  EXPECT_THAT(error_of("[0, 1]", "[2, 3]"), HasSubstr("has 2 points, and a job is one"));
  write_job("b", "7 ms", "workers: 2\nprocesses: {count: 2}\n");
  EXPECT_THAT(error_of("[0, 1]", "[2, 3]"),
              HasSubstr("'processes' is for a job that has its machine to itself"));
  write("b.yaml", "name: b\njobs: []\n");
  EXPECT_THAT(error_of("[0, 1]", "[2, 3]"), HasSubstr("has jobs of its own"));
}

// The role that queues the last update may end before that update does; the window ends with it.
TEST_F(JobsTest, EveryAggregationEndsItsWindowBesideAnotherJob) {
  for (const auto& row : family<Aggregation>().rows) {
    for (const auto& [name, compute] : {std::pair{"a", "10 ms"}, std::pair{"b", "3 ms"}}) {
      write(std::string(name) + ".yaml",
            "name: " + std::string(name) + "\nmodel: {kind: synthetic, compute: " + compute +
                ", gradient: 440 kB}\nworkers: 2\naggregation: " + row.name + "\n");
    }
    for (const ExperimentPoint& point : load("[0, 1]", "[2, 3]").points) {
      const Measurement got = simulate(make_prediction(point, nullptr));
      SCOPED_TRACE(row.name);
      EXPECT_GT(*got.iteration_mean, 2.9e-3);
      EXPECT_GE(*got.updates, 20 - 1e-9);
      EXPECT_EQ(why_impossible(got, 1e-9), "");
    }
  }
}

}  // namespace
}  // namespace paceline
