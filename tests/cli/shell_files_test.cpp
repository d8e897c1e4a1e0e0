// SPDX-License-Identifier: MIT
// The candidates for completion, and the manual pages; tests/shell holds them against real shells
// and man.
#include "cli/completion.hpp"
#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST_F(CommandTest, EveryCommandWithOperandsCompletesThem) {
  for (const CommandRow& command : commands()) {
    const std::vector<Candidates> all = operand_candidates(command);
    EXPECT_EQ(all.empty(), command.operands.empty()) << command.name;
    for (const Candidates& candidates : all) EXPECT_TRUE(candidates.any()) << command.name;
  }
}

TEST_F(CommandTest, ValuesCompleteToPresetsAndFiles) {
  for (const OptionRow& option : option_rows()) {
    const Candidates candidates = candidates_of(option);
    if (option.name == "--device") {
      EXPECT_THAT(candidates.words, ElementsAre("auto", "host", "cuda"));
      EXPECT_FALSE(candidates.files);
    }
    if (option.name == "--machine") {
      EXPECT_THAT(candidates.words, Contains("dgx1-p100"));
      EXPECT_TRUE(candidates.files);
    }
    if (option.name == "--svg") {
      EXPECT_TRUE(candidates.files);
    }
    if (option.name == "-j") {
      EXPECT_FALSE(candidates.any());
    }
  }
  EXPECT_THAT(keys_to_set().keys, Contains("steps="));
  EXPECT_THAT(keys_to_set().assignments, Contains("update=k-sync"));
  EXPECT_THAT(keys_to_set().assignments, Contains("precision=fp16"));
}

TEST_F(CommandTest, ThePagesOfAllCommandsAreWrittenAtOnce) {
  EXPECT_EQ(run({"manual", "-o", "pages"}), 0) << err;
  for (const CommandRow& command : commands()) {
    EXPECT_THAT(read("pages/paceline-" + command.name + ".1"),
                testing::HasSubstr("\n.SH OPTIONS\n"));
  }
  EXPECT_THAT(read("pages/paceline.1"), testing::HasSubstr("\\fBsimulate\\fR \\fIFILE\\fR..."));
  EXPECT_EQ(run({"manual", "fit", "-o", "pages"}), 2);
  EXPECT_EQ(err, "paceline: error: manual takes one command, or -o for the pages of all\n");
}

TEST_F(CommandTest, CompletionNeedsAShell) {
  EXPECT_EQ(run({"completion"}), 2);
  EXPECT_EQ(err, "paceline: error: give one shell: bash, zsh or fish\n");
  EXPECT_EQ(run({"completion", "ksh"}), 2);
  EXPECT_THAT(err, testing::StartsWith("paceline: error: unknown shell 'ksh' ("));
}

}  // namespace
}  // namespace paceline
