// SPDX-License-Identifier: MIT
#include "cli/options.hpp"

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct BadLine {
  std::vector<std::string> args;
  std::string line;  ///< the beginning of the single line on stderr
};

void PrintTo(const BadLine& bad, std::ostream* out) {
  *out << "paceline";
  for (const std::string& arg : bad.args) *out << " " << shell_word(arg);
}

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
        BadLine{{"simulate", "-j", "0", "x.yaml"},
                "paceline: error: -j '0' is not a number from 1 to 1024"},
        BadLine{{"simulate", "-jmany", "x.yaml"}, "paceline: error: -j 'many' is not a number"},
        BadLine{{"simulate", "--seed", "-1", "x.yaml"},
                "paceline: error: --seed '-1' is not a number"},
        BadLine{{"simulate", "x.yaml", "-o"}, "paceline: error: -o needs a value: -o PATH"},
        BadLine{{"simulate", "x.yaml", "--set="}, "paceline: error: --set needs a value"},
        BadLine{{"simulate", "--json=yes", "x.yaml"}, "paceline: error: --json takes no value"},
        BadLine{{"run", "--device", "tpu", "x.yaml"}, "paceline: error: unknown device 'tpu'"},
        BadLine{{"simulate", "nowhere.yaml"}, "nowhere.yaml: error: cannot read"},
        BadLine{{"simulate", "workers=8"},
                "paceline: error: no file 'workers=8' (a key is changed with --set workers=8)"},
        BadLine{{"plot"}, "paceline: error: give at least one results folder"},
        BadLine{{"topology"},
                "paceline: error: topology needs a verb (known: show, discover, import)"},
        BadLine{{"topology", "shw", "dgx1-p100"},
                "paceline: error: unknown verb 'shw' (did you mean 'show'?"},
        BadLine{{"topology", "show", "dgx1-p10"},
                "paceline: error: unknown machine 'dgx1-p10' (did you mean 'dgx1-p100'?"},
        BadLine{{"topology", "show", "nowhere.yaml"}, "paceline: error: cannot open machine file"},
        BadLine{{"list", "modls"},
                "paceline: error: unknown kind or name 'modls' (did you mean 'models'?"},
        BadLine{{"list", "resnet5"},
                "paceline: error: unknown kind or name 'resnet5' (did you mean 'resnet50'?"},
        BadLine{{"plot", "nowhere"},
                "nowhere: error: no such folder (paceline simulate, execute and run write one)"},
        BadLine{{"validate", "--summary", "--json"},
                "paceline: error: --summary is for the printed table (leave out --json, "},
        BadLine{{"validate", "--markdown", "--summary"},
                "paceline: error: --summary is for the printed table (leave out --markdown, "},
        BadLine{{"calibrate", "--processes", "2", "--rank", "0", "--address", "no.name.invalid:7"},
                "paceline: error: --address: cannot resolve 'no.name.invalid' ("}));

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

const std::vector<std::string> kCommands{"simulate", "execute",   "run", "explain",  "plot",
                                         "check",    "calibrate", "fit", "topology", "list",
                                         "validate", "compare",   "new"};

TEST_F(CommandTest, HelpHasNoLineAboveEightyColumns) {
  std::vector<std::vector<std::string>> all{{"--help"}};
  for (const CommandRow& command : commands()) all.push_back({command.name, "--help"});
  for (const std::vector<std::string>& args : all) {
    ASSERT_EQ(run(args), 0);
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST_F(CommandTest, HelpOfEachCommandNamesItsOwnOutput) {
  const auto output_of = [&](const std::string& command) {
    run({command, "--help"});
    const std::size_t at = out.find("  -o PATH");
    if (at == std::string::npos) return std::string();
    std::istringstream words(out.substr(at, out.find("\n  -", at) - at));
    std::string text;  // on one line
    for (std::string word; words >> word;) text += word + " ";
    return text;
  };
  EXPECT_THAT(output_of("simulate"), HasSubstr("(default: results/NAME)"));
  EXPECT_THAT(output_of("calibrate"), HasSubstr("~/.cache/paceline/HOST-KEY.yaml"));
  EXPECT_THAT(output_of("topology"), HasSubstr("standard output"));
  EXPECT_THAT(output_of("fit"), HasSubstr("nothing is written"));
  EXPECT_THAT(output_of("plot"), HasSubstr("DIR, or beside"));
  EXPECT_EQ(output_of("check"), "");
}

TEST_F(CommandTest, HelpSaysHowACommandEnds) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_THAT(out, HasSubstr("  130  interrupted by Ctrl-C"));
  EXPECT_EQ(run({"list", "--help"}), 0);
  EXPECT_THAT(out, HasSubstr("KINDS: models, blocks, machines"));
  EXPECT_EQ(run({"run", "--help"}), 0);
  EXPECT_THAT(out, testing::ContainsRegex("--address HOST:PORT\n +address of process 0"));
}

/// Accepts no output, like a full disk.
class Full : public std::streambuf {};

TEST_F(CommandTest, OutputThatIsLostIsAnError) {
  for (const std::vector<std::string>& args : {std::vector<std::string>{"--help"},
                                               {"--version"},
                                               {"list"},
                                               {"list", "--schema"},
                                               {"topology", "show", "dgx1-p100"},
                                               {"run", "--help"}}) {
    Full full;
    std::ostream out_stream(&full);
    std::ostringstream err_stream;
    EXPECT_EQ(run_command(args, out_stream, err_stream), 1) << args.front();
    EXPECT_EQ(err_stream.str(), "paceline: error: cannot write to standard output\n");
  }
}

TEST_F(CommandTest, HelpNamesEveryCommand) {
  EXPECT_EQ(run({"--help"}), 0);
  for (const std::string& name : kCommands) EXPECT_THAT(out, HasSubstr("\n  " + name + " "));
  EXPECT_EQ(run({"run", "--help"}), 0);
  EXPECT_THAT(out, HasSubstr("--device NAME"));
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_THAT(out, StartsWith("paceline "));
}

TEST_F(CommandTest, HelpSpeaksOfItsOwnCommand) {
  for (const CommandRow& command : commands()) {
    ASSERT_EQ(run({command.name, "--help"}), 0);
    EXPECT_THAT(out, Not(HasSubstr("validate:"))) << command.name;
    EXPECT_THAT(out, Not(HasSubstr("default of "))) << command.name;
  }
  ASSERT_EQ(run({"validate", "--help"}), 0);
  EXPECT_THAT(out, HasSubstr("print the page docs/validation.md"));
}

}  // namespace
}  // namespace paceline
