// SPDX-License-Identifier: MIT
// --markdown: tables that a Markdown renderer reads, and nothing else but sentences.
#include "cli/calibration_table.hpp"
#include "cli/text_table.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/training/profile/measured_profile.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The cells of a row; `\|` is no end of a cell.
int cells_of(const std::string& row) {
  int cells = -1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '|' && (i == 0 || row[i - 1] != '\\')) ++cells;
  }
  return cells;
}

/// The number of tables in a page. Each must have a rule below its titles, rows as long as these,
/// and blank lines around it.
int tables_in(const std::string& page) {
  std::istringstream lines(page);
  std::string before;
  int tables = 0, row = 0, cells = 0;
  for (std::string line; std::getline(lines, line); before = line) {
    if (!line.starts_with('|')) {
      EXPECT_TRUE(row == 0 || line.empty()) << "below a table: " << line;
      row = 0;
      continue;
    }
    if (row == 0) {
      EXPECT_EQ(before, "") << "above a table: " << line;
      cells = cells_of(line);
      ++tables;
    }
    EXPECT_EQ(cells_of(line), cells) << line;
    EXPECT_EQ(row == 1, line.find_first_not_of("|-:") == std::string::npos) << line;
    EXPECT_TRUE(line.ends_with('|')) << line;
    ++row;
  }
  return tables;
}

constexpr const char* kFile = R"(name: two
model: resnet50
machine: dgx1-v100
workers: [1, 4]
update: [sync, async]
steps: 10
warmup: 2
)";

class MarkdownTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("two.yaml", kFile);
  }
  /// The number of tables that a command prints.
  int tables(std::vector<std::string> args) {
    args.emplace_back("--markdown");
    EXPECT_LE(run(args), 1) << err;
    EXPECT_THAT(out, Not(HasSubstr("results: ")));
    EXPECT_THAT(out, Not(HasSubstr("\n\n\n")));
    EXPECT_THAT(out, Not(StartsWith("\n")));
    return tables_in(out);
  }
};

TEST_F(MarkdownTest, EveryCommandWithTablesPrintsThem) {
  EXPECT_EQ(tables({"simulate", "two.yaml", "--no-plot"}), 1);
  EXPECT_THAT(out, StartsWith("- Fastest at 4 workers: "));
  EXPECT_THAT(out, HasSubstr("\n| workers | update | predicted | speedup | efficiency |\n"
                             "|--:|---|--:|--:|--:|\n| 1 | sync | "));
  EXPECT_EQ(tables({"collective", "--machine", "dgx1-v100", "-b", "1M", "-e", "2M", "--no-plot"}),
            1);
  EXPECT_THAT(out, HasSubstr("\n| size (B) | predicted: time (us) | algbw (GB/s) | "));
  EXPECT_GE(tables({"explain", "two.yaml"}), 5);
  EXPECT_EQ(tables({"compare", "two.yaml", "--set", "machine=[dgx1-p100, dgx1-v100]"}), 1);
  ASSERT_EQ(run({"simulate", "two.yaml", "--no-plot", "--set", "steps=20"}), 0) << err;
  EXPECT_EQ(tables({"diff", "results/two", "results/two@steps=20"}), 1);
  EXPECT_THAT(out, HasSubstr("\n\nOf 8 figures in both, "));
  write("times.csv", "step_s\n0.1\n0.2\n0.13\n0.11\n0.15\n0.12\n0.19\n0.14\n0.16\n0.1\n0.11\n");
  EXPECT_EQ(tables({"fit", "times.csv"}), 1);
  EXPECT_THAT(out, HasSubstr("```yaml\nstragglers:\n"));
}

TEST_F(MarkdownTest, ListsAreTables) {
  EXPECT_GT(tables({"list"}), 15);
  EXPECT_THAT(out, HasSubstr("| resnet50 | ResNet-50 v1 "));
  EXPECT_EQ(tables({"list", "resnet50"}), 3);
  EXPECT_THAT(out, StartsWith("### model resnet50: "));
  EXPECT_EQ(tables({"list", "dgx1-p100", "k-sync"}), 4);
}

TEST_F(MarkdownTest, SeveralFilesHaveAHeadingEach) {
  std::string other = kFile;
  write("other.yaml", other.replace(other.find("two"), 3, "other"));
  EXPECT_EQ(tables({"simulate", "two.yaml", "other.yaml", "--no-plot"}), 2);
  EXPECT_THAT(out, StartsWith("### two\n\n- Fastest"));
  EXPECT_THAT(out, HasSubstr("\n\n### other\n\n- Fastest"));
}

TEST_F(MarkdownTest, JsonAndMarkdownExcludeEachOther) {
  EXPECT_EQ(run({"list", "--json", "--markdown"}), 2);
  EXPECT_EQ(err, "paceline: error: give --json or --markdown, not both\n");
}

TEST(Markdown, TablesEscapeWhatHasAMeaning) {
  const std::string table =
      text_table({{"name"}, {"empty"}, {"value", true}}, {{"a|b", "", "1 < 2"}, {"c*", "", "3"}},
                 TableStyle::markdown);
  EXPECT_EQ(table, "\n| name | value |\n|---|--:|\n| a\\|b | 1 \\< 2 |\n| c\\* | 3 |\n\n");
  EXPECT_EQ(page_of("\n\na\n\n\n" + table, TableStyle::markdown).substr(0, 13), "a\n\n| name | v");
  EXPECT_EQ(page_of("\n\na\n\n\n", TableStyle::aligned), "\n\na\n\n\n");
  EXPECT_EQ(tables_in(page_of(table, TableStyle::markdown)), 1);
}

TEST(Markdown, CalibrationsAreTables) {
  EXPECT_EQ(tables_in(calibration_table(measured_profile(2), TableStyle::markdown)), 3);
}

}  // namespace
}  // namespace paceline
