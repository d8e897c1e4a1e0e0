// SPDX-License-Identifier: MIT
#include "cli/options.hpp"

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct BadLine {
  std::vector<std::string> args;
  std::string line;  ///< how the one line on stderr begins
};

class BadCommandLine : public CommandTest, public testing::WithParamInterface<BadLine> {};

TEST_P(BadCommandLine, IsOneLineAndExitCodeTwo) {
  EXPECT_EQ(run(GetParam().args), 2);
  EXPECT_EQ(out, "");
  EXPECT_THAT(err, StartsWith(GetParam().line));
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::current_path()));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadCommandLine,
    testing::Values(
        BadLine{{"simulat", "x.yaml"},
                "paceline: error: unknown command 'simulat' (did you mean 'simulate'?"},
        BadLine{{"--versio"},
                "paceline: error: unknown option '--versio' (did you mean '--version'?"},
        BadLine{{"simulate"}, "paceline: error: give at least one experiment file"},
        BadLine{{"run", "--qiet", "x.yaml"},
                "paceline: error: unknown option '--qiet' (did you mean '--quiet'?"},
        BadLine{{"check", "-j", "2", "x.yaml"},
                "paceline: error: unknown option '-j' (known: --set"},
        BadLine{{"simulate", "--trace=yes", "x.yaml"}, "paceline: error: --trace takes no value"},
        BadLine{{"check", "--trace", "x.yaml"}, "paceline: error: unknown option '--trace'"},
        BadLine{{"simulate", "-j", "0", "x.yaml"}, "paceline: error: -j '0' is not a number"},
        BadLine{{"simulate", "-jmany", "x.yaml"}, "paceline: error: -j 'many' is not a number"},
        BadLine{{"simulate", "--seed", "-1", "x.yaml"},
                "paceline: error: --seed '-1' is not a number"},
        BadLine{{"simulate", "x.yaml", "-o"}, "paceline: error: -o needs a value: -o PATH"},
        BadLine{{"simulate", "x.yaml", "--set="}, "paceline: error: --set needs a value"},
        BadLine{{"simulate", "--json=yes", "x.yaml"}, "paceline: error: --json takes no value"},
        BadLine{{"run", "--device", "tpu", "x.yaml"}, "paceline: error: unknown device 'tpu'"},
        BadLine{{"simulate", "nowhere.yaml"}, "nowhere.yaml: error: cannot read"},
        BadLine{{"plot"}, "paceline: error: give at least one results folder"},
        BadLine{{"topology"},
                "paceline: error: topology needs a verb (known: show, discover, import)"},
        BadLine{{"topology", "shw", "dgx1-p100"},
                "paceline: error: unknown verb 'shw' (did you mean 'show'?"},
        BadLine{{"topology", "show", "dgx1-p10"},
                "paceline: error: unknown machine 'dgx1-p10' (did you mean 'dgx1-p100'?"},
        BadLine{{"topology", "show", "nowhere.yaml"}, "paceline: error: cannot open machine file"},
        BadLine{{"list", "modls"},
                "paceline: error: unknown list 'modls' (did you mean 'models'?"}));

TEST(Options, AreReadInEveryWayOfWritingThem) {
  const std::vector<std::string> args{
      "a.yaml", "-odir", "--set=k=[1, 2]", "--set", "b=c", "--seed", "3", "-j",
      "2",      "--",    "-b.yaml"};
  const Options options = parse_options(args, {"-o", "--set", "--seed", "-j"});
  EXPECT_THAT(options.operands, ElementsAre("a.yaml", "-b.yaml"));
  EXPECT_THAT(options.overrides, ElementsAre("k=[1, 2]", "b=c", "seed=3"));
  EXPECT_EQ(options.output, "dir");
  EXPECT_EQ(options.jobs, 2);
}

TEST(Options, AreRecordedAsAShellReadsThem) {
  EXPECT_EQ(shell_word("a.yaml"), "a.yaml");
  EXPECT_EQ(shell_word("update={kind: sync}"), "'update={kind: sync}'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST_F(CommandTest, HelpNamesEveryCommand) {
  EXPECT_EQ(run({"--help"}), 0);
  for (const char* name : {"simulate", "execute", "run", "explain", "plot", "check", "calibrate",
                           "topology show", "list", "validate"}) {
    EXPECT_THAT(out, HasSubstr(std::string("paceline ") + name));
  }
  EXPECT_EQ(run({"run", "--help"}), 0);
  EXPECT_THAT(out, HasSubstr("--device NAME"));
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_THAT(out, StartsWith("paceline "));
}

}  // namespace
}  // namespace paceline
