// SPDX-License-Identifier: MIT
#include "cli/outlook.hpp"

#include "cli/profile_file.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"
#include "training/experiment/profiled_workload.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string outlook_of(const std::string& text) {
  const ExperimentFile file = load_experiment_text("outlook.yaml", text, {});
  ExecutionDevices devices(Device::host);
  return outlook(file, devices, nullptr);
}

/// The profile of a computer on which a mini-batch of the point takes 100 ms.
Profile profile_with_times_of(const ExperimentPoint& point) {
  const Workload workload = workload_of(point);
  Profile profile = made_up_profile();
  NetworkProfile& network = profile.networks.emplace_back();
  network.network = workload.network;
  network.parameters = workload.parameters;
  network.batch = workload.batch;
  network.optimizer = workload.optimizer;
  network.dataset = workload.dataset;
  network.forward.assign(workload.layers, Seconds{});
  network.backward.assign(workload.layers, Seconds{});
  network.forward.front() = Seconds{0.1};
  network.update = network.reduce = network.copy = Seconds{1e-6};
  return profile;
}

// 2 points with 10 + 2 rounds of 100 ms each: about 2.4 s in total.
TEST(Outlook, SaysWhatARunWouldDo) {
  const ExperimentFile file = load_experiment_text(
      "outlook.yaml", "name: small\nmodel: mlp\nupdate: [sync, ssp]\nsteps: 10\nwarmup: 2\n", {});
  const Profile profile = profile_with_times_of(file.points.front());
  ExecutionDevices devices(Device::host);
  EXPECT_THAT(
      outlook(file, devices, &profile),
      testing::ContainsRegex("^small: 2 points \\(update: 2 values\\)\n  execute: 2 points on "
                             "threads of this computer; about 2.4[0-9]* s of training in "
                             "all\n  layer times: measured on this computer"));
}

// A million rounds of 100 ms take 27.8 h. Training them takes hours too, and simulating all of them
// minutes.
TEST(Outlook, TrainsNothingAndSimulatesAPartOfALongRun) {
  const ExperimentFile file = load_experiment_text(
      "outlook.yaml", "name: long\nmodel: mlp\ntrain: {}\nsteps: 1000000\n", {});
  const Profile profile = profile_with_times_of(file.points.front());
  ExecutionDevices devices(Device::host);
  EXPECT_THAT(outlook(file, devices, &profile),
              testing::ContainsRegex("; about 2[78][.][0-9]* h of training in all\n"));
}

TEST(Outlook, SaysWhyThereIsNoPrediction) {
  const ExperimentFile file = load_experiment_text("outlook.yaml", "name: small\nmodel: mlp\n", {});
  ExecutionDevices cuda(Device::cuda);
  const std::string without = outlook(file, cuda, nullptr);
  EXPECT_THAT(without, HasSubstr("  no prediction: no profile of GPU 0 (run paceline calibrate "
                                 "where it is)\n"));
  EXPECT_THAT(without, testing::Not(HasSubstr("not measured on this computer yet")));
}

// A profile without this network is completed; a missing profile is created.
TEST(Outlook, SaysThatLayersAreMeasuredFirst) {
  const ExperimentFile file = load_experiment_text("outlook.yaml", "name: small\nmodel: mlp\n", {});
  const Profile profile = made_up_profile();
  ExecutionDevices host(Device::host);
  for (const Profile* known : {static_cast<const Profile*>(nullptr), &profile}) {
    const std::string text = outlook(file, host, known);
    EXPECT_THAT(text, HasSubstr("  layer times: not measured on this computer yet (`simulate` and "
                                "`run` measure them first, some 20 s)\n"));
    EXPECT_THAT(text, testing::Not(HasSubstr("no prediction")));
  }
}

// The exit code is the same on a terminal and in a pipe.
TEST_F(CommandTest, CheckOfAValidFilePassesBesideADamagedProfile) {
  write("small.yaml", "name: small\nmodel: {kind: synthetic, compute: 100 ms}\nmachine: ideal\n");
  std::filesystem::create_directories(default_profile_path().parent_path());
  write(default_profile_path(), "damaged: true\n");
  Options options;
  options.operands = {"small.yaml"};
  std::ostringstream printed;
  std::ostringstream messages;
  Terminal terminal{printed, messages};
  terminal.live = true;
  EXPECT_EQ(check_command().run(options, terminal), kDone);
  EXPECT_EQ(printed.str(), "");
  EXPECT_THAT(messages.str(), StartsWith("note: " + default_profile_path().string()));
  EXPECT_THAT(messages.str(), HasSubstr("missing key 'computer' (a damaged profile: "));
  EXPECT_THAT(messages.str(), HasSubstr("\nsmall: 1 point\n"));
}

TEST(Outlook, SaysWhyPointsAreNotExecuted) {
  EXPECT_EQ(outlook_of("name: small\nmodel: {kind: synthetic, compute: 100 ms}\nmachine: ideal\n"
                       "workers: [1, 2]\n"),
            "small: 2 points (workers: 2 values)\n"
            "  execute: 2 points not executable here: machine 'ideal' is not this machine\n"
            "  layer times: given by the experiment\n");
}

TEST(Outlook, SaysThatThisComputerIsNotMeasuredYet) {
  const std::string text = outlook_of("name: small\nmodel: mlp\n");
  EXPECT_THAT(text, StartsWith("small: 1 point\n  execute: 1 point on threads of this computer\n"));
  EXPECT_THAT(text, HasSubstr("  layer times: not measured on this computer yet (`simulate` and "
                              "`run` measure them first, some 20 s)\n"));
}

}  // namespace
}  // namespace paceline
