// SPDX-License-Identifier: MIT
// Points on GPUs with fake plug-ins: a missing part is reported in one line, and measurements of a
// plug-in become results.
#include "cli/profile_file.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kShared = R"(name: shared
model: {kind: mlp, inputs: 4, hidden: [8], classes: 2}
batch: 4
workers: [1, 4]
devices: {virtual: 4}
steps: 5
warmup: 1
)";

constexpr const char* kDescribed = R"(name: described
model: {kind: synthetic, compute: 1 ms, gradient: 1 MB}
machine: dgx1-p100
workers: [2, 4]
steps: 3
)";

class CudaTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    setenv("PACELINE_CUDA_PLUGIN", PACELINE_FAKE_ACCELERATOR, 1);
    write("shared.yaml", kShared);
    write("described.yaml", kDescribed);
  }
  void TearDown() override {
    unsetenv("PACELINE_CUDA_PLUGIN");
    unsetenv("FAKE_GPUS");
    unsetenv("FAKE_DRIVER");
    CommandTest::TearDown();
  }
  /// The output of `execute --device cuda` with an unusable plug-in.
  std::string refusal() {
    EXPECT_EQ(run({"execute", "shared.yaml", "--device", "cuda"}), 77);
    EXPECT_EQ(out, "");
    EXPECT_FALSE(std::filesystem::exists("results"));
    return err;
  }
};

TEST_F(CudaTest, SaysThatThereIsNoPlugin) {
  unsetenv("PACELINE_CUDA_PLUGIN");
  EXPECT_EQ(refusal(),
            "paceline: error: this build has no CUDA layer (libpaceline_cuda.so is not beside "
            "paceline)\n");
  setenv("PACELINE_CUDA_PLUGIN", "/nowhere/plugin.so", 1);
  EXPECT_EQ(
      refusal(),
      "paceline: error: PACELINE_CUDA_PLUGIN names '/nowhere/plugin.so', which is not a file\n");
}

TEST_F(CudaTest, SaysWhichLibraryIsMissing) {
  setenv("PACELINE_CUDA_PLUGIN", PACELINE_NEEDY_ACCELERATOR, 1);
  EXPECT_EQ(refusal(),
            "paceline: error: cannot load the CUDA layer: libpaceline_absent.so is missing "
            "(LD_LIBRARY_PATH names folders to search)\n");
}

TEST_F(CudaTest, SaysThatAPluginIsNone) {
  write("plugin.so", "no library");
  setenv("PACELINE_CUDA_PLUGIN", std::filesystem::absolute("plugin.so").c_str(), 1);
  EXPECT_THAT(refusal(), testing::StartsWith("paceline: error: cannot load the CUDA layer: "));
}

TEST_F(CudaTest, SaysThatAPluginIsOfAnotherBuild) {
  setenv("FAKE_GPUS", "other build", 1);
  EXPECT_EQ(refusal(),
            "paceline: error: libpaceline_cuda.so was built from different sources than paceline "
            "(rebuild both)\n");
}

TEST_F(CudaTest, SaysThatThereIsNoDriver) {
  setenv("FAKE_GPUS", "no driver", 1);
  EXPECT_EQ(refusal(), "paceline: error: no NVIDIA driver on this computer\n");
  // with auto, a point that shares a GPU cannot fall back to the host; a comparison continues
  // without it
  EXPECT_EQ(run({"execute", "shared.yaml"}), 77);
  EXPECT_EQ(err,
            "paceline: error: 'devices' shares a GPU, and the host has none; no NVIDIA driver on "
            "this computer\n");
  EXPECT_EQ(run({"execute", "described.yaml"}), 77);
  EXPECT_EQ(err,
            "paceline: error: machine 'dgx1-p100' is not this machine; no NVIDIA driver on this "
            "computer\n");
  EXPECT_EQ(run({"execute", "shared.yaml", "--set", "devices=null", "--set", "precision=bf16"}),
            77);
  EXPECT_EQ(err,
            "paceline: error: the CPU computes in fp32 only; no NVIDIA driver on this computer\n");
  EXPECT_EQ(run({"run", "described.yaml"}), 0) << err;
  EXPECT_THAT(read("results/described/results.csv"), HasSubstr(",skipped (machine 'dgx1-p100' "));
}

TEST_F(CudaTest, MeasuresOnVirtualGpus) {
  save_profile(default_profile_path(), made_up_profile());
  ASSERT_EQ(run({"run", "shared.yaml"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("calibrating this computer"));
  const std::string csv = read("results/shared/results.csv");
  EXPECT_THAT(csv, HasSubstr("shared,measured,mlp,this,cuda,sync,4,parameter-server,4,4,5,6,0.25"));
  // 4 workers share a card on which three layers take 1 ms each per pass
  EXPECT_THAT(csv, testing::ContainsRegex("shared,predicted,mlp,this,cuda,sync,1,[^\n]*,ok"));
  EXPECT_THAT(csv, testing::ContainsRegex("shared,predicted,mlp,this,cuda,sync,4,[^\n]*,ok"));
  const std::string manifest = read("results/shared/manifest.json");
  EXPECT_THAT(manifest, HasSubstr("\"name\": \"Tesla P100-SXM2-16GB\""));
  EXPECT_THAT(manifest, HasSubstr("\"cudnn\": \"9.19.0\""));
  EXPECT_THAT(manifest, HasSubstr("profile_hash"));

  // the GPU's measurements are kept and give predictions where there is no GPU
  setenv("FAKE_GPUS", "no driver", 1);
  ASSERT_EQ(run({"simulate", "shared.yaml", "-o", "again"}), 0) << err;
  EXPECT_THAT(err, Not(HasSubstr("calibrating")));
  EXPECT_THAT(read("again/results.csv"),
              testing::ContainsRegex("shared,predicted,mlp,this,cuda,sync,4,[^\n]*,ok"));
}

TEST_F(CudaTest, AWorkloadThatWasNotMeasuredHasNoPrediction) {
  setenv("FAKE_GPUS", "no driver", 1);
  ASSERT_EQ(run({"simulate", "shared.yaml"}), 0) << err;
  EXPECT_THAT(read("results/shared/results.csv"),
              HasSubstr(",skipped (no profile of GPU 0 (run paceline calibrate where it is)),"));
  save_profile(default_profile_path(), made_up_profile());
  setenv("FAKE_GPUS", "throws away", 1);
  ASSERT_EQ(run({"simulate", "shared.yaml"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("note: not measured: mlp: out of memory on GPU 0\n"));
  EXPECT_THAT(read("results/shared/results.csv"),
              HasSubstr(",skipped (no profile of 'mlp' at batch 4 on this GPU"));
}

TEST_F(CudaTest, TotalsNeedTheTimeOfTheArithmetic) {
  const std::vector<std::string> words{
      "execute", "shared.yaml",
      "-o",      "results/shared",
      "--set",   "workers=4",
      "--set",   "stragglers={compute: {kind: constant, value: 1 s, applies: total}}"};
  save_profile(default_profile_path(), made_up_profile());
  ASSERT_EQ(run(words), 0) << err;
  EXPECT_THAT(read("results/shared/results.csv"), HasSubstr("shared,measured,mlp,this,cuda,"));
  std::filesystem::remove_all("results");
  save_profile(default_profile_path(), made_up_profile());
  setenv("FAKE_GPUS", "throws away", 1);
  ASSERT_EQ(run(words), 0) << err;
  EXPECT_THAT(read("results/shared/results.csv"),
              HasSubstr(",skipped (a straggler that applies to the total needs the time of the "
                        "arithmetic; no profile of 'mlp' at batch 4 on this GPU"));
}

TEST_F(CudaTest, ManifestSaysHowACardWasSharedAndAtWhichClocks) {
  const std::string point =
      "\"point\": 1,\n      \"split\": \"streams (this plug-in cannot)\",\n"
      "      \"clocks\": \"SM 1480 MHz\"";
  for (int run_again = 0; run_again < 2; ++run_again) {  // the second time from the disk
    ASSERT_EQ(
        run({"execute", "shared.yaml", "-o", "results/shared", "--set", "devices.split=green"}), 0)
        << err;
    EXPECT_THAT(read("results/shared/manifest.json"), HasSubstr(point));
  }
}

TEST_F(CudaTest, AMeasurementOfTheHostIsNeverOneOfGpus) {
  save_profile(default_profile_path(), made_up_profile());
  const std::vector<std::string> words{"execute",        "shared.yaml", "-o",
                                       "results/shared", "--set",       "devices=null",
                                       "--set",          "workers=1",   "--device"};
  const auto with = [&](const std::string& device) {
    std::vector<std::string> all = words;
    all.push_back(device);
    return all;
  };
  ASSERT_EQ(run(with("cuda")), 0) << err;
  EXPECT_THAT(read("results/shared/results.csv"), HasSubstr(",cuda,sync,1,"));
  ASSERT_EQ(run(with("host")), 0) << err;
  const std::string csv = read("results/shared/results.csv");
  EXPECT_THAT(csv, HasSubstr(",host,sync,1,"));
  EXPECT_THAT(csv, Not(HasSubstr(",0.25,")));
  ASSERT_EQ(run(with("auto")), 0) << err;  // the host: fp32 on this computer without `devices`
  EXPECT_EQ(read("results/shared/results.csv"), csv);
}

TEST_F(CudaTest, AMeasurementIsOfTheGpusAndLibrariesThatMadeIt) {
  save_profile(default_profile_path(), made_up_profile());
  ASSERT_EQ(run({"execute", "shared.yaml"}), 0) << err;
  setenv("FAKE_GPUS", "throws away", 1);
  EXPECT_EQ(run({"execute", "shared.yaml"}), 0) << "kept on the disk";
  setenv("FAKE_DRIVER", "13.1", 1);
  EXPECT_EQ(run({"execute", "shared.yaml"}), 1) << "another driver: measured anew";
  EXPECT_THAT(err, HasSubstr("point 0, measured: failed: an illegal memory access on GPU 0"));
}

TEST_F(CudaTest, SimulateKeepsWhatGpusMeasured) {
  ASSERT_EQ(run({"execute", "described.yaml", "-o", "results/described", "--set", "workers=2"}), 0)
      << err;
  setenv("FAKE_GPUS", "no driver", 1);  // as on another computer
  ASSERT_EQ(run({"simulate", "described.yaml", "-o", "results/described", "--set", "workers=2"}), 0)
      << err;
  const std::string csv = read("results/described/results.csv");
  EXPECT_THAT(csv, HasSubstr("described,predicted,synthetic,dgx1-p100,Tesla P100 SXM2 16 GB,"));
  EXPECT_THAT(csv, HasSubstr("described,measured,synthetic,dgx1-p100,cuda,sync,2,"));
}

TEST_F(CudaTest, PointsThatDoNotFitAreSkippedAndTheOthersGoOn) {
  ASSERT_EQ(run({"run", "described.yaml"}), 0) << err;
  const std::string csv = read("results/described/results.csv");
  EXPECT_THAT(csv, HasSubstr("described,measured,synthetic,dgx1-p100,cuda,sync,2,"));
  EXPECT_THAT(csv, HasSubstr(",skipped (4 workers and 2 GPUs),"));
}

TEST_F(CudaTest, ExplainsWhatWasMeasuredOfAGpu) {
  save_profile(default_profile_path(), made_up_profile());
  EXPECT_EQ(run({"explain", "shared.yaml"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("measured on this computer's\nGPU (profile of "));
  std::filesystem::remove(default_profile_path());
  std::filesystem::remove_all("results");
  setenv("FAKE_GPUS", "no driver", 1);
  EXPECT_EQ(run({"explain", "shared.yaml"}), 77);
  EXPECT_THAT(err, HasSubstr("shared.yaml: no prediction: no profile of GPU 0 "));
}

}  // namespace
}  // namespace paceline
