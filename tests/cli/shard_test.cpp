// SPDX-License-Identifier: MIT
// Parts of a sweep: several processes share the points of one experiment and one results folder.
#include "cli/shard.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "cli/results_lock.hpp"
#include "experiments/language/diagnostics.hpp"
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

constexpr const char* kExperiment = R"(name: parts
model: {kind: synthetic, compute: 10 ms, gradient: 1 MB}
machine: dgx1-p100
workers: [1, 2, 3, 4, 5]
update: [sync, async]
stragglers: {compute: {kind: exponential, mean: 5 ms}}
steps: 6
warmup: 1
repeats: 2
)";

constexpr std::array<const char*, 7> kVariables{
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",    "PMI_SIZE",
    "SLURM_PROCID",         "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"};

class Shards : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("parts.yaml", kExperiment);
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);  // the start is in the manifest
    for (const char* variable : kVariables) unsetenv(variable);
  }
  void TearDown() override {
    unsetenv("SOURCE_DATE_EPOCH");
    for (const char* variable : kVariables) unsetenv(variable);
    CommandTest::TearDown();
  }

  /// The results of one process, as files by name; points included.
  std::map<std::string, std::string> whole() {
    EXPECT_EQ(run({"simulate", "parts.yaml", "-j", "1"}), 0) << err;
    return take();
  }
  /// Reads and removes the results folder.
  static std::map<std::string, std::string> take() {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator("results/parts")) {
      if (entry.is_regular_file()) files[entry.path().string()] = read(entry.path());
    }
    std::filesystem::remove_all("results");
    return files;
  }
  int part(const std::string& shard) {
    return run({"simulate", "parts.yaml", "-j", "1", "--shard", shard});
  }
};

TEST_F(Shards, ReadsAPart) {
  const Shard shard = read_shard("3/64");
  EXPECT_EQ(shard.number, 3);
  EXPECT_EQ(shard.count, 64);
  EXPECT_TRUE(shard.holds(2));
  EXPECT_TRUE(shard.holds(66));
  EXPECT_FALSE(shard.holds(3));
  EXPECT_EQ(shard.text(), "part 3 of 64");
}

TEST_F(Shards, RefusesWhatIsNoPart) {
  for (const char* text : {"0/4", "5/4", "x", "1/", "/4", "1/0", "-1/4", "1/4/4", " 1/4", "1/65537",
                           "99999999999/4"}) {
    EXPECT_EQ(part(text), 2) << text;
    EXPECT_EQ(err, "paceline: error: --shard '" + std::string(text) +
                       "' is not a part of a sweep (I/N with I from 1 to N, and N at most "
                       "65536)\n");
  }
  EXPECT_EQ(run({"execute", "parts.yaml", "--shard", "1/2"}), 2);
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(Shards, RefuseThisComputer) {
  write("this.yaml", "name: this\nmodel: {kind: synthetic, compute: 1 ms, gradient: 1 MB}\n");
  EXPECT_EQ(run({"simulate", "this.yaml", "--shard", "1/2"}), 2);
  EXPECT_EQ(err,
            "this.yaml: error: points of 'machine: this' cannot be simulated in parts, since each "
            "computer has other times (use one process, or a machine file)\n");
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(Shards, HoldEachPointOnce) {
  for (std::size_t point = 0; point < 100; ++point) {
    int parts = 0;
    for (int number = 1; number <= 7; ++number) parts += Shard{number, 7}.holds(point) ? 1 : 0;
    EXPECT_EQ(parts, 1) << point;
  }
}

TEST_F(Shards, GiveTheBytesOfOneProcess) {
  const auto one = whole();
  EXPECT_EQ(part("2/3"), 0);
  EXPECT_EQ(err,
            "part 2 of 3 has 3 points; 7 points of the sweep not finished yet, the last part "
            "writes the results\n");
  EXPECT_EQ(out, "");
  EXPECT_EQ(part("1/3"), 0);
  EXPECT_FALSE(std::filesystem::exists("results/parts/results.csv"));
  EXPECT_EQ(part("3/3"), 0);
  EXPECT_THAT(err, HasSubstr("part 3 of 3 has 3 points; all are finished\n"));
  EXPECT_THAT(out, HasSubstr("results: results/parts/results.csv"));
  const auto parts = take();
  EXPECT_THAT(one, testing::Contains(testing::Key("results/parts/manifest.json")));
  EXPECT_TRUE(parts == one);
}

TEST_F(Shards, ThatAreMoreThanPointsAreEmpty) {
  const auto one = whole();
  EXPECT_EQ(part("12/12"), 0);
  EXPECT_THAT(err, HasSubstr("part 12 of 12 has 0 points; 10 points of the sweep"));
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(part(std::to_string(i) + "/12"), 0);
  EXPECT_TRUE(take() == one);
}

TEST_F(Shards, AreCompletedByTheCommandWithoutThem) {
  const auto one = whole();
  EXPECT_EQ(part("1/2"), 0);
  EXPECT_EQ(run({"simulate", "parts.yaml", "-j", "1"}), 0);
  EXPECT_THAT(err, testing::StartsWith("5 of 10 points reused\n"));
  EXPECT_TRUE(take() == one);
}

TEST_F(Shards, ContinueWhereTheyStopped) {
  const auto one = whole();
  EXPECT_EQ(part("1/2"), 0);
  const auto kept = std::filesystem::directory_iterator("results/parts/points")->path();
  std::filesystem::remove(kept);
  EXPECT_EQ(part("2/2"), 0);
  EXPECT_THAT(err, HasSubstr("; 1 point of the sweep not finished yet"));
  EXPECT_EQ(part("1/2"), 0);
  EXPECT_THAT(err, testing::StartsWith("4 of 5 points reused\n"));
  EXPECT_TRUE(take() == one);
}

// Failures are not kept, so that the parts never write them; the command without parts does.
TEST_F(Shards, ThatFailAreReported) {
  write("heavy.yaml",
        "name: heavy\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\n"
        "machine: ideal\nupdate: sync\nsteps: 20\nworkers: [1, 2]\n"
        "stragglers: {compute: {kind: pareto, minimum: 1 s, shape: 0.1}}\n");
  for (const char* shard : {"1/2", "2/2"}) {
    EXPECT_EQ(run({"simulate", "heavy.yaml", "--shard", shard}), 1);
    EXPECT_THAT(err, HasSubstr("2 points of the sweep not finished yet"));
    EXPECT_THAT(err, HasSubstr("predicted: failed: "));
    EXPECT_FALSE(std::filesystem::exists("results/heavy/results.csv"));
  }
  EXPECT_EQ(run({"simulate", "heavy.yaml"}), 1);
  EXPECT_THAT(read("results/heavy/results.csv"), HasSubstr("failed: "));
}

TEST_F(Shards, LeaveTheResultsToTheProcessThatWritesThem) {
  EXPECT_EQ(part("1/2"), 0);
  const ResultsLock lock("results/parts/points");
  EXPECT_TRUE(lock.held());
  EXPECT_EQ(part("2/2"), 0);
  EXPECT_THAT(err, HasSubstr("all are finished, and another part is writing the results"));
  EXPECT_FALSE(std::filesystem::exists("results/parts/results.csv"));
}

TEST_F(Shards, RunAtTheSameTime) {
  const auto one = whole();
  constexpr int kParts = 8;
  std::vector<pid_t> children;
  for (int i = 1; i <= kParts; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(part(std::to_string(i) + "/" + std::to_string(kParts)));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(take() == one);
}

TEST_F(Shards, AreTakenFromTheLauncher) {
  EXPECT_FALSE(launched_shard());
  setenv("SLURM_PROCID", "0", 1);
  setenv("SLURM_NTASKS", "4", 1);
  EXPECT_FALSE(launched_shard()) << "a batch script runs once for all tasks";
  setenv("SLURM_STEP_NUM_TASKS", "4", 1);
  EXPECT_EQ(launched_shard()->text(), "part 1 of 4");
  EXPECT_EQ(launched_shard()->launcher, "srun");
  setenv("PMI_RANK", "5", 1);
  setenv("PMI_SIZE", "6", 1);
  EXPECT_EQ(launched_shard()->text(), "part 6 of 6");
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_EQ(launched_shard()->text(), "part 2 of 2");
  EXPECT_EQ(launched_shard()->launcher, "mpirun");
  setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  EXPECT_FALSE(launched_shard()) << "mpirun -n 1 in a step of several tasks";
}

TEST_F(Shards, OfALauncherGiveTheBytesOfOneProcess) {
  const auto one = whole();
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  EXPECT_EQ(run({"simulate", "parts.yaml", "-j", "1"}), 0);
  EXPECT_THAT(err, HasSubstr("part 2 of 2, started by mpirun, has 5 points; 5 points of the"));
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  EXPECT_EQ(run({"simulate", "parts.yaml", "-j", "1"}), 0);
  EXPECT_TRUE(take() == one);
}

}  // namespace
}  // namespace paceline
