// SPDX-License-Identifier: MIT
// The generated files must equal the program's output. Refresh (from the root of the sources):
//   paceline list --schema > experiments/schema.json
//   paceline list --reference > docs/experiment-file.md
// and, for the tables of `paceline list --policies`, tests/docs/policy_tables.py (as it says).
#include "experiments/language/yaml.hpp"
#include "tests/cli/command_fixture.hpp"
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {
namespace {

using testing::ContainsRegex;
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

TEST_F(CommandTest, ListDescribesAFileOfANetwork) {
  write("mine.yaml", "# Two layers\nkind: mlp\ninputs: 4\nhidden: [8]\nclasses: 2\n");
  ASSERT_EQ(run({"list", "mine.yaml"}), 0) << err;
  EXPECT_THAT(out, StartsWith("model mine.yaml: Two layers\n"));
  EXPECT_THAT(out, ContainsRegex("parameters +58\n"));  // 4 x 8 + 8 and 8 x 2 + 2
  EXPECT_THAT(out, HasSubstr("memory of a worker"));
  EXPECT_EQ(run({"list", "none.yaml"}), 2);
  EXPECT_THAT(err, HasSubstr("none.yaml"));
}

TEST_F(CommandTest, EveryPolicyHasAPageWithItsTables) {
  ASSERT_EQ(run({"list", "--policies"}), 0);
  for (const auto& row : family<UpdatePolicy>().rows) {
    const std::size_t begin = out.find("<!-- generated: " + row.name + " -->\n");
    ASSERT_NE(begin, std::string::npos) << row.name;
    const std::string end = "<!-- end: " + row.name + " -->\n";
    const std::string tables = out.substr(begin, out.find(end) + end.size() - begin);
    EXPECT_THAT(read(PACELINE_SOURCE_DIR "/docs/policies/" + row.name + ".md"), HasSubstr(tables));
  }
}

/// The experiments of the repository; a profile of a computer is none.
std::vector<std::filesystem::path> experiments_here() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(PACELINE_SOURCE_DIR "/experiments")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "profile.yaml") continue;
    paths.push_back(entry.path());
  }
  return paths;
}

TEST_F(CommandTest, EveryExperimentHereIsGood) {
  int experiments = 0;
  for (const auto& path : experiments_here()) {
    if (path.parent_path().filename() == "published") continue;
    ++experiments;
    EXPECT_EQ(run({"check", path.string()}), 0) << err;
  }
  EXPECT_GE(experiments, 9 + 7) << "those for GPUs too";
}

TEST_F(CommandTest, EveryExperimentHereOpensWithItsSchemaAndItsQuestion) {
  const std::filesystem::path schema = PACELINE_SOURCE_DIR "/experiments/schema.json";
  for (const auto& path : experiments_here()) {
    std::istringstream lines(read(path));
    std::string first, second;
    std::getline(lines, first);
    std::getline(lines, second);
    EXPECT_EQ(first, "# yaml-language-server: $schema=" +
                         schema.lexically_relative(path.parent_path()).generic_string())
        << path;
    EXPECT_THAT(second, StartsWith("# ")) << path;
    if (path.parent_path().filename() == "published") continue;
    EXPECT_THAT(second, EndsWith("?")) << path;
  }
}

TEST_F(CommandTest, ListsHaveALineEach) {
  ASSERT_EQ(run({"list"}), 0);
  for (const char* title :
       {"models\n", "\nmachines\n", "\ngpus\n", "\nsoftware\n", "\npolicies\n", "\naggregations\n",
        "\nalgorithms\n", "\ncompressions\n", "\nstragglers\n", "\noptimizers\n", "\nschedules\n",
        "\nstaleness-rules\n", "\ndatasets\n"}) {
    EXPECT_THAT(out, HasSubstr(title));
  }
  ASSERT_EQ(run({"list", "machines"}), 0);
  EXPECT_THAT(out, HasSubstr("dgx1-p100"));
  ASSERT_EQ(run({"list", "policies"}), 0);
  EXPECT_THAT(out, StartsWith("policies\n  sync "));
  ASSERT_EQ(run({"list", "blocks", "links", "units"}), 0);
  for (const char* line : {"  bottleneck-stage ", "  repeat ", "  embedding ", "  nvlink2 ",
                           "  time  ", "ns, us, ms, s"}) {
    EXPECT_THAT(out, HasSubstr(line));
  }
}

TEST_F(CommandTest, ListDescribesAModel) {
  ASSERT_EQ(run({"list", "resnet50"}), 0);
  EXPECT_THAT(out, StartsWith("model resnet50: ResNet-50 v1"));
  EXPECT_THAT(out, ContainsRegex("source +github.com/tensorflow/benchmarks"));
  EXPECT_THAT(out, ContainsRegex("parameters +25559081\n"));
  EXPECT_THAT(out, ContainsRegex("forward +7\\.725 GFLOP per item\n"));
  EXPECT_THAT(out, ContainsRegex("backward +15\\.39 GFLOP per item\n"));
  EXPECT_THAT(out, ContainsRegex("convolution +53 +23454912 "));
  EXPECT_THAT(out, ContainsRegex("\n  32 +3\\.243 GB "));
  ASSERT_EQ(run({"list", "resnet50", "--json"}), 0);
  EXPECT_THAT(out, HasSubstr("\"parameters\": 25559081"));
}

TEST_F(CommandTest, ListDescribesEverythingThatItNames) {
  ASSERT_EQ(run({"list", "dgx1-p100"}), 0);
  EXPECT_THAT(out, HasSubstr("8 x Tesla P100"));
  EXPECT_THAT(out, ContainsRegex("nvlink +16 +1 +18\\.31 GB/s"));
  EXPECT_THAT(out, HasSubstr("\nsources\n"));
  ASSERT_EQ(run({"list", "k-sync"}), 0);
  EXPECT_THAT(out, ContainsRegex("\nkeys\n  k +gradients in an update"));
  ASSERT_EQ(run({"list", "embedding"}), 0);
  EXPECT_THAT(out, HasSubstr("vocabulary"));
  ASSERT_EQ(run({"list", "constant"}), 0);
  EXPECT_THAT(out, HasSubstr("straggler distribution constant"));
  EXPECT_THAT(out, HasSubstr("learning-rate schedule constant")) << "both are called so";
  ASSERT_EQ(run({"list", "--json"}), 0);
  const Tree kinds = parse_yaml("list.json", out);  // JSON is YAML
  for (const Member& kind : kinds.members) {
    ASSERT_FALSE(kind.value.members.empty()) << kind.key;
    for (const Member& thing : kind.value.members) {
      ASSERT_EQ(run({"list", thing.key}), 0) << err;
      EXPECT_THAT(out, HasSubstr(thing.key));
      ASSERT_EQ(run({"list", thing.key, "--json"}), 0) << err;
    }
  }
}

TEST_F(CommandTest, TopologyShowsAMachine) {
  ASSERT_EQ(run({"topology", "show", "dgx1-p100"}), 0);
  EXPECT_THAT(out, HasSubstr("gpu7"));
  ASSERT_EQ(run({"topology", "show", "dgx1-p100", "--dot"}), 0);
  EXPECT_THAT(out, HasSubstr("graph"));
  ASSERT_EQ(run({"topology", "show", "dgx1-p100", "--json"}), 0);
  EXPECT_THAT(out, HasSubstr("\"half_duplex\": false"));
  ASSERT_EQ(run({"topology", "show", "this"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("cpu0"));
}

}  // namespace
}  // namespace paceline
