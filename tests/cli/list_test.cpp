// SPDX-License-Identifier: MIT
// The generated files are as the program makes them. Refresh (from the root of the sources):
//   paceline list --schema > experiments/schema.json
//   paceline list --reference > docs/experiment-file.md
//   paceline list --policies > docs/policies.md
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(CommandTest, CommittedSchemaIsTheReadersOwn) {
  ASSERT_EQ(run({"list", "--schema"}), 0);
  EXPECT_EQ(out, read(PACELINE_SOURCE_DIR "/experiments/schema.json"));
}

TEST_F(CommandTest, CommittedReferenceIsTheReadersOwn) {
  ASSERT_EQ(run({"list", "--reference"}), 0);
  EXPECT_EQ(out, read(PACELINE_SOURCE_DIR "/docs/experiment-file.md"));
}

TEST_F(CommandTest, CommittedPoliciesPageIsThePoliciesOwn) {
  ASSERT_EQ(run({"list", "--policies"}), 0);
  EXPECT_EQ(out, read(PACELINE_SOURCE_DIR "/docs/policies.md"));
}

TEST_F(CommandTest, EveryExperimentHereIsGood) {
  int experiments = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(PACELINE_SOURCE_DIR "/experiments")) {
    if (entry.path().extension() != ".yaml") continue;
    if (entry.path().parent_path().filename() == "published") continue;
    if (entry.path().filename() == "profile.yaml") continue;  // what was measured of a computer
    ++experiments;
    EXPECT_EQ(run({"check", entry.path().string()}), 0) << err;
    const std::string text = read(entry.path().string());
    EXPECT_THAT(text, StartsWith("# "));
    EXPECT_THAT(text.substr(0, text.find('\n')), EndsWith("?")) << "it opens with its question";
  }
  EXPECT_GE(experiments, 9 + 7) << "those for GPUs too";
}

TEST_F(CommandTest, ListsHaveALineEach) {
  ASSERT_EQ(run({"list"}), 0);
  for (const char* title :
       {"models\n", "\nmachines\n", "\ngpus\n", "\nsoftware\n", "\npolicies\n", "\naggregations\n",
        "\nalgorithms\n", "\nstragglers\n", "\noptimizers\n", "\nschedules\n",
        "\nstaleness-rules\n", "\ndatasets\n"}) {
    EXPECT_THAT(out, HasSubstr(title));
  }
  ASSERT_EQ(run({"list", "machines"}), 0);
  EXPECT_THAT(out, HasSubstr("dgx1-p100"));
  ASSERT_EQ(run({"list", "policies"}), 0);
  EXPECT_THAT(out, StartsWith("sync "));
}

TEST_F(CommandTest, TopologyShowsAMachine) {
  ASSERT_EQ(run({"topology", "show", "dgx1-p100"}), 0);
  EXPECT_THAT(out, HasSubstr("gpu7"));
  ASSERT_EQ(run({"topology", "show", "dgx1-p100", "--dot"}), 0);
  EXPECT_THAT(out, HasSubstr("graph"));
}

}  // namespace
}  // namespace paceline
