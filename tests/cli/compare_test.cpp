// SPDX-License-Identifier: MIT
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

// The synthetic network takes 10 ms anywhere, so that the machines are equally fast. A K80 die has
// a price, 0.9 USD an hour, a P100 has none.
constexpr const char* kMachines =
    "name: cmp\nmodel: {kind: synthetic, compute: 10 ms, gradient: 4 B}\nbatch: 36\n"
    "software: {}\naggregation: independent\nsteps: 5\nwarmup: 1\n"
    "machine: [p2-8xlarge-k80, dgx1-p100]\nworkers: [1, 2]\n";

TEST_F(CommandTest, ComparePutsTheMachinesOfASettingBesideEachOther) {
  write("cmp.yaml", kMachines);
  ASSERT_EQ(run({"compare", "cmp.yaml", "--quiet"}), 0) << err;
  EXPECT_THAT(out, testing::ContainsRegex("^setting +machine +samples/s +to the first +USD/h +"
                                          "region +samples/USD\n"));
  // 36 items in 10 ms at 0.9 USD/h: 3600 x 3600 / 0.9
  EXPECT_THAT(out,
              testing::ContainsRegex("\nworkers 1 +p2-8xlarge-k80 +3600 +1.00 +0.900 +"
                                     "us-east-1 +14,400,000\nworkers 1 +dgx1-p100 +3600 +1.00 *\n"
                                     "workers 2 +p2-8xlarge-k80 +"));
  EXPECT_THAT(out, HasSubstr("Where the price is empty, "));
  ASSERT_EQ(run({"compare", "cmp.yaml", "--quiet", "--json"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("\"machine\": \"dgx1-p100\""));
  EXPECT_THAT(out, HasSubstr("\"region\": \"us-east-1\""));
  EXPECT_THAT(out, testing::ContainsRegex("\"per_dollar\": 14(400000|399999)"));
}

TEST_F(CommandTest, CompareNeedsSeveralMachines) {
  write("one.yaml", kMachines);
  EXPECT_EQ(run({"compare", "one.yaml", "--set", "machine=dgx1-p100"}), 2);
  EXPECT_EQ(err,
            "one.yaml: error: the file names one machine, and there is nothing to compare (name "
            "several: --set 'machine=[dgx1-p100, dgx1-v100]')\n");
}

}  // namespace
}  // namespace paceline
