// SPDX-License-Identifier: MIT
// `draws: extremes` on the command line: what its results say, and which commands refuse it.
#include <algorithm>

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

class ExtremesCommand : public CommandTest {
 protected:
  /// An experiment of 16 workers on two computers, or one of each on a star.
  static void write_file(const std::string& keys) {
    write("p.yaml", "name: p\nmodel: mlp\nlayer_times: roofline\nsteps: 20\nupdate: sync\n" + keys +
                        "draws: extremes\n"
                        "stragglers: {compute: {kind: exponential, mean: 2 ms}}\n");
  }
  /// The message at the key, which is on the given line.
  static std::string refusal(int line, const std::string& why) {
    return "p.yaml:" + std::to_string(line) + ":8: error: 'draws: extremes' cannot hold: " + why +
           " (use exact)\n";
  }
};

const char* const kRing =
    "workers: 16\nmachine: {of: h200, count: 16, network: infiniband-hdr}\nsoftware: ideal\n"
    "aggregation: allreduce\n";

TEST_F(ExtremesCommand, ResultsSaySo) {
  write_file(kRing);
  ASSERT_EQ(run({"simulate", "p.yaml", "--no-plot", "--quiet"}), 0) << err;
  const std::string manifest = read("results/p/manifest.json");
  EXPECT_THAT(manifest, HasSubstr(R"("lanes: 1 for 16 workers, the longest delays only": 1)"));
  EXPECT_THAT(manifest, HasSubstr(R"("draws": "extremes")"));
  EXPECT_THAT(manifest, HasSubstr("only the longest delay of equal workers is drawn"));
  const std::string steps = read("results/p/steps.csv");
  EXPECT_EQ(std::count(steps.begin(), steps.end(), '\n'), 1) << "the names of the columns alone";
  ASSERT_EQ(run({"simulate", "p.yaml", "--no-plot", "--quiet", "--set", "draws=exact"}), 0) << err;
  const std::string exact = read("results/p@draws=exact/manifest.json");
  EXPECT_THAT(exact, HasSubstr(R"("draws": "exact")"));
  EXPECT_THAT(exact, Not(HasSubstr("longest")));
}

TEST_F(ExtremesCommand, OfOneWorkerAreExact) {
  write_file("workers: 1\nmachine: h200\nsoftware: ideal\naggregation: allreduce\n");
  ASSERT_EQ(run({"simulate", "p.yaml", "--no-plot", "--json"}), 0) << err;
  const std::string extremes = out;
  ASSERT_EQ(run({"simulate", "p.yaml", "--no-plot", "--json", "--set", "draws=exact"}), 0) << err;
  EXPECT_EQ(extremes, out);
}

TEST_F(ExtremesCommand, AreRefusedWhereACommandHasEveryWorker) {
  write_file(kRing);
  const auto refuses = [this](const std::vector<std::string>& args, const std::string& why) {
    EXPECT_EQ(run(args), 2);
    EXPECT_EQ(err, refusal(10, why)) << args.front();
    EXPECT_EQ(out, "");
  };
  refuses({"execute", "p.yaml"}, "an execution has every worker's delays");
  refuses({"run", "p.yaml"}, "an execution has every worker's delays");
  refuses({"simulate", "p.yaml", "--trace"}, "--trace shows every worker");
  refuses({"simulate", "p.yaml", "--unfolded"}, "--unfolded simulates every worker");
  refuses({"explain", "p.yaml"}, "an explanation shows every worker");
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(ExtremesCommand, AreRefusedOnMachinesWhereMoreThanTheLastCounts) {
  write_file(
      "workers: 16\nmachine: {of: dgx1-v100, count: 2, network: infiniband-hdr}\n"
      "software: {dispatchers: gpu, decision_latency: 1 us}\n"
      "aggregation: {kind: allreduce, algorithm: ring}\n");
  EXPECT_EQ(run({"simulate", "p.yaml", "--no-plot"}), 2);
  EXPECT_EQ(err, refusal(10, "workers, or the links between them, are not equal"));
  write("p.csv", "workers,throughput,source\n16,1000,a table\n");
  EXPECT_EQ(run({"validate", "p.yaml", "--set", "published={table: p.csv}"}), 2);
  EXPECT_EQ(err, refusal(10, "workers, or the links between them, are not equal"));
  EXPECT_EQ(run({"simulate", "p.yaml", "--no-plot", "--set", "aggregation.algorithm=hierarchical"}),
            0)
      << err;
  EXPECT_EQ(run({"simulate", "p.yaml", "--no-plot", "--set", "machine=this", "--set",
                 "layer_times=auto"}),
            2);
  EXPECT_THAT(err, HasSubstr("the workers share this computer"));
  EXPECT_FALSE(std::filesystem::exists("results/p"));
}

}  // namespace
}  // namespace paceline
