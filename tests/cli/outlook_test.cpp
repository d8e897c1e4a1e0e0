// SPDX-License-Identifier: MIT
#include "cli/outlook.hpp"

#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string outlook_of(const std::string& text, const Profile* profile = nullptr) {
  const ExperimentFile file = load_experiment_text("outlook.yaml", text, {});
  ExecutionDevices devices(Device::host);
  return outlook(file, devices, profile);
}

// 2 points, each of 10 + 2 rounds of 100 ms: about 2.4 s in all.
TEST(Outlook, SaysWhatARunWouldDo) {
  Profile profile = made_up_profile();
  profile.host.cores = 4;
  const std::string said = outlook_of(
      "name: small\nmodel: {kind: synthetic, compute: 100 ms}\nupdate: [sync, ssp]\n"
      "steps: 10\nwarmup: 2\n",
      &profile);
  EXPECT_THAT(said, StartsWith("small: 2 points (update: 2 values)\n  execute: 2 points on threads "
                               "of this computer; about 2.4"));
  EXPECT_THAT(said, HasSubstr("\n  layer times: given by the experiment"));
}

TEST(Outlook, SaysWhyPointsAreNotExecuted) {
  EXPECT_EQ(outlook_of("name: small\nmodel: {kind: synthetic, compute: 100 ms}\nmachine: ideal\n"
                       "workers: [1, 2]\n"),
            "small: 2 points (workers: 2 values)\n"
            "  execute: 2 points not here: machine 'ideal' is not this machine\n"
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
