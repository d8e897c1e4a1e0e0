// SPDX-License-Identifier: MIT
#include <algorithm>
#include <sstream>

#include "cli/profile_file.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"
#include "tests/training/strategies/collectives/msccl_ring.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

/// Two GPUs behind one switch, without latencies but the ports' 1 us: a hop of two ports.
constexpr const char* kPair = R"(name: pair
machine:
  gpus: [{model: p100-sxm2, count: 4}]
  host: {cores: 1, memory_bandwidth: 100 GB/s}
  vertices: [{kind: network-switch, names: [switch]}]
  link_types: {port: {kind: ethernet, bandwidth: 10 GB/s, latency: 1 us, source: test}}
  links: [{type: port, from: switch, to: [cpu0, gpu0..gpu3]}]
software: ideal
steps: 3
)";

class Collective : public CommandTest {
 protected:
  /// The cell of a column in the first row of results.csv with `source`.
  std::string cell(const std::string& folder, const std::string& source,
                   const std::string& column) {
    std::istringstream lines(read(folder + "/results.csv"));
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> names = split(line);
    const auto place = std::find(names.begin(), names.end(), column) - names.begin();
    while (std::getline(lines, line)) {
      const std::vector<std::string> cells = split(line);
      if (cells[1] == source) return cells[static_cast<std::size_t>(place)];
    }
    return "";
  }
  double seconds(const std::string& workload, int workers = 2) {
    write("pair.yaml", kPair + ("workers: " + std::to_string(workers)) +
                           "\nworkload: {kind: collective, " + workload + "}\n");
    EXPECT_EQ(run({"simulate", "pair.yaml", "-o", "out", "--no-plot"}), 0) << err;
    return std::stod(cell("out", "predicted", "iteration_s_mean"));
  }

 private:
  static std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string one; std::getline(text, one, ',');) cells.push_back(one);
    return cells;
  }
};

constexpr double kAlpha = 2e-6;            // two ports
constexpr double kSecondsPerMB = 100e-6;   // at 10 GB/s
constexpr double kSumPerMB = 3e6 / 732e9;  // two reads and a write at the P100's 732 GB/s

TEST_F(Collective, OfTwoRanksTakesWhatItsCopiesTake) {
  // no time is lost on the barriers between them
  EXPECT_NEAR(seconds("op: broadcast, size: 1 MB"), kAlpha + kSecondsPerMB, 1e-9);
  EXPECT_NEAR(seconds("op: all-gather, size: 1 MB"), kAlpha + kSecondsPerMB / 2, 1e-9);
  // what has landed stays where it is
  EXPECT_NEAR(seconds("op: all-to-all, size: 1 MB"), kAlpha + kSecondsPerMB / 2, 1e-9);
}

TEST_F(Collective, OfFourRanksCountsAsNcclTestsDoes) {
  // three steps of a quarter
  EXPECT_NEAR(seconds("op: all-gather, size: 4 MB", 4), 3 * (kAlpha + kSecondsPerMB), 1e-9);
  const double algbw = std::stod(cell("out", "predicted", "throughput"));
  EXPECT_NEAR(algbw, 4e6 / (3 * (kAlpha + kSecondsPerMB)), 1);
  EXPECT_NEAR(std::stod(cell("out", "predicted", "busbw")), algbw * 3 / 4, 1);
  EXPECT_EQ(cell("out", "predicted", "item"), "bytes");
  EXPECT_THAT(
      out,
      HasSubstr("     4000000       1000000   float   none     -1     306.00   13.07    9.80"));
}

TEST_F(Collective, RunsOnThreadsToo) {
  save_profile(default_profile_path(), made_up_profile());
  for (const char* op :
       {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "all-to-all"}) {
    EXPECT_EQ(run({"collective", "--op", op, "-b", "4", "-e", "1K", "-f", "16", "--ranks", "3",
                   "-n", "2", "--execute", "--no-plot", "-o", op}),
              0)
        << err;
    EXPECT_EQ(cell(op, "measured", "status"), "ok") << op;
    EXPECT_EQ(cell(op, "measured", "updates"), "2") << op;
    EXPECT_THAT(out, HasSubstr("\n#       size         count    type  redop   root      time"))
        << op;
  }
}

// From 8 to 19 bytes in steps of 1.1 there are three whole numbers of floats.
TEST_F(Collective, EachSizeIsOnceHoweverSmallTheFactor) {
  ASSERT_EQ(run({"collective", "--machine", "dgx1-v100", "--ranks", "2", "-b", "8", "-e", "19",
                 "-f", "1.1", "--no-plot", "-o", "out", "--algorithm", "ring"}),
            0)
      << err;
  std::istringstream lines(read("out/results.csv"));
  int sizes = 0;
  for (std::string line; std::getline(lines, line);)
    sizes += line.find(",predicted,") != std::string::npos ? 1 : 0;
  EXPECT_EQ(sizes, 3);
  EXPECT_EQ(run({"collective", "--machine", "dgx1-v100", "-f", "1.0000001"}), 2);
  EXPECT_EQ(err, "paceline: error: -f 1.0000001 gives more than 1000 sizes\n");
}

TEST_F(Collective, StandsBesideALogOfNcclTests) {
  write("run.log",
        "# nThread 1 nGpus 8\n#  Rank  0 Group 0\n#  Rank  1 Group 0\n"
        " 1048576 262144 float sum -1 80.0 13.1 13.1 0 70.0 15.0 15.0 0\n"
        " 2097152 524288 float sum -1 120.0 17.5 17.5 0 110.0 19.1 19.1 0\n");
  ASSERT_EQ(run({"collective", "--machine", "dgx1-v100", "--ranks", "2", "-b", "1M", "-e", "4M",
                 "--against", "run.log", "--no-plot", "-o", "out"}),
            0)
      << err;
  EXPECT_THAT(out, HasSubstr("nccl-tests"));
  EXPECT_EQ(cell("out", "published", "iteration_s_mean"), "0.00007");
  EXPECT_THAT(out, HasSubstr("Predicted against the throughput of nccl-tests (2 points)"));
  EXPECT_EQ(run({"collective", "--machine", "dgx1-v100", "--ranks", "4", "--against", "run.log"}),
            2);
  EXPECT_THAT(err, HasSubstr("is of 2 ranks, and the point has 4 workers"));
}

TEST_F(Collective, ByAProgramOfMsccl) {
  write("ring.xml", msccl_ring(4));
  ASSERT_EQ(run({"collective", "--machine", "dgx1-v100", "--ranks", "4", "-b", "1M", "-e", "1M",
                 "--algorithm", "ring.xml", "--no-plot", "-o", "out"}),
            0)
      << err;
  const std::string by_program = cell("out", "predicted", "iteration_s_mean");
  ASSERT_EQ(run({"collective", "--machine", "dgx1-v100", "--ranks", "4", "-b", "1M", "-e", "1M",
                 "--algorithm", "ring", "--no-plot", "-o", "ours"}),
            0)
      << err;
  EXPECT_EQ(cell("ours", "predicted", "iteration_s_mean"), by_program);

  EXPECT_EQ(run({"collective", "--machine", "dgx1-v100", "--ranks", "8", "-b", "1M", "-e", "1M",
                 "--algorithm", "ring.xml"}),
            2);
  EXPECT_THAT(err, HasSubstr("ring.xml' is for 4 GPUs, not for 8 workers"));
  EXPECT_EQ(run({"collective", "--machine", "dgx1-v100", "--algorithm", "none.xml"}), 2);
  EXPECT_THAT(err, HasSubstr("none.xml: error: cannot read (No such file or directory)"));
}

// A program that has changed makes another point, which is not taken from the last results.
TEST_F(Collective, AChangedProgramRunsAgain) {
  write("program.xml", msccl_ring(2));
  const std::string keys = "size: 10 MB, algorithm: {kind: msccl, file: program.xml}";
  const double once = seconds(keys);
  EXPECT_NEAR(once, 2 * kAlpha + 10 * kSecondsPerMB + 5 * kSumPerMB, 1e-9);
  // rank 0 sums all and sends it back: the whole buffer, twice
  const std::string block = "<tb id=\"0\" send=\"1\" recv=\"1\" chan=\"0\">";
  const std::string back = "<tb id=\"0\" send=\"0\" recv=\"0\" chan=\"0\">";
  write("program.xml",
        "<algo nchunksperloop=\"1\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\"><gpu id=\"0\">" +
            block + msccl_step(0, "rrcs", 0) + "</tb></gpu><gpu id=\"1\">" + back +
            msccl_step(0, "s", 0) + msccl_step(1, "r", 0) + "</tb></gpu></algo>");
  EXPECT_NEAR(seconds(keys), 2 * (kAlpha + 10 * kSecondsPerMB) + 10 * kSumPerMB, 1e-9);
}

TEST_F(Collective, RefusesWhatItCannotMeasure) {
  const auto refused = [&](std::vector<std::string> args) {
    args.insert(args.begin(), "collective");
    EXPECT_EQ(run(args), 2);
    EXPECT_FALSE(std::filesystem::exists("results"));
    return err;
  };
  EXPECT_EQ(refused({"-b", "x"}),
            "paceline: error: -b 'x' is not a size of 4 bytes to 1 TB, such as 8, 64K, 1M or 1G\n");
  EXPECT_EQ(refused({"-b", "2M", "-e", "1M"}), "paceline: error: -e 1M is below -b 2M\n");
  EXPECT_EQ(refused({"-f", "1"}), "paceline: error: -f '1' is not a number above 1\n");
  EXPECT_EQ(refused({"-f", "1.0001"}), "paceline: error: -f 1.0001 gives more than 1000 sizes\n");
  EXPECT_EQ(
      refused({"a.yaml"}),
      "paceline: error: collective takes options only (a file with 'workload' is for simulate, "
      "execute and run)\n");
  EXPECT_THAT(refused({"--op", "reduce", "--algorithm", "torus", "--machine", "dgx1-v100"}),
              HasSubstr("'algorithm' of op reduce is nccl, a program of msccl, or left out for its "
                        "one schedule"));
  EXPECT_THAT(refused({"--machine", "dgx2"}), HasSubstr("unknown machine 'dgx2'"));
}

}  // namespace
}  // namespace paceline
