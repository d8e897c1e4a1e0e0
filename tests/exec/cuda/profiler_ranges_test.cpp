// SPDX-License-Identifier: MIT
#include "exec/cuda/runtime/profiler_ranges.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>

#include "tests/exec/cuda/points.hpp"

namespace paceline::cuda {
namespace {

TEST(ProfilerRanges, HaveTheNamesOfRolesAndCommands) {
  Command command;
  command.what = LayerWork{{paceline::Pass::backward, 3, 18}, 0};
  EXPECT_EQ(range_name({1, StreamKind::compute}, command, 2), "worker 1 backward 3-17");
  EXPECT_EQ(range_name_of_both(0, {paceline::Pass::forward, 0, 18}),
            "worker 0 forward and backward 0-17");
  command.what = Command::Copy{};
  EXPECT_EQ(range_name({1, StreamKind::push}, command, 2), "worker 1 push");
  EXPECT_EQ(range_name({1, StreamKind::fetch}, command, 2), "worker 1 fetch");
  command.what = Command::Update{};
  EXPECT_EQ(range_name({2, StreamKind::compute}, command, 2), "server 0 update");
  command.what = Command::Reduce{};
  EXPECT_EQ(range_name({0, StreamKind::compute}, command, 2), "worker 0 sum");
}

TEST(ProfilerRanges, NoneAreMadeWithoutAProfiler) {
  if (std::getenv("NVTX_INJECTION64_PATH") != nullptr) GTEST_SKIP() << "a profiler is here";
  EXPECT_FALSE(profiled());
}

class ProfiledPointTest : public PointsTest<1> {};

/// Of the next test's own process.
TEST_F(ProfiledPointTest, RunsWithAServer) {
  EXPECT_EQ(execute(experiment(2,
                               "devices: {virtual: 2}\naggregation: {kind: parameter-server, "
                               "placement: gpu}\n"))
                .status,
            "ok");
}

#ifdef PACELINE_FAKE_PROFILER
TEST(ProfilerRanges, AProfilerSeesStepsPassesAndExchanges) {
  if (!std::filesystem::exists(PACELINE_FAKE_PROFILER)) {
    GTEST_SKIP() << "the test runs on another computer, without " PACELINE_FAKE_PROFILER;
  }
  const std::string file = testing::TempDir() + "ranges-" + std::to_string(getpid());
  // that process runs its one test, of whichever part of all tests this is
  const std::string call =
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX NVTX_INJECTION64_PATH=" PACELINE_FAKE_PROFILER
      " FAKE_PROFILER=" +
      file + " " + std::filesystem::read_symlink("/proc/self/exe").string() +
      " --gtest_filter=ProfiledPointTest.* >/dev/null";
  ASSERT_EQ(std::system(call.c_str()), 0);
  std::ifstream in(file);
  std::set<std::string> ranges;
  for (std::string line; std::getline(in, line);) ranges.insert(line);
  std::filesystem::remove(file);
  for (const char* range : {"start worker 0 step 0", "start worker 1 step 21", "push worker 0 push",
                            "push worker 1 fetch", "push server 0 sum", "push server 0 update"}) {
    EXPECT_EQ(ranges.count(range), 1U) << range;
  }
  EXPECT_THAT(ranges, testing::Contains(testing::StartsWith("push worker 0 forward 0-")));
  EXPECT_THAT(ranges, testing::Not(testing::Contains(testing::HasSubstr("mark"))));
  EXPECT_THAT(ranges, testing::Contains(testing::MatchesRegex("push worker 1 backward .*")));
}
#endif

}  // namespace
}  // namespace paceline::cuda
