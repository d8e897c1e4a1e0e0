// SPDX-License-Identifier: MIT
// --trace: one file with every source of every point; no other result depends on it.
#include <cstdlib>

#include "cli/gzip.hpp"
#include "cli/profile_file.hpp"
#include "cli/trace_file.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kExperiment = R"(name: traced
model: {kind: synthetic, compute: 9 ms, gradient: 10 MB, tensors: 3}
machine: dgx1-p100
workers: [1, 4]
update: [sync, {kind: k-sync, k: 50 %}]
stragglers: {compute: {kind: exponential, mean: 2 ms}}
steps: 4
warmup: 1
)";

constexpr const char* kHere = R"(name: here
model: {kind: mlp, inputs: 4, hidden: [8], classes: 2}
machine: this
batch: 4
workers: 2
stragglers: {compute: {kind: constant, value: 2 ms}}
train: {dataset: gaussian-mixture}
steps: 5
warmup: 1
)";

class TraceTest : public CommandTest {
 protected:
  /// The output of check_trace.py for a trace; skips the test if there is no Python.
  std::string checked(const std::string& file) {
    if (std::system("python3 --version > /dev/null 2>&1") != 0) return "";
    const std::string script = std::string(PACELINE_SOURCE_DIR) + "/tests/cli/check_trace.py";
    const int code =
        std::system(("python3 '" + script + "' " + file + " > checked.txt 2>&1").c_str());
    EXPECT_EQ(code, 0) << read("checked.txt");
    return read("checked.txt");
  }
};

TEST_F(TraceTest, IsAllOfARunAndChangesNothingOfIt) {
  write("traced.yaml", kExperiment);
  ASSERT_EQ(run({"simulate", "traced.yaml", "-o", "plain", "--quiet"}), 0) << err;
  ASSERT_EQ(run({"simulate", "traced.yaml", "-o", "traced", "--quiet", "--trace"}), 0) << err;
  EXPECT_THAT(err, Not(HasSubstr("trace.json.gz")));  // nothing was left out
  EXPECT_FALSE(std::filesystem::exists("plain/trace.json.gz"));
  for (const char* file : {"results.csv", "steps.csv", "staleness.csv", "step_times.csv"}) {
    EXPECT_EQ(read(std::string("plain/") + file), read(std::string("traced/") + file)) << file;
  }
  const std::string summary = checked("traced/trace.json.gz");
  if (summary.empty()) GTEST_SKIP() << "no python3";
  EXPECT_THAT(summary, StartsWith("processes 4, slices "));
  // 4 updates of 1, 1, 4 and 2 gradients; the last ones of two k-syncs come to 16 gradients
  EXPECT_THAT(summary, HasSubstr("arrows "));
  EXPECT_THAT(summary, HasSubstr("traced workers=4 update={kind: k-sync, k: 50 %}: predicted\n"));
}

TEST_F(TraceTest, IsMadeOfWhatWasKept) {
  write("traced.yaml", kExperiment);
  ASSERT_EQ(run({"simulate", "traced.yaml", "-o", "a", "--quiet"}), 0) << err;
  // finished points without a trace are run again
  ASSERT_EQ(run({"simulate", "traced.yaml", "-o", "a", "--quiet", "--trace"}), 0) << err;
  ASSERT_EQ(run({"simulate", "traced.yaml", "-o", "b", "--quiet", "--trace", "-j1"}), 0) << err;
  const std::string whole = read("a/trace.json.gz");
  EXPECT_EQ(whole, read("b/trace.json.gz"));
  EXPECT_GT(whole.size(), 1000U);
  std::filesystem::remove("a/trace.json.gz");
  ASSERT_EQ(run({"simulate", "traced.yaml", "-o", "a", "--quiet", "--trace"}), 0) << err;
  EXPECT_EQ(whole, read("a/trace.json.gz"));
}

TEST_F(TraceTest, SaysWhichKeptTraceIsDamaged) {
  write("traced.yaml", kExperiment);
  ASSERT_EQ(run({"simulate", "traced.yaml", "-o", "a", "--quiet", "--trace"}), 0) << err;
  std::filesystem::path trace;
  for (const auto& entry : std::filesystem::directory_iterator("a/points")) {
    if (entry.path().string().ends_with(".trace.gz")) trace = entry.path();
  }
  ASSERT_FALSE(trace.empty());
  std::filesystem::resize_file(trace, std::filesystem::file_size(trace) / 2);
  std::filesystem::remove("a/trace.json.gz");
  ASSERT_EQ(run({"simulate", "traced.yaml", "-o", "a", "--quiet", "--trace"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("a/trace.json.gz: a track left out: " + trace.string() +
                             " is damaged (remove it, and its point is run again)\n"));
  EXPECT_THAT(err, Not(HasSubstr("too many")));
  const std::string summary = checked("a/trace.json.gz");
  if (!summary.empty()) {
    EXPECT_THAT(summary, StartsWith("processes 3, slices "));
  }
  std::filesystem::remove(trace);
  ASSERT_EQ(run({"simulate", "traced.yaml", "-o", "a", "--quiet", "--trace"}), 0) << err;
  EXPECT_THAT(err, Not(HasSubstr("damaged")));
}

TEST_F(TraceTest, HasWhatWasMeasuredBesideWhatWasPredicted) {
  save_profile(default_profile_path(), made_up_profile());
  write("here.yaml", kHere);
  ASSERT_EQ(run({"run", "here.yaml", "--quiet", "--trace"}), 0) << err;
  const std::string summary = checked("results/here/trace.json.gz");
  if (summary.empty()) GTEST_SKIP() << "no python3";
  EXPECT_THAT(summary, StartsWith("processes 2, slices "));
  EXPECT_THAT(summary, HasSubstr("links 1, versions 12\n"));  // 1 to 6 of each
  EXPECT_THAT(summary, HasSubstr("here: predicted\nhere: measured\n"));
  EXPECT_THAT(summary, HasSubstr("arrows 20,"));  // 5 updates of 2 gradients, twice
}

TEST_F(TraceTest, ExplainReadsTheSameSpans) {
  write("traced.yaml", kExperiment);
  ASSERT_EQ(run({"explain", "traced.yaml", "--set", "workers=4", "--set", "update=sync", "--trace",
                 "-o", "out"}),
            0)
      << err;
  EXPECT_THAT(out, HasSubstr("a worker, compute"));
  EXPECT_THAT(out, HasSubstr("server, compute"));
  EXPECT_THAT(out, HasSubstr("receiving"));
  EXPECT_THAT(out, HasSubstr("critical path"));
  EXPECT_THAT(out, HasSubstr("push to server"));
  EXPECT_THAT(out, HasSubstr("trace: out/explain/trace.json.gz\n"));
  const std::string summary = checked("out/explain/trace.json.gz");
  if (summary.empty()) return;  // no Python to check the trace
  EXPECT_THAT(summary, HasSubstr("\ntraced: predicted\n"));
}

TEST(TraceFile, SharesItsRoom) {
  EXPECT_EQ(spans_for_each(1), SpanRecorder::kMostSpans);
  EXPECT_EQ(spans_for_each(20), 50'000U);
  EXPECT_EQ(spans_for_each(10'000), 5'000U);
}

TEST(Gzip, GivesBackWhatItWasGiven) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919) + "\n";
  GzipWriter writer;
  writer.add(std::string_view(text).substr(0, 1000));
  writer.add("");
  writer.add(std::string_view(text).substr(1000));
  const std::string packed = writer.finish();
  EXPECT_LT(packed.size(), text.size() / 2);
  EXPECT_EQ(gunzip(packed), text);
  EXPECT_EQ(gunzip(packed.substr(0, packed.size() - 9)), std::nullopt);
  EXPECT_EQ(gunzip("no gzip file"), std::nullopt);
  EXPECT_EQ(gunzip(""), std::nullopt);
}

}  // namespace
}  // namespace paceline
