// SPDX-License-Identifier: MIT
#include "cli/outlook.hpp"

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string outlook_of(const std::string& text) {
  const ExperimentFile file = load_experiment_text("outlook.yaml", text, {});
  ExecutionDevices devices(Device::host);
  return outlook(file, devices, nullptr);
}

// 2 x 4 points; each trains 10 + 2 rounds of 100 ms: about 1.2 s, 9.6 s in all.
TEST(Outlook, SaysWhatARunWouldDo) {
  const std::string said = outlook_of(
      "name: small\nmodel: {kind: synthetic, compute: 100 ms}\nmachine: ideal\nsoftware: ideal\n"
      "workers: [1, 2, 3, 4]\nupdate: [sync, ssp]\nsteps: 10\nwarmup: 2\n");
  EXPECT_THAT(said,
              StartsWith("small: 8 points (workers: 4 values, update: 2 values)\n  execute: 8 "
                         "points on threads of this computer; about 9.6"));
  EXPECT_THAT(said, HasSubstr("\n  layer times: given by the experiment"));
}

TEST(Outlook, SaysThatThisComputerIsNotMeasuredYet) {
  const std::string said = outlook_of("name: small\nmodel: mlp\n");
  EXPECT_THAT(said, StartsWith("small: 1 point\n  execute: 1 point on threads of this computer\n"));
  EXPECT_THAT(said, HasSubstr("  layer times: not measured on this computer yet (`simulate` and "
                              "`run` measure them first, some 20 s)\n"));
}

}  // namespace
}  // namespace paceline
