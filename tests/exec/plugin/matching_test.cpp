// SPDX-License-Identifier: MIT
#include "exec/plugin/matching.hpp"

#include <map>

#include <gtest/gtest.h>

#include "training/experiment/experiment_file.hpp"

namespace paceline {
namespace {

ExperimentPoint point_of(const std::string& lines) {
  const std::string text = "name: p\nmodel: {kind: synthetic, compute: 1 ms, gradient: 1 MB}\n";
  return load_experiment_text("p.yaml", text + lines, {}).points.front();
}

/// Two cards; the second is another model.
AcceleratorFacts two_cards() {
  AcceleratorFacts facts;
  facts.runtime = "13.0";
  facts.driver = "13.1";
  facts.cudnn = "9.19.0";
  facts.nccl = "2.28.9";
  facts.gpus = {{"Tesla P100-SXM2-16GB", Bytes{16e9}, 56, "0000:0f:00.0"},
                {"NVIDIA H200", Bytes{141e9}, 132, "0000:10:00.0"}};
  return facts;
}

TEST(SameGpu, ComparesWhatIsWrittenInDifferentWays) {
  const auto same = [](const char* name, const char* reported) {
    GpuSpec gpu;
    gpu.name = name;
    return same_gpu(gpu, reported);
  };
  EXPECT_TRUE(same("Tesla P100 SXM2 16 GB", "Tesla P100-SXM2-16GB"));
  EXPECT_TRUE(same("H200", "NVIDIA H200"));
  EXPECT_FALSE(same("H200", "NVIDIA H200 NVL"));
  EXPECT_FALSE(same("H100", "NVIDIA H200"));
  EXPECT_FALSE(same("", ""));
}

TEST(SameGpu, PresetsHaveTheirDriversNames) {
  const std::map<std::string, std::string> names{{"h200-sxm", "NVIDIA H200"},
                                                 {"h100-sxm5", "NVIDIA H100 80GB HBM3"},
                                                 {"a100-sxm4", "NVIDIA A100-SXM4-80GB"},
                                                 {"v100-sxm2", "Tesla V100-SXM2-16GB"},
                                                 {"p100-sxm2", "Tesla P100-SXM2-16GB"},
                                                 {"gtx1080", "NVIDIA GeForce GTX 1080"}};
  for (const auto& [preset, reported] : names) {
    EXPECT_TRUE(same_gpu(load_gpu(Tree::scalar(preset)), reported)) << preset;
  }
}

TEST(NotThisComputer, ThisAlwaysIs) {
  EXPECT_EQ(not_this_computer(point_of("workers: 2\n"), {}), "");
}

TEST(NotThisComputer, EveryWorkersGpuMustBeOfTheModel) {
  const AcceleratorFacts facts = two_cards();
  EXPECT_EQ(not_this_computer(point_of("machine: dgx1-p100\nworkers: 1\n"), facts), "");
  EXPECT_EQ(not_this_computer(point_of("machine: dgx1-p100\nworkers: 2\n"), facts),
            "machine 'dgx1-p100' is not this machine (its GPU 1: Tesla P100 SXM2 16 GB; here: 1 x "
            "Tesla P100-SXM2-16GB, 1 x NVIDIA H200)");
  EXPECT_EQ(not_this_computer(point_of("machine: ideal\n"), facts),
            "machine 'ideal' is not this machine");
}

TEST(NotThisComputer, VirtualGpusNeedTheOneCard) {
  const AcceleratorFacts facts = two_cards();
  const std::string shared = "machine: dgx1-p100\nworkers: 4\n";
  EXPECT_EQ(not_this_computer(point_of(shared + "devices: {virtual: 4}\n"), facts), "");
  EXPECT_NE(not_this_computer(point_of(shared + "devices: {gpu: 1, virtual: 4}\n"), facts), "");
  EXPECT_NE(not_this_computer(point_of(shared + "devices: {gpu: 5, virtual: 4}\n"), facts), "");
}

TEST(NameOf, CountsEqualCards) {
  AcceleratorFacts facts = two_cards();
  facts.gpus.push_back(facts.gpus.back());
  EXPECT_EQ(name_of(facts),
            "1 x Tesla P100-SXM2-16GB, 2 x NVIDIA H200, CUDA 13.0 on a driver of 13.1, cuDNN "
            "9.19.0, NCCL 2.28.9");
}

}  // namespace
}  // namespace paceline
