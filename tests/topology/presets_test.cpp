// SPDX-License-Identifier: MIT
// Every embedded GPU and machine loads and names its sources. A new file is tested automatically.
#include <gtest/gtest.h>

#include "experiments/language/changed_document.hpp"
#include "experiments/language/yaml.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

std::string test_name(const testing::TestParamInfo<EmbeddedFile>& info) {
  std::string name(info.param.name);
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

/// The keys of `tree` with a quantity but without an entry in its `sources`.
std::vector<std::string> without_source(const Tree& tree,
                                        const std::vector<std::string>& structure) {
  std::vector<std::string> missing;
  const Tree* sources = tree.find("sources");
  for (const Member& member : tree.members) {
    if (std::count(structure.begin(), structure.end(), member.key) > 0) continue;
    if (sources == nullptr || sources->find(member.key) == nullptr) missing.push_back(member.key);
  }
  return missing;
}

/// The keys of a preset, and those of the machine that it changes.
Tree with_what_it_changes(const EmbeddedFile& preset) {
  return load_changed(Tree::scalar(std::string(preset.name)), "machine", embedded_machines());
}

class MachinePreset : public testing::TestWithParam<EmbeddedFile> {};

TEST_P(MachinePreset, loads_and_joins_every_pair_of_gpus) {
  const Machine machine = load_machine(Tree::scalar(std::string(GetParam().name)));
  EXPECT_EQ(machine.name(), GetParam().name);
  EXPECT_EQ(machine.title(), first_comment(GetParam().text));
  EXPECT_FALSE(machine.title().empty());
  EXPECT_GT(machine.gpu_count(), 0);
  EXPECT_EQ(machine.worker_limit(), machine.gpu_count());
  for (int a = 0; a < machine.gpu_count(); ++a) {
    EXPECT_GT(machine.gpu(a).peak(Precision::fp32).value(), 0);
    for (int b = 0; b < machine.gpu_count(); ++b) {
      if (a == b) continue;
      const Route there = machine.route(machine.gpu_vertex(a), machine.gpu_vertex(b));
      EXPECT_EQ(there.legs.size(), there.staged ? 2U : 1U);
      EXPECT_GT(there.latency().value(), 0);
      EXPECT_GT(machine.bottleneck(there).value(), 1e8);
      EXPECT_LT(machine.bottleneck(there).value(), 1e12);
    }
  }
}

TEST_P(MachinePreset, every_figure_names_its_source) {
  const Tree tree = with_what_it_changes(GetParam());
  EXPECT_TRUE(without_source(*tree.find("host"), {"sockets", "sources"}).empty());
  if (const Tree* copies = tree.find("copies")) {
    EXPECT_TRUE(without_source(*copies, {"sources"}).empty());
  }
}

TEST_P(MachinePreset, reads_back_as_it_was_written) {
  Diagnostics diagnostics;
  const Tree tree = with_what_it_changes(GetParam());
  const auto spec = read<MachineSpec>(tree, diagnostics);
  const Tree written = write_keys(spec);
  const auto again = read<MachineSpec>(parse_yaml("again", to_flow(written)), diagnostics);
  diagnostics.throw_if_any();
  EXPECT_EQ(to_flow(write_keys(again)), to_flow(written));
}

INSTANTIATE_TEST_SUITE_P(All, MachinePreset,
                         testing::ValuesIn(embedded_machines().begin(), embedded_machines().end()),
                         test_name);

class GpuPreset : public testing::TestWithParam<EmbeddedFile> {};

TEST_P(GpuPreset, loads_and_names_its_sources) {
  const GpuSpec gpu = load_gpu(Tree::scalar(std::string(GetParam().name)));
  EXPECT_FALSE(first_comment(GetParam().text).empty());
  EXPECT_TRUE(gpu.efficiency.memory && gpu.efficiency.memory->share.fraction <= 1);
  for (const auto& [name, precision] : enum_rows<Precision>()) {
    if (gpu.peak(precision) <= FlopsPerSecond{}) continue;
    EXPECT_NE(gpu.efficiency_of(precision), nullptr) << name;
  }
  const Tree tree = parse_yaml("preset", std::string(GetParam().text));
  EXPECT_TRUE(without_source(tree, {"name", "driver_name", "efficiency", "sources"}).empty());
}

INSTANTIATE_TEST_SUITE_P(All, GpuPreset,
                         testing::ValuesIn(embedded_gpus().begin(), embedded_gpus().end()),
                         test_name);

}  // namespace
}  // namespace paceline
