// SPDX-License-Identifier: MIT
// Measured times: reading the file, and the distribution of its times.
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/workload/stragglers/example.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/workload/stragglers/measured/times_csv.hpp"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Times times_of(const std::string& text, const TimesQuery& query = {}) {
  const TimesFile file(text);
  Diagnostics diagnostics;
  auto times = read_times(file.path(), query, diagnostics);
  diagnostics.throw_if_any();
  return times.value();
}

/// The error of a file, without its folder.
std::string error_of(const std::string& text, const TimesQuery& query = {}) {
  try {
    times_of(text, query);
  } catch (const SpecError& error) {
    const std::string line = error.what();
    return line.substr(line.find("times.csv"));
  }
  return "";
}

TEST(TimesCsv, one_time_a_line) {
  EXPECT_THAT(times_of("0.5\n0.25\n").seconds, ElementsAre(0.5, 0.25));
  EXPECT_THAT(times_of("# measured on Tuesday\r\n\r\n1\r\n 2 \r\n3").seconds, ElementsAre(1, 2, 3));
  EXPECT_THAT(times_of("12 ms\n3us\n1 min\n0.5\n").seconds, ElementsAre(0.012, 3e-6, 60, 0.5));
  EXPECT_THAT(times_of("12\n7", {"", TimeUnit::ms, {}}).seconds, ElementsAre(0.012, 0.007));
}

TEST(TimesCsv, a_column_by_its_name) {
  EXPECT_THAT(times_of("whatever\n1\n2\n").seconds, ElementsAre(1, 2));
  EXPECT_THAT(times_of("worker,step_ms\n0,12\n1,13\n").seconds, ElementsAre(0.012, 0.013));
  EXPECT_EQ(times_of("worker,step_ms\n0,12\n").column, "step_ms");
  EXPECT_THAT(times_of("\"a, b\",time_s,n\n\"x, y\",4,1\n").seconds, ElementsAre(4));
  const std::string both = "first,second_us\n1,2\n3,4\n";
  EXPECT_THAT(times_of(both, {"first", {}, {}}).seconds, ElementsAre(1, 3));
  EXPECT_THAT(times_of(both, {"second_us", {}, {}}).seconds, ElementsAre(2e-6, 4e-6));
  EXPECT_THAT(times_of(both, {"second_us", TimeUnit::s, {}}).seconds, ElementsAre(2, 4));
  EXPECT_THAT(times_of(both, {"second_us", {}, {{"first", "3"}}}).seconds, ElementsAre(4e-6));
}

const char* const kRun =
    "point,source,worker,step,began_s,delay_s,end_s,accepted\n"
    "0,predicted,0,0,1,0.5,2,1\n"
    "0,measured,0,0,1,0.5,2.25,1\n"
    "0,measured,1,0,1,0.75,1.5,0\n";

TEST(TimesCsv, the_steps_of_one_run) {
  const Times steps = times_of(kRun, {"", {}, {{"source", "measured"}}});
  EXPECT_THAT(steps.seconds, ElementsAre(1.25));
  EXPECT_EQ(steps.cancelled, 1U);
  EXPECT_EQ(steps.column, "end_s - began_s");
  EXPECT_THAT(times_of(kRun, {"delay_s", {}, {{"source", "predicted"}}}).seconds, ElementsAre(0.5));
  EXPECT_EQ(error_of(kRun),
            "times.csv: error: steps of several runs: source measured, predicted (choose one with "
            "--only source=measured)");
}

// A log has counters beside its times, and the names say which is which.
TEST(TimesCsv, a_counter_is_never_a_time) {
  const Times times = times_of("rank,step,step_time_ms,data_ms\n0,0,301,1\n0,1,305,2\n");
  EXPECT_THAT(times.seconds, ElementsAre(0.301, 0.305));
  EXPECT_EQ(times.column, "step_time_ms");
  EXPECT_EQ(times.why, "its name says a step's time and the unit");
  for (const char* counter :
       {"step", "Step", "global_step", "epoch", "iteration", "Iter", "rank", "worker", "batch"}) {
    const std::string name = counter;
    EXPECT_THAT(error_of(name + ",loss\n0,3\n1,2\n"), HasSubstr("no column of times")) << name;
    EXPECT_THAT(error_of(name + "\n0\n1\n"), HasSubstr("no column of times")) << name;
    EXPECT_EQ(times_of("value," + name + ",time\n7,0,3\n").column, "time") << name;
    EXPECT_THAT(times_of(name + ",b\n3,0\n", {name, {}, {}}).seconds, ElementsAre(3));
  }
}

TEST(TimesCsv, units_in_names) {
  const auto column = [](const std::string& name) {
    const Times times = times_of("step," + name + ",loss\n0,12,3\n");
    EXPECT_EQ(times.column, name);
    return times.seconds.at(0);
  };
  EXPECT_EQ(column("ms"), 0.012);
  EXPECT_EQ(column("us"), 12e-6);
  EXPECT_EQ(column("s"), 12);
  EXPECT_EQ(column("seconds"), 12);
  EXPECT_EQ(column("elapsed (ms)"), 0.012);
  EXPECT_EQ(column("Iteration time [msec]"), 0.012);
  EXPECT_EQ(column("StepTime/step_time"), 12);
  for (const char* rate : {"samples/s", "tokens_per_s", "step_min", "steps", "timestep_count"}) {
    EXPECT_THAT(error_of("epoch," + std::string(rate) + "\n0,12\n"),
                HasSubstr("no column of times"))
        << rate;
  }
}

TEST(TimesCsv, numbers_of_steps_are_numbers) {
  for (const std::string step : {"x", "10abc", "inf", "nan", "1e999"}) {
    EXPECT_EQ(error_of("Wall time,Step,Value\n100,0,9\n102," + step + ",8\n"),
              "times.csv:3:1: error: '" + step + "' is not the number of a step");
  }
}

TEST(TimesCsv, two_columns_that_fit_are_refused) {
  EXPECT_EQ(error_of("step,forward_ms,backward_ms\n0,1,2\n"),
            "times.csv:1:1: error: 2 columns of times: forward_ms, backward_ms (name one: "
            "--column, or the key 'column')");
  EXPECT_EQ(times_of("forward_ms,time_ms\n1,2\n").column, "time_ms");
}

// Points in time: the differences, for each of the steps between.
TEST(TimesCsv, logs_of_tensorboard_and_wandb) {
  const Times board = times_of("Wall time,Step,Value\n100,0,9\n102,10,8\n105,20,7\n");
  EXPECT_THAT(board.seconds, ElementsAre(0.2, 0.3));
  EXPECT_EQ(board.why, "points in time: differences, divided by the steps between");
  // the training began again behind step 4
  EXPECT_THAT(times_of("_step,_runtime,loss\n2,1,9\n4,2,8\n3,90,8\n4,91,7\n").seconds,
              ElementsAre(0.5, 1));
  const Times wandb = times_of(
      "\"Step\",\"run-1 - perf/step_time\",\"run-1 - perf/step_time__MIN\","
      "\"run-1 - perf/step_time__MAX\"\n\"0\",\"0.25\",\"0.25\",\"0.25\"\n");
  EXPECT_THAT(wandb.seconds, ElementsAre(0.25));
  EXPECT_EQ(wandb.column, "run-1 - perf/step_time");
}

TEST(TimesCsv, lines_of_training_programs) {
  const Times megatron = times_of(
      "building the model\n"
      " iteration       10/  500 | elapsed time per iteration (ms): 1235.5 | lm loss: 1.0E+01 |\n"
      " iteration       20/  500 | elapsed time per iteration (ms): 1247.0 | lm loss: 1.0E+01 |\n");
  EXPECT_THAT(megatron.seconds, ElementsAre(1.2355, 1.247));
  EXPECT_EQ(megatron.column, "elapsed time per iteration");
  EXPECT_EQ(megatron.why,
            "of Megatron-LM's lines: means over 10 iterations, which vary about 3.2 times less "
            "than steps do");
  EXPECT_THAT(times_of("Epoch: [0][0/9]\tTime  0.311 ( 0.320)\tData  0.001 ( 0.010)\n"
                       "Test: [0/9]\nEpoch: [0][1/9]\tTime  0.25 ( 0.320)\tData  0.1 ( 0.1)\n")
                  .seconds,
              ElementsAre(0.311, 0.25));
  EXPECT_THAT(times_of("  0%|  | 0/50 [00:00<?, ?it/s]\r  2%|# | 1/50 [00:01<00:40,  1.25it/s]\r"
                       "  4%|# | 2/50 [00:02<00:40,  1.60s/it, loss=2]\n")
                  .seconds,
              ElementsAre(0.8, 1.6));
}

TEST(TimesCsv, mistakes_are_named) {
  EXPECT_EQ(error_of(""), "times.csv: error: no time in this file");
  EXPECT_EQ(error_of("step_s\n"), "times.csv: error: no time in this file");
  EXPECT_EQ(
      error_of("1\n-2\n"),
      "times.csv:2:1: error: '-2' is not a time (write a number >= 0, or a number and one of: "
      "ns, us, ms, s, min, h)");
  EXPECT_THAT(error_of("1\nnan\n"), HasSubstr("times.csv:2:1: error: 'nan' is not a time"));
  EXPECT_THAT(error_of("1\ninf\n"), HasSubstr("'inf' is not a time"));
  EXPECT_THAT(error_of("1\n2 parsecs\n"), HasSubstr("'2 parsecs' is not a time"));
  EXPECT_THAT(error_of("1\n\n2,3\n"),
              HasSubstr("times.csv:3:1: error: expected 1 fields, found 2"));
  EXPECT_EQ(error_of("a,b\n1,2\n"),
            "times.csv:1:1: error: no column of times: no name says a time or its unit, as "
            "step_time_ms does (name one: --column, or the key 'column'; columns: a, b)");
  EXPECT_THAT(error_of("a,step_s\n1,2\n", {"steps_s", {}, {}}),
              HasSubstr("unknown column 'steps_s' (did you mean 'step_s'?"));
  EXPECT_THAT(error_of("1\n2\n", {"step_s", {}, {}}),
              HasSubstr("no column 'step_s': the file has no header"));
  EXPECT_THAT(error_of("began_s,end_s\n2,1\n"), HasSubstr("the step ends before it begins"));
  EXPECT_THAT(error_of("a\nx\ny\n"), HasSubstr("times.csv:2:1: error: 'x' is not a time"));
}

// Q(i / (n-1)) is the i-th time, with linear interpolation in between. By hand: 1, 2, 4.
TEST(Empirical, is_linear_between_the_order_statistics) {
  const TimesFile file("4\n1\n2\n");
  const auto measured = read_straggler("{kind: empirical, file: " + file.path() + "}");
  EXPECT_DOUBLE_EQ(measured->quantile(0.25).value(), 1.5);
  EXPECT_DOUBLE_EQ(measured->quantile(0.5).value(), 2);
  EXPECT_DOUBLE_EQ(measured->quantile(0.75).value(), 3);
  EXPECT_DOUBLE_EQ(measured->upper_quantile(0.25).value(), 3);
  EXPECT_DOUBLE_EQ(measured->cdf(Seconds{3}), 0.75);
  EXPECT_EQ(measured->cdf(Seconds{4}), 1);
  EXPECT_EQ(measured->cdf(Seconds{0.99}), 0);
  EXPECT_DOUBLE_EQ(measured->mean().value(), 2.25);
  EXPECT_DOUBLE_EQ(measured->cv(), std::sqrt((7 / 3.0 + 28 / 3.0) / 2 - 2.25 * 2.25) / 2.25);
}

TEST(Empirical, one_time_is_a_constant) {
  const TimesFile file("7 ms\n");
  const auto measured = read_straggler("{kind: empirical, file: " + file.path() + "}");
  EXPECT_EQ(measured->quantile(0.3), Seconds{0.007});
  EXPECT_EQ(measured->upper_quantile(0.3), Seconds{0.007});
  EXPECT_EQ(measured->cdf(Seconds{0.007}), 1);
  EXPECT_EQ(measured->cv(), 0);
}

// The content of the file determines the distribution: other content is another point of a sweep.
TEST(Empirical, content_follows_the_file) {
  const TimesFile file("1\n2\n3\n");
  const std::string text = "{kind: empirical, file: " + file.path() + "}";
  const auto first = read_straggler(text);
  EXPECT_EQ(first->content().size(), 32U);
  EXPECT_EQ(read_straggler(text)->content(), first->content());
  file.write("1\n2\n3.5\n");
  const auto second = read_straggler(text);
  EXPECT_NE(second->content(), first->content());
  EXPECT_EQ(second->shape().high, Seconds{3.5});
  EXPECT_EQ(first->shape().high, Seconds{3});
  const auto within =
      read_straggler("{kind: mixture, parts: [{share: 100 %, time: " + text + "}]}");
  EXPECT_THAT(within->content(), HasSubstr(second->content()));
}

TEST(Empirical, a_file_that_is_not_there_is_named_where_it_stands) {
  try {
    read_straggler("{kind: empirical, file: no/such.csv}");
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_STREQ(error.what(), "test.yaml:1:25: error: cannot open file of times 'no/such.csv'");
  }
}

// The path is relative to the file that names it.
TEST(Empirical, the_path_is_relative_to_the_yaml) {
  const TimesFile file("7 ms\n");
  const std::string yaml = std::filesystem::path(file.path()).parent_path() / "experiment.yaml";
  Choice<Straggler> measured;
  Diagnostics diagnostics;
  EXPECT_TRUE(Value<Choice<Straggler>>::read(
      measured, parse_yaml(yaml, "{kind: empirical, file: times.csv}"), diagnostics));
  EXPECT_EQ(measured->quantile(0.5), Seconds{0.007});
  EXPECT_EQ(to_flow(Value<Choice<Straggler>>::write(measured)),
            "{kind: empirical, file: times.csv, applies: added, phase: forward}");
}

}  // namespace
}  // namespace paceline
