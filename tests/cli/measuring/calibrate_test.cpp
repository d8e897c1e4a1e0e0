// SPDX-License-Identifier: MIT
// `paceline calibrate`: the files, the output and the errors.
#include "cli/calibration_table.hpp"
#include "cli/computer.hpp"
#include "cli/profile_file.hpp"
#include "experiments/language/json.hpp"
#include "experiments/language/yaml.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/training/profile/measured_profile.hpp"
#include "topology/machine.hpp"
#include "training/profile/bounds.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTiny = R"(name: tiny
model: {kind: mlp, inputs: 4, hidden: [8], classes: 2}
machine: this
batch: 4
workers: [1, 2]
steps: 5
warmup: 1
)";

class CalibrateTest : public CommandTest {
 protected:
  void TearDown() override {
    unsetenv("PACELINE_CUDA_PLUGIN");
    unsetenv("FAKE_GPUS");
    CommandTest::TearDown();
  }
};

// A calibration takes half a minute: one is looked at from all sides.
TEST_F(CalibrateTest, WritesAProfileAndAMachineThatIsThisComputer) {
  write("tiny.yaml", kTiny);
  ASSERT_EQ(run({"calibrate", "--quick", "--device", "host", "tiny.yaml"}), 0) << err;
  EXPECT_THAT(err,
              HasSubstr("calibrating this computer (5 measurements)\n"));  // host, copies, TCP, mlp
  const std::string stem = default_profile_path().replace_extension().string();
  for (const std::string& text :
       {std::string("this computer"), std::string("thread to thread"), std::string("alone"),
        std::string("of the driver's"), std::string("mlp"),
        std::string("A second calibration shows how much"), "profile: " + stem + ".yaml\n",
        "machine: " + stem + ".machine.yaml\n", std::string("oneDNN ")}) {
    EXPECT_THAT(out, HasSubstr(text));
  }
  std::ostringstream messages;
  const auto profile = load_profile(stem + ".yaml", messages);
  ASSERT_TRUE(profile) << messages.str();
  EXPECT_EQ(profile->networks.size(), 1U) << "both points have the same work";
  EXPECT_GE(profile->links.size(), 1U);
  EXPECT_TRUE(profile->software.contains("compiler"));
  EXPECT_EQ(impossible_figure(*profile), "");
  ASSERT_TRUE(profile->exchange);
  const std::vector<MemoryRates>& rows = profile->exchange->memory;
  ASSERT_GE(rows.size(), 3U) << "from a small cache to memory";
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_NEAR(rows[i].touched / rows[i - 1].touched, 4, 0.1);
  EXPECT_GT(profile->exchange->handling, Seconds{});
  const Machine machine = load_machine(Tree::scalar(stem + ".machine.yaml"));
  EXPECT_EQ(machine.fingerprint(), fingerprint_with({}));
  EXPECT_EQ(machine.host().cores, profile->host.cores);
  EXPECT_THAT(read(stem + ".machine.yaml"), HasSubstr("measured by paceline calibrate on 2"));

  ASSERT_EQ(
      run({"run", "tiny.yaml", "-o", "results/tiny", "--set", "machine=" + stem + ".machine.yaml"}),
      0)
      << err;
  EXPECT_THAT(err, Not(HasSubstr("calibrating"))) << "it has been";
  const std::string csv = read("results/tiny/results.csv");
  EXPECT_THAT(csv, HasSubstr("tiny,predicted,mlp,this,host,sync,2,"));
  EXPECT_THAT(csv, HasSubstr("tiny,measured,mlp,this,host,sync,2,"));

  // a profile of another computer neither counts as measured nor gives predictions
  std::string text = read(stem + ".machine.yaml");
  const std::string mine = this_computer().identity();
  write("other.yaml", text.replace(text.find(mine), mine.size(), "Abacus, 1 cores"));
  EXPECT_EQ(run({"execute", "tiny.yaml", "--set", "machine=other.yaml"}), 77);
  EXPECT_EQ(err, "paceline: error: machine 'other' is not this machine\n");
  EXPECT_EQ(run({"simulate", "tiny.yaml", "--set", "machine=other.yaml"}), 1);
  EXPECT_THAT(err, HasSubstr("machine 'other' has no GPUs"));
}

TEST_F(CalibrateTest, MeasuresGpusThroughThePlugin) {
  setenv("PACELINE_CUDA_PLUGIN", PACELINE_FAKE_ACCELERATOR, 1);
  write("tiny.yaml", kTiny);
  ASSERT_EQ(run({"calibrate", "--quick", "--device", "cuda", "-o", "box.yaml", "tiny.yaml"}), 0)
      << err;
  for (const char* text : {"gpu0 to gpu1", "Tesla P100-SXM2-16GB", "732.0 GB/s", "driver 13.0"}) {
    EXPECT_THAT(out, HasSubstr(text));
  }
  const Machine machine = load_machine(Tree::scalar("box.machine.yaml"));
  EXPECT_EQ(machine.gpu_count(), 2);
  EXPECT_EQ(machine.fingerprint(), this_computer().identity() + "; 2 x Tesla P100-SXM2-16GB");
}

TEST_F(CalibrateTest, SaysWhatCouldNotBeMeasuredAndPrintsJsonAlone) {
  setenv("PACELINE_CUDA_PLUGIN", PACELINE_FAKE_ACCELERATOR, 1);
  setenv("FAKE_GPUS", "throws away", 1);
  write("tiny.yaml", kTiny);
  EXPECT_EQ(
      run({"calibrate", "--quick", "--device", "cuda", "-o", "box.yaml", "--json", "tiny.yaml"}),
      1);
  EXPECT_THAT(err, HasSubstr("paceline: error: not measured: mlp: out of memory on GPU 0\n"));
  EXPECT_TRUE(std::filesystem::exists("box.yaml")) << "the rest is kept";
  const Tree all = parse_json("calibrate", out);
  EXPECT_EQ(all.find("profile")->text, "box.yaml");
  EXPECT_EQ(all.find("machine")->text, "box.machine.yaml");
  ASSERT_EQ(all.find("not_measured")->items.size(), 1U);
  EXPECT_EQ(all.find("not_measured")->items[0].text, "mlp: out of memory on GPU 0");
  EXPECT_EQ(all.find("figures")->find("gpus")->items.size(), 2U);
}

// Regression: it measured nothing for resnet50, printed nothing and exited with 0.
TEST_F(CalibrateTest, SaysWhichNetworksAreTooLarge) {
  write("large.yaml", "name: large\nmodel: resnet50\nworkers: [1, 2]\n");
  const std::string why =
      "large.yaml:2:8: error: no arithmetic of 'resnet50' on this computer: too large for the CPU: "
      "7.4e+11 FLOPs per mini-batch of 32 (at most 2e+11; use a smaller batch or a machine with "
      "GPUs)\n";
  EXPECT_EQ(run({"calibrate", "--quick", "--quiet", "--device", "host", "large.yaml"}), 2);
  EXPECT_EQ(err, why);
  EXPECT_EQ(run({"simulate", "large.yaml", "--quiet"}), 2);
  EXPECT_EQ(err, why);
}

TEST_F(CalibrateTest, RefusesAFullOrMissingPlaceBeforeItMeasures) {
  write("file", "");
  EXPECT_EQ(run({"calibrate", "--quick", "--device", "host", "-o", "file/box.yaml"}), 2);
  EXPECT_EQ(err,
            "paceline: error: cannot make folder file (Not a directory): give another file with "
            "-o\n");
  EXPECT_EQ(out, "");
}

TEST_F(CalibrateTest, RefusesWhatIsNotHere) {
  EXPECT_EQ(run({"calibrate", "--device", "cuda"}), 77);
  EXPECT_EQ(err,
            "paceline: error: this build has no CUDA layer (libpaceline_cuda.so is not beside "
            "paceline)\n");
  EXPECT_EQ(run({"calibrate", "nowhere.yaml"}), 2);
  EXPECT_THAT(err, HasSubstr("nowhere.yaml: error: cannot read"));
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::current_path()));
}

TEST_F(CalibrateTest, TheTableHasTheoryBesideWhatWasMeasured) {
  Profile profile = measured_profile(1);
  profile.links.front().theory = BytesPerSecond{62.5e9};
  profile.links.front().theory_source = "PCIe 5.0 x16";
  profile.links.front().driver = profile.links.front().large();
  NetworkProfile times;
  times.network = "resnet50";
  times.gpu = "NVIDIA H200";
  times.precision = Precision::bf16;
  times.virtual_gpus = 4;
  times.sms = 33;
  times.batch = 64;
  times.forward = {Seconds{10e-3}};
  times.backward = {Seconds{20e-3}};
  times.flops = Flops{3e12};
  times.shared.push_back({4, Seconds{12e-3}, Seconds{24e-3}});
  profile.networks.push_back(times);
  const std::string table = calibration_table(profile);
  EXPECT_THAT(table, testing::ContainsRegex("host to gpu0 +alone +10\\.00 us +50\\.00 GB/s.*"
                                            "100 % +62\\.50 GB/s +80\\.0 %"));
  // a quarter of the multiprocessors has a quarter of the peak
  EXPECT_THAT(table, HasSubstr("NVIDIA H200 / 4"));
  EXPECT_THAT(table, HasSubstr("  40.4 %  "));
  EXPECT_THAT(table, HasSubstr("  4 at once"));
  EXPECT_THAT(table, testing::ContainsRegex("gpu0 +NVIDIA H200 +4\\.000 TB/s +4\\.800 TB/s"));
}

}  // namespace
}  // namespace paceline
