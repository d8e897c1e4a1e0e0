// SPDX-License-Identifier: MIT
// The command line of several processes: the leader, the written files, the errors.
#include <sys/wait.h>
#include <unistd.h>

#include "cli/experiment_run.hpp"
#include "cli/joint_points.hpp"
#include "cli/profile_file.hpp"
#include "cli/version.hpp"
#include "exec/processes/listener.hpp"
#include "tests/cli/command_fixture.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTwo = R"(name: two
model: {kind: mlp, inputs: 4, hidden: [8], classes: 2}
machine: this
batch: 4
workers: 2
update: [sync, async]
stragglers: {compute: {kind: constant, value: 2 ms}}
train: {dataset: gaussian-mixture}
steps: 5
warmup: 1
)";

/// A free port; the next port is free too.
int free_port() {
  for (;;) {
    const Listener first({"127.0.0.1", 0}, Secret());
    try {
      const Listener second({"127.0.0.1", static_cast<std::uint16_t>(first.port() + 1)}, Secret());
      return first.port();
    } catch (const ConnectionError&) {  // try another pair of ports
    }
  }
}

class ProcessesTest : public CommandTest {
 protected:
  /// Runs `words` as process 0 in this process and as process 1 in a child.
  int run_both(const std::vector<std::string>& words) { return run_both(words, words); }
  int run_both(const std::vector<std::string>& first, const std::vector<std::string>& second) {
    const std::string address = "127.0.0.1:" + std::to_string(free_port());
    const auto as = [&](std::vector<std::string> words, const char* rank) {
      words.insert(words.end(), {"--processes", "2", "--rank", rank, "--address", address});
      return words;
    };
    const pid_t child = fork();
    if (child == 0) {
      const int code = run(as(second, "1"));
      write("child.out", out);
      write("child.err", err);
      _exit(code);
    }
    const int code = run(as(first, "0"));
    int status = 0;
    waitpid(child, &status, 0);
    child_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return code;
  }
  void write_profile() {
    Profile profile;
    profile.measured = "never";
    profile.version = version();
    profile.host.cores = 2;
    profile.host.copy_bandwidth = profile.host.memory_bandwidth = BytesPerSecond{5e9};
    profile.tcp.emplace();
    profile.tcp->between = "this computer";
    profile.tcp->stream = profile.tcp->together = BytesPerSecond{1e9};
    save_profile(default_profile_path(), profile);
  }

  int child_code = -1;
};

TEST_F(ProcessesTest, ProcessZeroWritesAndTheOthersAreSilent) {
  write_profile();
  write("two.yaml", kTwo);
  EXPECT_EQ(run_both({"run", "two.yaml", "--json"}), 0) << err;
  EXPECT_EQ(child_code, 0);
  EXPECT_EQ(read("child.out"), "");
  EXPECT_EQ(read("child.err"), "");
  EXPECT_THAT(out, HasSubstr("\"measured\""));
  const std::string csv = read("results/two/results.csv");
  EXPECT_THAT(csv, HasSubstr("two,measured,mlp,this,host,async"));
  EXPECT_THAT(csv, Not(HasSubstr("skipped")));
  EXPECT_THAT(csv, Not(HasSubstr("failed")));
  EXPECT_THAT(read("results/two/manifest.json"), HasSubstr("\"count\": 2"));
  // finished points are not run again
  EXPECT_EQ(run_both({"execute", "two.yaml", "--quiet"}), 0) << err;
  EXPECT_EQ(read("results/two/results.csv"), csv);
}

TEST_F(ProcessesTest, PointsForGpusRunOnThem) {
  setenv("PACELINE_CUDA_PLUGIN", PACELINE_FAKE_ACCELERATOR, 1);
  write("two.yaml", kTwo);
  EXPECT_EQ(run_both({"execute", "two.yaml", "--device", "cuda"}), 0) << err;
  unsetenv("PACELINE_CUDA_PLUGIN");
  EXPECT_EQ(child_code, 0);
  EXPECT_EQ(read("child.err"), "");
  const std::string csv = read("results/two/results.csv");
  EXPECT_THAT(csv, HasSubstr("two,measured,mlp,this,cuda,async"));
  EXPECT_THAT(csv, Not(HasSubstr("skipped")));
}

// The shards of both processes are in the file that process 0 writes; both load it.
TEST_F(ProcessesTest, WeightsAreSavedByProcessZeroAndLoadedByAll) {
  write_profile();
  write("two.yaml", kTwo);
  const std::vector<std::string> first{"execute", "two.yaml", "--save", "--set", "update=sync"};
  std::vector<std::string> second = first;
  ASSERT_EQ(run_both(first), 0) << err;
  std::vector<std::filesystem::path> saved;
  for (const auto& entry : std::filesystem::directory_iterator("results/two@update=sync/weights")) {
    saved.push_back(entry.path());
  }
  ASSERT_EQ(saved.size(), 1U);
  // one process ends with the same bits: both sum the same two gradients
  ASSERT_EQ(run({"execute", "two.yaml", "--save", "--set", "update=sync", "-o", "one"}), 0) << err;
  const auto one = std::filesystem::directory_iterator("one/weights")->path();
  EXPECT_NE(one.filename(), saved.front().filename());
  EXPECT_EQ(read(one), read(saved.front()));
  std::filesystem::rename(saved.front(), "w.safetensors");
  second.insert(second.end(), {"--load", "w.safetensors", "-o", "again"});
  ASSERT_EQ(run_both(second), 0) << err;
  EXPECT_EQ(child_code, 0) << read("child.err");
  EXPECT_THAT(read("again/results.csv"), Not(HasSubstr("failed")));
  EXPECT_FALSE(std::filesystem::is_empty("again/weights"));
  // an error of one process is that of both
  EXPECT_EQ(run_both(second, first), 2);
  EXPECT_EQ(child_code, 2);
  EXPECT_THAT(err, HasSubstr("runs another experiment"));
}

TEST_F(ProcessesTest, OtherOptionsAreOneErrorOnBoth) {
  write("two.yaml", kTwo);
  EXPECT_EQ(run_both({"execute", "two.yaml"}, {"execute", "two.yaml", "--set", "steps=6"}), 2);
  EXPECT_EQ(child_code, 2);
  EXPECT_THAT(err,
              HasSubstr("runs another experiment, or another build of paceline, than process 0"));
  EXPECT_EQ(read("child.err"), err);
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(ProcessesTest, ASecretFileAuthenticatesBoth) {
  write("two.yaml", kTwo);
  write("secret", "0123456789abcdef0123456789abcdef\n");
  EXPECT_EQ(run_both({"execute", "two.yaml", "--secret-file", "secret", "--quiet"}), 0) << err;
  EXPECT_EQ(child_code, 0);
}

TEST_F(ProcessesTest, OverANetworkASecretIsNeeded) {
  write("two.yaml", kTwo);
  const std::vector<std::string> there{"execute", "two.yaml", "--processes", "2",
                                       "--rank",  "1",        "--address",   "192.0.2.1:7700"};
  EXPECT_EQ(run(there), 2);
  EXPECT_THAT(err, HasSubstr("--address '192.0.2.1:7700' is reached over the network"));
  EXPECT_THAT(err, HasSubstr("--secret-file"));
  write("short", "0123\n");
  std::vector<std::string> with_file = there;
  with_file.insert(with_file.end(), {"--secret-file", "short"});
  EXPECT_EQ(run(with_file), 2);
  EXPECT_EQ(err,
            "paceline: error: the secret in 'short' has 4 bytes, expected at least 16 (make one: "
            "head -c 32 /dev/urandom | base64)\n");
  with_file.back() = "absent";
  EXPECT_EQ(run(with_file), 2);
  EXPECT_THAT(err, HasSubstr("cannot read the secret in 'absent' (No such file or directory)"));
}

/// A process that is lost before the first point is a failure, not a lack of this computer.
TEST_F(ProcessesTest, ALostProcessIsExitCodeOne) {
  write("two.yaml", kTwo);
  Options options;
  options.operands = {"two.yaml"};
  options.processes = 2;
  options.rank = 1;
  options.address = "127.0.0.1:" + std::to_string(free_port());
  const pid_t child = fork();
  if (child == 0) {
    const auto group = join_group(options, identity_of(load_experiments(options), options));
    _exit(0);  // without a goodbye
  }
  EXPECT_EQ(
      run({"execute", "two.yaml", "--processes", "2", "--rank", "0", "--address", options.address}),
      1);
  waitpid(child, nullptr, 0);
  EXPECT_THAT(out + err, HasSubstr("process 1 ("));
}

TEST_F(ProcessesTest, PointsForOtherNumbersOfProcessesAreNotHere) {
  write("two.yaml", kTwo);
  EXPECT_EQ(run({"execute", "two.yaml", "--set", "processes.count=2"}), 77);
  EXPECT_EQ(err,
            "paceline: error: it needs 2 processes, but one was started (mpirun -n 2, or "
            "--processes)\n");
}

TEST_F(ProcessesTest, AProcessWithoutAWorkerIsAnError) {
  write("two.yaml", kTwo);
  EXPECT_EQ(run_both({"execute", "two.yaml", "--set", "workers=1"}), 77);
  EXPECT_EQ(child_code, 77);
  EXPECT_THAT(err, HasSubstr("1 worker cannot be spread over 2 processes (start at most 1)"));
}

TEST_F(ProcessesTest, OptionsThatMakeNoGroupAreRefused) {
  write("two.yaml", kTwo);
  const auto error_of = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"execute", "two.yaml"};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(run(words), 2);
    return err;
  };
  EXPECT_THAT(error_of({"--processes", "2"}), HasSubstr("--processes needs --rank and --address"));
  EXPECT_THAT(error_of({"--rank", "1"}), HasSubstr("--rank and --address need --processes"));
  EXPECT_THAT(error_of({"--processes", "2", "--rank", "2", "--address", "a:1"}),
              HasSubstr("--rank 2 is not below --processes 2"));
  EXPECT_THAT(error_of({"--processes", "2", "--rank", "0", "--address", "here"}),
              HasSubstr("--address 'here' is not HOST:PORT"));
  EXPECT_THAT(error_of({"--secret-file", "a"}), HasSubstr("--secret-file needs --processes"));
  EXPECT_THAT(error_of({"--processes", "0"}), HasSubstr("is not a number from 1 to 256"));
}

TEST_F(ProcessesTest, WithoutTheMpiPluginMpirunsProcessesAreNotHere) {
  write("two.yaml", kTwo);
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  setenv("PACELINE_MPI_PLUGIN", "/nowhere/libpaceline_mpi.so", 1);
  EXPECT_EQ(run({"execute", "two.yaml"}), 77);
  unsetenv("OMPI_COMM_WORLD_SIZE");
  unsetenv("PACELINE_MPI_PLUGIN");
  EXPECT_THAT(err, HasSubstr("libpaceline_mpi.so cannot be loaded"));
  EXPECT_THAT(err, HasSubstr("use --processes, --rank and --address instead"));
}

TEST_F(ProcessesTest, MoreProcessesThanWorkersAreAnErrorInTheFile) {
  write("two.yaml", std::string(kTwo) + "processes: {count: 3}\n");
  EXPECT_EQ(run({"check", "two.yaml"}), 2);
  EXPECT_EQ(err,
            "two.yaml:11:20: error: count 3 is above workers 2 (every process runs at least one "
            "worker)\n");
}

}  // namespace
}  // namespace paceline
