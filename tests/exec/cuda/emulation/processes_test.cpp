// SPDX-License-Identifier: MIT
// Processes of the operating system, each with an emulated GPU: the test's own program again, for
// every rank but 0. Their NCCL meets in a folder.
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/cuda/cuda_roles.hpp"
#include "exec/cuda/facts.hpp"
#include "exec/processes/joint_execution.hpp"
#include "tests/exec/cuda/emulation/shared_clique.hpp"
#include "tests/exec/cuda/points.hpp"

namespace paceline::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// of a rank, in its environment
constexpr const char* kRank = "PACELINE_TEST_RANK";
constexpr const char* kFolder = "PACELINE_TEST_FOLDER";
constexpr const char* kVictim = "PACELINE_TEST_VICTIM";  // the rank that dies

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Kills its process when a worker draws mini-batch 3, or, where it does not die, waits for that
/// death before mini-batch 5.
struct Deadly final : Dataset {
  std::shared_ptr<const Dataset> whole;
  std::filesystem::path death;  ///< a file that is made then
  bool dies = false;
  void draw(const Shape& input, int classes, std::uint64_t seed, int worker, std::int64_t step,
            std::span<float> inputs, std::span<float> targets) const override {
    if (dies && step == 3) {
      std::ofstream(death) << "dead";
      raise(SIGKILL);
    }
    while (!dies && step == 5 && !std::filesystem::exists(death))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    whole->draw(input, classes, seed, worker, step, inputs, targets);
  }
};

/// Makes process `victim` die of its dataset.
void let_die(ExperimentFile& file, const std::filesystem::path& folder, int rank, int victim) {
  Choice<Dataset>& dataset = file.points.front().experiment.train->dataset;
  const auto deadly = std::make_shared<Deadly>();
  deadly->whole = dataset.part();
  deadly->death = folder / "death";
  deadly->dies = rank == victim;
  dataset = Choice<Dataset>(dataset.row(), deadly);
}

/// The folder has the experiment (`lines`), its number of workers and processes, and the port of
/// process 0.
class RealProcessesTest : public PointsTest<4> {
 protected:
  void SetUp() override {
    PointsTest<4>::SetUp();
    const char* given = std::getenv(kFolder);
    folder_ = given != nullptr ? given : testing::TempDir() + "ranks-" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    emulation::share_nccl(folder_);
  }
  void TearDown() override {
    emulation::share_nccl({});
    if (std::getenv(kFolder) == nullptr) std::filesystem::remove_all(folder_);
    PointsTest<4>::TearDown();
  }

  static Membership membership(int rank, int size, const Endpoint& leader) {
    Membership one;
    one.rank = rank;
    one.size = size;
    one.secret = Secret("a secret of tests alone");
    one.leader = {leader};
    return one;
  }

  /// Starts rank `rank`. It finds all else in the folder.
  pid_t start(int rank, int victim) const {
    const pid_t child = fork();
    if (child != 0) return child;
    // the child runs its one test, of whichever part of all tests this is
    for (const char* part : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) unsetenv(part);
    setenv(kRank, std::to_string(rank).c_str(), 1);
    setenv(kFolder, folder_.c_str(), 1);
    if (victim > 0) setenv(kVictim, std::to_string(victim).c_str(), 1);
    execl("/proc/self/exe", "ranks", "--gtest_filter=RealProcessesTest.Rank", "--gtest_brief=1",
          nullptr);
    _exit(1);
  }

  /// The measurement of process 0. Process `victim` dies, if there is one.
  Measurement on_processes(int count, const std::string& strategy, int victim = 0) {
    std::filesystem::remove(folder_ / "death");
    const std::string lines = strategy + "processes: {count: " + std::to_string(count) + "}\n";
    Membership first = membership(0, count, {});
    first.listener.emplace(Endpoint{"127.0.0.1", 0}, first.secret);
    const Endpoint leader{"127.0.0.1", first.listener->port()};
    first.leader = {leader};
    std::ofstream(folder_ / "lines") << lines;
    std::ofstream(folder_ / "count") << count << " " << leader.port;
    std::vector<pid_t> children;
    for (int rank = 1; rank < count; ++rank) children.push_back(start(rank, victim));
    ExperimentFile file = experiment(count, lines);
    if (victim > 0) let_die(file, folder_, 0, victim);
    Measurement measured;
    {
      Group group(std::move(first), "test");
      const auto accelerator = make_accelerator();
      EXPECT_EQ(accelerator->not_executable(file.points.front(), &group), "");
      measured = accelerator->execute_jointly(make_setting(file.points.front()), group, false);
    }
    for (int rank = 1; rank < count; ++rank) {
      int status = 0;
      waitpid(children[static_cast<std::size_t>(rank - 1)], &status, 0);
      const bool killed = WIFSIGNALED(status);
      EXPECT_EQ(killed, rank == victim);
      EXPECT_TRUE(killed || WEXITSTATUS(status) == 0);
    }
    return measured;
  }

  std::filesystem::path folder_;
};

TEST_F(RealProcessesTest, Rank) {
  const char* given = std::getenv(kRank);
  if (given == nullptr) return;  // other tests start it in a process of its own
  int count = 0;
  std::uint16_t port = 0;
  std::ifstream(folder_ / "count") >> count >> port;
  ExperimentFile file = experiment(count, read(folder_ / "lines"));
  if (const char* victim = std::getenv(kVictim))
    let_die(file, folder_, std::stoi(given), std::stoi(victim));
  Group group(membership(std::stoi(given), count, {"127.0.0.1", port}), "test");
  const auto accelerator = make_accelerator();
  EXPECT_EQ(accelerator->take_part_in(make_setting(file.points.front()), group, false), "");
}

TEST_F(RealProcessesTest, ComputeWhatOneProcessComputes) {
  for (const int count : {2, 4}) {
    for (const char* algorithm : {"nccl", "ring"}) {
      const std::string strategy =
          "aggregation: {kind: allreduce, algorithm: " + std::string(algorithm) + "}\n";
      const Measurement several = on_processes(count, strategy);
      emulation::share_nccl({});
      const Measurement one = execute(experiment(count, strategy));
      emulation::share_nccl(folder_);
      ASSERT_EQ(one.status, "ok");
      ASSERT_EQ(several.status, "ok") << count << strategy;
      ASSERT_EQ(several.curve.size(), one.curve.size());
      for (std::size_t i = 0; i < one.curve.size(); ++i)
        EXPECT_EQ(several.curve[i].loss, one.curve[i].loss) << count << strategy << i;
    }
  }
}

TEST_F(RealProcessesTest, AProcessThatDiesEndsThePointOrItsWorkersOnly) {
  for (const char* algorithm : {"nccl", "ring"}) {
    const Measurement left = on_processes(
        2, "aggregation: {kind: allreduce, algorithm: " + std::string(algorithm) + "}\n", 1);
    EXPECT_THAT(left.status, AllOf(StartsWith("failed: process 1 ("), HasSubstr("was lost: its ")));
  }
  const Measurement left = on_processes(3, "aggregation: parameter-server\nupdate: async\n", 2);
  EXPECT_THAT(left.status, AllOf(StartsWith("failed: process 2 ("),
                                 HasSubstr("the other processes finished the point without it")));
}

}  // namespace
}  // namespace paceline::cuda
