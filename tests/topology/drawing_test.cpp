// SPDX-License-Identifier: MIT
#include "topology/drawing.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

Machine small() {
  return load_machine(
      parse_yaml("small.yaml",
                 "title: two cards & a <switch>\n"
                 "gpus: [{model: k80, count: 2}]\n"
                 "host: {cores: 4, memory_bandwidth: 50 GB/s}\n"
                 "vertices: [{kind: pcie-switch, names: [s]}]\n"
                 "link_types:\n"
                 "  pcie: {kind: pcie, bandwidth: 16 GB/s, efficiency: 80 %, source: test}\n"
                 "  nvlink: {kind: nvlink, bandwidth: 20 GB/s, source: test}\n"
                 "links:\n"
                 "  - {type: pcie, from: cpu0, to: [s]}\n"
                 "  - {type: pcie, from: s, to: [gpu0, gpu1]}\n"
                 "  - {type: nvlink, from: gpu0, to: [gpu1], count: 2}\n"));
}

TEST(Drawing, text) {
  EXPECT_EQ(to_text(small()),
            "two cards & a <switch>\n"
            "cpu0  4 cores, 50 GB/s\n"
            "└─ s  pcie 12.8 GB/s\n"
            "   ├─ gpu0  pcie 12.8 GB/s  Tesla K80 (one die)\n"
            "   └─ gpu1  pcie 12.8 GB/s  Tesla K80 (one die)\n"
            "nvlink x2 40 GB/s: gpu0-gpu1\n");
}

TEST(Drawing, text_of_an_ideal_machine) {
  EXPECT_EQ(to_text(ideal(4)),
            "ideal: an ideal machine: only computation takes time\n"
            "host  any number of workers\n");
}

TEST(Drawing, dot_matches_the_golden_file) {
  const std::string path = std::string(PACELINE_SOURCE_DIR) + "/tests/topology/small.dot";
  EXPECT_EQ(to_dot(small()), read_text_file(path));
}

TEST(Drawing, svg_of_every_preset_where_dot_is_installed) {
  if (!to_svg(small())) GTEST_SKIP() << "no dot";
  for (const EmbeddedFile& preset : embedded_machines()) {
    const Machine machine = load_machine(Tree::scalar(std::string(preset.name)));
    const auto svg = to_svg(machine);
    ASSERT_TRUE(svg) << preset.name;
    EXPECT_NE(svg->find("<svg"), std::string::npos);
    EXPECT_NE(svg->find("gpu0"), std::string::npos);
  }
}

TEST(Drawing, no_svg_where_dot_is_missing) {
  const char* path = std::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  setenv("PATH", "/nonexistent", 1);
  const auto svg = to_svg(small());
  setenv("PATH", before.c_str(), 1);
  EXPECT_FALSE(svg);
}

}  // namespace
}  // namespace paceline
