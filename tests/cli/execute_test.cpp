// SPDX-License-Identifier: MIT
// Execution on this computer: executable points are measured, the others are reported with the
// reason.
#include "cli/computer.hpp"
#include "cli/profile_file.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

constexpr const char* kGpus = R"(name: gpus
model: {kind: synthetic, compute: 1 ms, gradient: 1 MB}
machine: dgx1-p100
workers: 2
steps: 3
)";

constexpr const char* kHere = R"(name: here
model: {kind: mlp, inputs: 4, hidden: [8], classes: 2}
machine: this
batch: 4
workers: [1, 2]
stragglers: {compute: {kind: constant, value: 2 ms}}
train: {dataset: gaussian-mixture}
steps: 5
warmup: 1
)";

TEST_F(CommandTest, ExecuteSaysWhyItCannot) {
  write("gpus.yaml", kGpus);
  EXPECT_EQ(run({"execute", "gpus.yaml"}), 77);
  EXPECT_EQ(err, "paceline: error: machine 'dgx1-p100' is not this machine\n");
  EXPECT_EQ(run({"execute", "gpus.yaml", "--device", "cuda"}), 77);
  EXPECT_EQ(err,
            "paceline: error: this build has no CUDA layer (libpaceline_cuda.so is not beside "
            "paceline)\n");
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(CommandTest, RunSkipsWhatItCannotExecute) {
  write("gpus.yaml", kGpus);
  EXPECT_EQ(run({"run", "gpus.yaml"}), 0) << err;
  const std::string csv = read("results/gpus/results.csv");
  EXPECT_THAT(csv, HasSubstr("gpus,theory,synthetic,dgx1-p100,"));
  EXPECT_THAT(csv, HasSubstr("gpus,predicted,synthetic,dgx1-p100,"));
  EXPECT_THAT(csv, HasSubstr(",skipped (machine 'dgx1-p100' is not this machine),"));
}

TEST_F(CommandTest, RunPredictsAndMeasuresThisComputer) {
  write("here.yaml", kHere);
  save_profile(default_profile_path(), made_up_profile());
  ASSERT_EQ(run({"run", "here.yaml"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("calibrating this computer"));
  const std::string csv = read("results/here/results.csv");
  EXPECT_THAT(csv, HasSubstr("here,predicted,mlp,this,host,sync,2,parameter-server,2,4,5,5,"));
  EXPECT_THAT(csv, HasSubstr("here,measured,mlp,this,host,sync,2,parameter-server,2,4,5,5,"));
  EXPECT_THAT(out, HasSubstr("Predicted against measured throughput (2 points): median |error| "));
  EXPECT_THAT(read("results/here/manifest.json"), HasSubstr("\"profile_hash\": \""));

  // the finished points and the profile exist now, so nothing runs again
  ASSERT_EQ(run({"run", "here.yaml"}), 0) << err;
  EXPECT_THAT(err, testing::Not(HasSubstr("calibrating")));
  EXPECT_EQ(read("results/here/results.csv"), csv);
}

TEST_F(CommandTest, SimulateKeepsWhatWasMeasured) {
  write("here.yaml", kHere);
  save_profile(default_profile_path(), made_up_profile());
  ASSERT_EQ(run({"execute", "here.yaml"}), 0) << err;
  EXPECT_THAT(read("results/here/results.csv"), testing::Not(HasSubstr("here,predicted")));
  ASSERT_EQ(run({"simulate", "here.yaml"}), 0) << err;
  EXPECT_THAT(read("results/here/results.csv"), HasSubstr("here,predicted"));
  EXPECT_THAT(read("results/here/results.csv"), HasSubstr("here,measured"));
}

TEST_F(CommandTest, FailedPointsSayWhyAndTheOthersGoOn) {
  write("dying.yaml",
        "name: dying\nmodel: {kind: synthetic, compute: 10 ms}\nmachine: ideal\nsoftware: ideal\n"
        "workers: 2\nsteps: 5\n"
        "stragglers: {failures: {every: [1 us, 10 h], restart: 0 s}}\n");
  ASSERT_EQ(run({"simulate", "dying.yaml", "--no-plot"}), 1);
  EXPECT_THAT(err, testing::StartsWith("point 0, predicted: failed: "));
  const std::string csv = read("results/dying/results.csv");
  EXPECT_THAT(csv, HasSubstr(",\"failed: no update in the last 10000 failures"));
  EXPECT_THAT(csv, testing::ContainsRegex("dying,predicted,[^\n]*,ok,10 h,"));
}

// A network that no CPU can time is an error before anything runs.
TEST_F(CommandTest, NetworksThatAreTooLargeForThisCpuAreRefused) {
  write("here.yaml", kHere);
  save_profile(default_profile_path(), made_up_profile());
  ASSERT_EQ(run({"simulate", "here.yaml", "--set", "train=null", "--set",
                 "model=[resnet50, synthetic]", "--set", "workers=2", "--set", "batch=512"}),
            2);
  EXPECT_THAT(err,
              HasSubstr("no arithmetic of 'resnet50' on this computer: too large for the CPU: "));
  EXPECT_FALSE(std::filesystem::exists("results/here"));
}

TEST_F(CommandTest, ProfileReadsBackAsItWasWritten) {
  Profile profile = made_up_profile();
  NetworkProfile& network = profile.networks.emplace_back();
  network.network = "mlp";
  network.parameters = 10;
  network.batch = 4;
  network.optimizer = "sgd";
  network.dataset = "gaussian-mixture";
  network.forward = {Seconds{1e-3}, Seconds{2e-3}};
  network.backward = {Seconds{3e-3}};
  network.update = Seconds{1e-6};
  network.reduce = Seconds{2e-6};
  network.copy = Seconds{3e-6};
  save_profile("profile.yaml", profile);
  std::ostringstream messages;
  const auto again = load_profile("profile.yaml", messages);
  ASSERT_TRUE(again) << messages.str();
  EXPECT_EQ(to_flow(write_keys(*again)), to_flow(write_keys(profile)));
}

TEST_F(CommandTest, ProfileOfAnotherComputerIsNotUsed) {
  save_profile("profile.yaml", made_up_profile());
  std::string text = read("profile.yaml");
  const std::string mine = this_computer().identity();
  write("profile.yaml", text.replace(text.find(mine), mine.size(), "Abacus, 1 cores"));
  std::ostringstream messages;
  EXPECT_FALSE(load_profile("profile.yaml", messages));
  EXPECT_EQ(messages.str(),
            "note: profile profile.yaml is not used: it was measured on another computer\n");
}

// A damaged profile is neither used nor replaced without the user's consent, since it is expensive
// to measure.
TEST_F(CommandTest, ADamagedProfileSaysHowToReplaceIt) {
  const auto refused = [](const std::filesystem::path& path) -> std::string {
    std::ostringstream messages;
    try {
      load_profile(path, messages);
    } catch (const SpecError& error) {
      return error.what();
    }
    return "";
  };
  Profile profile = made_up_profile();
  NetworkProfile& network = profile.networks.emplace_back();
  network.network = "mlp";
  network.batch = 4;
  network.optimizer = "sgd";
  network.reduce = Seconds{-1e-6};
  save_profile("profile.yaml", profile);
  EXPECT_THAT(refused("profile.yaml"),
              testing::MatchesRegex(
                  "profile.yaml:[0-9]+:[0-9]+: error: 'reduce' must be >= 0 s \\(a damaged "
                  "profile: delete the file, or replace it by `paceline calibrate --force -o "
                  "profile.yaml`\\)"));
  network.reduce = Seconds{};
  network.forward = {Seconds{-1}};
  save_profile("profile.yaml", profile);
  EXPECT_THAT(refused("profile.yaml"), HasSubstr("network 'mlp': a time in 'forward' is negative"));
  network.forward.clear();
  profile.links.emplace_back().from = "thread";
  profile.links.back().to = "thread";
  profile.links.back().bandwidth = BytesPerSecond{1e9};
  save_profile("profile.yaml", profile);
  EXPECT_THAT(refused("profile.yaml"), HasSubstr("link thread to thread: 'sizes' is empty"));
  save_profile(default_profile_path(), profile);
  write("here.yaml", kHere);
  EXPECT_EQ(run({"simulate", "here.yaml"}), 2);
  EXPECT_THAT(err, HasSubstr("or replace it by `paceline calibrate`)\n"));
}

}  // namespace
}  // namespace paceline
