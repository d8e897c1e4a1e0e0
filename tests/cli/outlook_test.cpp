// SPDX-License-Identifier: MIT
#include "cli/outlook.hpp"

#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"
#include "training/workload.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string outlook_of(const std::string& text) {
  const ExperimentFile file = load_experiment_text("outlook.yaml", text, {});
  ExecutionDevices devices(Device::host);
  return outlook(file, devices, nullptr);
}

// A mini-batch takes 100 ms; 2 points, each of 10 + 2 rounds: about 2.4 s in all.
TEST(Outlook, SaysWhatARunWouldDo) {
  const ExperimentFile file = load_experiment_text(
      "outlook.yaml", "name: small\nmodel: mlp\nupdate: [sync, ssp]\nsteps: 10\nwarmup: 2\n", {});
  const Workload workload = workload_of(file.points.front());
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
  ExecutionDevices devices(Device::host);
  EXPECT_THAT(
      outlook(file, devices, &profile),
      testing::ContainsRegex("^small: 2 points \\(update: 2 values\\)\n  execute: 2 points on "
                             "threads of this computer; about 2.4[0-9]* s of training in "
                             "all\n  layer times: measured on this computer"));
}

TEST(Outlook, SaysWhyPointsAreNotExecuted) {
  EXPECT_EQ(outlook_of("name: small\nmodel: {kind: synthetic, compute: 100 ms}\nmachine: ideal\n"
                       "workers: [1, 2]\n"),
            "small: 2 points (workers: 2 values)\n"
            "  execute: 2 points not executable here: machine 'ideal' is not this machine\n"
            "  layer times: given by the experiment\n");
}

TEST(Outlook, SaysThatThisComputerIsNotMeasuredYet) {
  const std::string said = outlook_of("name: small\nmodel: mlp\n");
  EXPECT_THAT(said, StartsWith("small: 1 point\n  execute: 1 point on threads of this computer\n"));
  EXPECT_THAT(said, HasSubstr("  layer times: not measured on this computer yet (`simulate` and "
                              "`run` measure them first, some 20 s)\n"));
}

}  // namespace
}  // namespace paceline
