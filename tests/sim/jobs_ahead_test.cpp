// SPDX-License-Identifier: MIT
// Jobs beside each other, with exchanges that are worked out ahead but for the copies that another
// job may disturb, against the events of the same run: random machines, jobs, skews and buckets,
// equal to the picosecond.
#include "sim/jobs_ahead.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/simulate.hpp"
#include "tests/sim/recorded_ends.hpp"

namespace paceline {
namespace {

namespace fs = std::filesystem;

/// Three switches in a row, with GPUs on each: a ring over the GPUs in their order, and two jobs on
/// GPUs of their own that send over the cables between the switches.
class RandomJobs {
 public:
  explicit RandomJobs(unsigned seed) : random_(seed) {}

  /// A file of three jobs, with files of its jobs beside it.
  std::string file(const fs::path& folder) {
    const int in_ring = number(1, 12);  // on each switch
    write(folder / "ring.yaml", ring(3 * in_ring, of({"1.3 MB", "100 MB", "100 B"})));
    write(folder / "pair.yaml", ring(2, "3 MB"));
    write(folder / "servers.yaml",
          job(2, of({"1 MB", "40 MB"})) +
              "update: async\naggregation: {kind: parameter-server, shards: 2}\n");
    std::string gpus[3], mine;
    for (int group = 0, gpu = 0; group < 3; ++group) {
      for (int i = 0; i < in_ring + 2; ++i, ++gpu) {
        gpus[group] += (i > 0 ? ", gpu" : "gpu") + std::to_string(gpu);
        if (i < in_ring) mine += (mine.empty() ? "" : ", ") + std::to_string(gpu);
      }
    }
    const int each = in_ring + 2, first = each - 2, second = each + first, third = 2 * each + first;
    const auto pair = [](int a, int b) {
      return "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
    };
    const bool far = number(0, 1) == 0;
    return "name: jobs\nmachine:\n  gpus: [{model: p100-sxm2, count: " + std::to_string(3 * each) +
           "}]\n  host: {cores: 8, memory_bandwidth: 100 GB/s, decision_latency: 0 s}\n"
           "  vertices: [{kind: network-switch, names: [left, middle, right]}]\n"
           "  link_types: {port: {kind: ethernet, source: test, bandwidth: " +
           tenths(1, 30) + " GB/s, connection: " + of({"0", "0", "2.29"}) +
           " GB/s, latency: " + tenths(0, 3) +
           " us}, cable: {kind: ethernet, source: test, bandwidth: " + tenths(1, 30) +
           " GB/s, latency: " + tenths(0, 2) +
           " us}}\n  links:\n    - {type: cable, from: left, to: [middle]}\n"
           "    - {type: cable, from: middle, to: [right]}\n    - {type: port, from: " +
           of({"left", "middle", "right"}) + ", to: [cpu0]}\n    - {type: port, from: left, to: [" +
           gpus[0] + "]}\n    - {type: port, from: middle, to: [" + gpus[1] +
           "]}\n    - {type: port, from: right, to: [" + gpus[2] +
           "]}\nsteps: 4\nwarmup: 1\njobs:\n  - {experiment: ring.yaml, gpus: [" + mine +
           "]}\n  - {experiment: pair.yaml, gpus: " + pair(first, far ? third : second) +
           "}\n  - {experiment: servers.yaml, gpus: " + pair(second + 1, third + 1) + "}\n";
  }

 private:
  int number(int least, int most) { return std::uniform_int_distribution<>(least, most)(random_); }
  std::string of(std::initializer_list<const char*> list) {
    return list.begin()[static_cast<std::size_t>(number(0, static_cast<int>(list.size()) - 1))];
  }
  std::string tenths(int least, int most) {
    return std::to_string(number(least, most)) + "." + std::to_string(number(0, 9));
  }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  std::string job(int workers, const std::string& gradient) {
    return "name: j\nsoftware: ideal\nworkers: " + std::to_string(workers) +
           "\nmodel: {kind: synthetic, compute: " + of({"3 ms", "200 us", "1 ns"}) +
           ", tensors: 5, gradient: " + gradient + "}\n" +
           of({"", "stragglers: {compute: {kind: exponential, mean: 2 ms}}\n",
               "stragglers: {compute: {kind: uniform, low: 0 s, high: 30 us}}\n"});
  }
  std::string ring(int workers, const std::string& gradient) {
    return job(workers, gradient) +
           "aggregation: {kind: allreduce, bucket: " + of({"25 MiB", "300 kB"}) +
           ", overlap: " + of({"true", "false"}) + "}\n";
  }

  std::mt19937 random_;
};

class JobsAhead : public testing::TestWithParam<unsigned> {};

TEST_P(JobsAhead, TimesAreThoseOfEvents) {
  const fs::path folder = fs::path(testing::TempDir()) / ("jobs-ahead-" + std::to_string(getpid()) +
                                                          "-" + std::to_string(GetParam()));
  fs::create_directories(folder);
  RandomJobs any(GetParam());
  int ran_ahead = 0;
  for (int round = 0; round < 8; ++round) {
    const std::string text = any.file(folder);
    const ExperimentFile file = load_experiment_text((folder / "jobs.yaml").string(), text, {});
    for (const ExperimentPoint& point : file.points) {
      if (point.beside.empty()) continue;
      Prediction prediction = make_prediction(point, nullptr);
      RecordedEnds ahead, events;
      ran_ahead += run_by_events(prediction, prediction.plan_of(0, &ahead), 0);
      prediction.by_events = true;
      ASSERT_EQ(run_by_events(prediction, prediction.plan_of(0, &events), 0), 0);
      std::ranges::sort(ahead.all);
      std::ranges::sort(events.all);
      ASSERT_EQ(ahead.all, events.all) << "round " << round << "\n" << text;
    }
  }
  EXPECT_GE(ran_ahead, 8);
  fs::remove_all(folder);
}
INSTANTIATE_TEST_SUITE_P(Random, JobsAhead, testing::Range(0U, 6U));

}  // namespace
}  // namespace paceline
