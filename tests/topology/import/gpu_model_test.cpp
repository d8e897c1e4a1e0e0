// SPDX-License-Identifier: MIT
// The preset that stands for a GPU of a topology file.
#include "topology/import/gpu_model.hpp"

#include <map>

#include <gtest/gtest.h>

namespace paceline {
namespace {

std::string model_of(const PciDevice& gpu, int nvlinks = 0) {
  return models_of({gpu}, {nvlinks}, "").front().model.text;
}

std::string of_architecture(const std::string& architecture, int nvlinks) {
  PciDevice gpu;
  gpu.architecture = architecture;
  return model_of(gpu, nvlinks);
}

TEST(GpuModel, DriversNameIsThatOfOnePreset) {
  // as NVIDIA/open-gpu-kernel-modules, README.md, lists them
  const std::map<std::string, std::string> presets{{"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
                                                   {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
                                                   {"NVIDIA H100 PCIe", "h100-pcie"},
                                                   {"NVIDIA H100 NVL", "h100-nvl"},
                                                   {"NVIDIA GH200 480GB", "gh200"},
                                                   {"NVIDIA A10G", "a10g"},
                                                   {"NVIDIA A40", "a40"},
                                                   {"NVIDIA RTX A6000", "a6000"},
                                                   {"NVIDIA GeForce RTX 3090", "rtx3090"},
                                                   {"NVIDIA GeForce RTX 2080 Ti", "rtx2080ti"},
                                                   {"NVIDIA L4", "l4"},
                                                   {"NVIDIA L40", "l40"},
                                                   {"Tesla T4", "t4"},
                                                   {"Quadro RTX 8000", "rtx8000"},
                                                   {"NVIDIA TITAN RTX", "titan-rtx"}};
  for (const auto& [driver_name, preset] : presets) {
    PciDevice gpu;
    gpu.driver_name = driver_name;
    EXPECT_EQ(model_of(gpu), preset);
  }
}

// As people and the database of PCI ids call them.
TEST(GpuModel, NameThatIsNoDriversIsThatOfTheNearestPreset) {
  const std::map<std::string, std::string> presets{
      {"A100 PCIe 80GB", "a100-pcie-80gb"},
      {"H100 SXM5 80GB", "h100-sxm5"},
      {"GeForce RTX 4090", "rtx4090"},
      {"Tesla V100 SXM2 16GB", "v100-sxm2"},
      {"GeForce GTX 1080 Ti", "gtx1080ti"},
      {"Instinct MI250X", "mi250x"},
      {"NVIDIA RTX PRO 6000 Blackwell", "rtx-pro-6000"}};
  for (const auto& [name, preset] : presets) {
    PciDevice gpu;
    gpu.driver_name = name;
    EXPECT_EQ(model_of(gpu), preset) << name;
  }
  PciDevice other;
  other.driver_name = "NVIDIA RTX A4000";  // no A40
  EXPECT_EQ(model_of(other), "p100-pcie");
  other.driver_name = "TITAN V";  // no TITAN X
  EXPECT_EQ(model_of(other), "p100-pcie");
}

TEST(GpuModel, NoTwoPresetsShareANameOrAPciDevice) {
  std::map<std::string, std::string> seen;
  for (const std::string& preset : preset_names(embedded_gpus())) {
    const GpuSpec gpu = load_gpu(Tree::scalar(preset));
    std::vector<std::string> marks = gpu.pci_ids;
    marks.push_back(gpu.driver_name.empty() ? gpu.name : gpu.driver_name);
    for (const std::string& mark : marks) {
      EXPECT_TRUE(seen.emplace(mark, preset).second)
          << mark << ": " << seen[mark] << ", " << preset;
    }
  }
}

TEST(GpuModel, OfAnArchitectureIsTheOneWhoseNvlinksFit) {
  EXPECT_EQ(of_architecture("sm90", 18), "h100-sxm5") << "not a superchip's, which has as many";
  EXPECT_EQ(of_architecture("sm90", 0), "h100-pcie");
  EXPECT_EQ(of_architecture("sm80", 12), "a100-sxm4");
  EXPECT_EQ(of_architecture("sm80", 0), "a100-pcie-40gb");
  EXPECT_EQ(of_architecture("sm100", 18), "b200-sxm");
  EXPECT_EQ(of_architecture("sm70", 6), "v100-sxm2");
}

TEST(GpuModel, WithNvlinksTakesABridgeIfNoModelHasThem) {
  EXPECT_EQ(of_architecture("sm86", 4), "rtx3090") << "an A10G takes none";
  EXPECT_EQ(of_architecture("sm86", 0), "a10g");
  EXPECT_EQ(of_architecture("sm75", 2), "rtx2080ti");
  EXPECT_EQ(of_architecture("sm75", 0), "rtx2080ti");
}

}  // namespace
}  // namespace paceline
