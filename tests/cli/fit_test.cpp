// SPDX-License-Identifier: MIT
#include <iostream>

#include "experiments/language/yaml.hpp"
#include "tests/cli/command_fixture.hpp"
#include "training/workload/stragglers/stragglers.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Shifted exponential times at evenly spaced quantiles: 10 ms plus an exponential of mean 5 ms.
std::string sample_times() {
  std::string text = "worker,step_ms\n";
  for (int i = 0; i < 1000; ++i) {
    text += "0," + print_number(10 - 5 * std::log1p(-(i + 0.5) / 1000)) + "\n";
  }
  return text;
}

/// Reads the `stragglers:` map that begins at `from` in a text.
Stragglers pasted(const std::string& text, std::size_t from) {
  const std::size_t begin = text.find("stragglers:\n", from);
  const std::size_t end = text.find('\n', text.find("compute:", begin));
  Diagnostics diagnostics;
  const Tree file = parse_yaml("pasted.yaml", text.substr(begin, end - begin));
  const auto stragglers = read<Stragglers>(*file.find("stragglers"), diagnostics);
  diagnostics.throw_if_any();
  return stragglers;
}

TEST_F(CommandTest, FitNamesTheDistributionAndWritesWhatToPaste) {
  write("times.csv", sample_times());
  ASSERT_EQ(run({"fit", "times.csv", "-o", "results/fit-times"}), 0);
  EXPECT_THAT(out, StartsWith("times.csv: 1000 times (step_ms), mean 15.00 ms, cv "));
  const std::size_t first = out.find('\n', out.find("distribution  ")) + 1;
  EXPECT_THAT(out.substr(first), StartsWith("shifted-exponential"));
  EXPECT_THAT(err, HasSubstr("figures were not drawn"));  // a single line
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;

  const Stragglers best = pasted(out, 0);
  EXPECT_EQ(best.compute.kind(), "shifted-exponential");
  EXPECT_EQ(best.compute->applies, Applies::total);
  EXPECT_NEAR(best.compute->mean().value(), 0.015, 1e-5);
  const std::string file = read("results/fit-times/stragglers.yaml");
  EXPECT_EQ(to_flow(write_keys(pasted(file, 0))), to_flow(write_keys(best)));

  const Stragglers measured = pasted(out, out.find("or the measured times"));
  EXPECT_EQ(measured.compute.kind(), "empirical");
  EXPECT_NEAR(measured.compute->mean().value(), 0.015, 1e-4);
  EXPECT_THAT(read("results/fit-times/fit.csv"),
              StartsWith("kind,parameters,times,log_likelihood,aic,distance,keys\n"
                         "shifted-exponential,2,1000,"));
  EXPECT_THAT(read("results/fit-times/curves.csv"),
              StartsWith("time_s,measured,shifted-exponential,"));
}

TEST_F(CommandTest, FitWritesJson) {
  write("times.csv", sample_times());
  ASSERT_EQ(run({"fit", "times.csv", "--json", "-o", "here"}), 0);
  const Tree json = parse_yaml("out.json", out);  // JSON is YAML
  EXPECT_EQ(json.find("times")->text, "1000");
  const Tree& first = json.find("fits")->items.front();
  EXPECT_EQ(first.find("kind")->text, "shifted-exponential");
  EXPECT_TRUE(first.find("keys")->find("shift") != nullptr);
  EXPECT_EQ(json.find("folder")->text, "here");
  EXPECT_EQ(pasted(json.find("yaml")->text, 0).compute.kind(), "shifted-exponential");
  EXPECT_TRUE(std::filesystem::exists("here/times.csv"));
}

// The steps of a run: those of one point and source, without cancelled steps, which never ended.
TEST_F(CommandTest, FitReadsTheStepsOfARun) {
  std::string steps = "point,source,worker,step,began_s,delay_s,end_s,accepted\n";
  for (int i = 0; i < 40; ++i) {
    const std::string began = print_number(i);
    steps += "0,predicted,0," + std::to_string(i) + "," + began + ",9," + print_number(i + 9) +
             ",1\n0,measured,0," + std::to_string(i) + "," + began + "," +
             print_number(1 + i * 0.1) + "," + print_number(i + 2 + i * 0.1) + "," +
             (i % 4 == 3 ? "0" : "1") + "\n";
  }
  write("steps.csv", steps);
  ASSERT_EQ(run({"fit", "steps.csv"}), 2);
  EXPECT_EQ(err,
            "steps.csv: error: steps of several runs: source measured, predicted (choose one with "
            "--only source=measured)\n");
  ASSERT_EQ(run({"fit", "steps.csv", "--only", "source=measured"}), 0);
  EXPECT_THAT(out, StartsWith("steps.csv: 30 times (end_s - began_s)"));
  EXPECT_THAT(out, HasSubstr("; 10 cancelled steps left out\n"));
  EXPECT_EQ(pasted(out, 0).compute->applies, Applies::total);
  ASSERT_EQ(run({"fit", "steps.csv", "--only=source=measured", "--column", "delay_s"}), 0);
  EXPECT_EQ(pasted(out, 0).compute->applies, Applies::added);
  EXPECT_THAT(out, Not(HasSubstr("phase")));  // no parameter of a distribution
}

TEST_F(CommandTest, FitRefusesWhatItCannotRead) {
  const auto error = [&](const std::vector<std::string>& args) {
    EXPECT_EQ(run(args), 2);
    EXPECT_EQ(out, "");
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    EXPECT_FALSE(std::filesystem::exists("results"));
    return err;
  };
  write("few.csv", "1\n2\n3\n");
  write("same.csv", "1 ms\n1 ms\n1 ms\n1 ms\n1 ms\n1 ms\n1 ms\n1 ms\n1 ms\n1 ms\n");
  write("wrong.csv", "1\n2\nthree\n");
  write("long.csv", "1\n2\n3\n4\n5\n6\n7\n8\n9\n1e300\n");
  EXPECT_EQ(error({"fit", "long.csv"}),
            "long.csv: error: the longest time is 1e+300 s (at most 1000000000 s; --unit sets the "
            "unit of bare numbers)\n");
  EXPECT_EQ(error({"fit"}),
            "paceline: error: fit takes one file of times (- reads standard input)\n");
  EXPECT_EQ(error({"fit", "none.csv"}), "none.csv: error: cannot open\n");
  EXPECT_EQ(error({"fit", "few.csv"}), "few.csv: error: only 3 times (a fit needs at least 10)\n");
  EXPECT_EQ(error({"fit", "same.csv"}),
            "same.csv: error: all times are the same (use `{kind: constant, value: 1 ms}`)\n");
  EXPECT_THAT(error({"fit", "wrong.csv"}),
              StartsWith("wrong.csv:3:1: error: 'three' is not a time"));
  EXPECT_THAT(error({"fit", "few.csv", "--unit", "sec"}),
              StartsWith("paceline: error: unknown unit 'sec'"));
  EXPECT_EQ(error({"fit", "few.csv", "--only", "measured"}),
            "paceline: error: --only 'measured' is not COLUMN=VALUE\n");
}

// Regression: the output had seventeen digits, more than was measured, and a folder was created
// without a request.
TEST_F(CommandTest, FitPrintsSixDigitsAndWritesNothingByDefault) {
  write("times.csv", sample_times());
  ASSERT_EQ(run({"fit", "times.csv"}), 0);
  EXPECT_THAT(out, testing::ContainsRegex("shift: [0-9.]{1,7} ms, mean: [0-9.]{1,7} ms"));
  EXPECT_THAT(out, HasSubstr("-o DIR draws the fits"));
  EXPECT_EQ(err, "");
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(CommandTest, FitReadsStandardInput) {
  std::istringstream times(sample_times());
  std::streambuf* const before = std::cin.rdbuf(times.rdbuf());
  const int code = run({"fit", "-"});
  std::cin.rdbuf(before);
  ASSERT_EQ(code, 0) << err;
  EXPECT_THAT(out, StartsWith("standard input: 1000 times (step_ms)"));
}

TEST_F(CommandTest, FitOfSeveralPointsNamesTheFileThatDistinguishesThem) {
  write("steps.csv", "point,source,began_s,end_s\n0,measured,0,1\n1,measured,0,2\n");
  EXPECT_EQ(run({"fit", "steps.csv"}), 2);
  EXPECT_EQ(err,
            "steps.csv: error: steps of several runs: point 0, 1 (choose one with --only point=0; "
            "results.csv tells points apart)\n");
}

// A file of times with other contents is another point, whatever its name.
TEST_F(CommandTest, AChangedFileOfTimesIsAnotherPoint) {
  write("experiment.yaml",
        "name: measured\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\n"
        "machine: ideal\nupdate: sync\nsteps: 20\n"
        "stragglers: {compute: {kind: empirical, file: times.csv}}\n");
  write("times.csv", "1 ms\n2 ms\n");
  const auto points = [] {
    std::size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator("results/measured/points")) {
      count += file.is_regular_file();
    }
    return count;
  };
  ASSERT_EQ(run({"simulate", "experiment.yaml"}), 0) << err;
  const std::size_t first = points();
  const std::string before = read("results/measured/results.csv");
  ASSERT_EQ(run({"simulate", "experiment.yaml"}), 0) << err;
  EXPECT_EQ(points(), first);
  write("times.csv", "1 ms\n200 ms\n");
  ASSERT_EQ(run({"simulate", "experiment.yaml"}), 0) << err;
  EXPECT_NE(read("results/measured/results.csv"), before);
}

// A delay beyond the clock's range fails the point with a message.
TEST_F(CommandTest, ADelayBeyondTheClockFailsThePoint) {
  write("experiment.yaml",
        "name: heavy\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\n"
        "machine: ideal\nupdate: sync\nsteps: 20\n"
        "stragglers: {compute: {kind: pareto, minimum: 1 s, shape: 0.1}}\n");
  EXPECT_EQ(run({"simulate", "experiment.yaml"}), 1);
  EXPECT_THAT(read("results/heavy/results.csv"), HasSubstr("longer than the clock can count"));
}

}  // namespace
}  // namespace paceline
