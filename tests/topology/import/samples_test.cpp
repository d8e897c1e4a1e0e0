// SPDX-License-Identifier: MIT
// Every sample is imported as a machine or rejected with a reason on which the user can act.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The rejected samples and their error messages.
const std::map<std::string, std::string>& refused() {
  static const std::map<std::string, std::string> kRefused{
      {"nccl/addresses_alone.xml",
       ":4:5: error: cannot tell what PCI device '0000:00:1b.0' is: it has no class, which NCCL "
       "looks up on that very machine (run `paceline topology discover` there)"}};
  return kRefused;
}

void expect_read_or_refused(const std::string& name, const std::string& text) {
  const auto why = refused().find(name);
  if (why != refused().end()) {
    EXPECT_THAT(import_error(text), HasSubstr(why->second));
    return;
  }
  const ImportedMachine imported = import_topology(name, text, {});
  const Machine machine = written_and_read(imported);
  EXPECT_GT(machine.gpu_count(), 0);
  EXPECT_FALSE(machine.title().empty());
  constexpr int kGpus = 16;  // of a network, some of two computers
  for (int a = 0; a < std::min(machine.gpu_count(), kGpus); ++a) {
    for (int b = 0; b < std::min(machine.gpu_count(), kGpus); ++b) {
      if (a == b) continue;
      const Route route = machine.route(machine.gpu_vertex(a), machine.gpu_vertex(b));
      EXPECT_GT(machine.bottleneck(route).value(), 1e8);
      EXPECT_LT(machine.bottleneck(route).value(), 2e12);
    }
  }
  for (const LinkDirection& link : machine.links()) EXPECT_FALSE(link.source.empty());
  // data missing in the file are marked as assumed; the costs of software always are
  const std::string yaml = machine_yaml(imported, "By a test");
  EXPECT_THAT(yaml, HasSubstr("assumed"));
  EXPECT_THAT(yaml, Not(HasSubstr(": 0 B/s"))) << "keys at their defaults are left out";
  EXPECT_FALSE(imported.notes.empty());
}

class Sample : public testing::TestWithParam<std::string> {};

TEST_P(Sample, is_a_machine_or_a_reason) {
  expect_read_or_refused(GetParam(), sample(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, Sample, testing::ValuesIn(sample_names()),
                         [](const auto& row) { return as_test_name(row.param); });

TEST(Samples, of_hwloc_are_the_same_machines_with_all_that_it_writes) {
  for (const std::string name : {"hwloc/dgx2h", "hwloc/workstation"}) {
    SCOPED_TRACE(name);
    const std::string all = sample(name + "_all.xml"), devices = sample(name + ".xml");
    EXPECT_GT(all.size(), 60'000U);
    EXPECT_GT(all.size(), 2 * devices.size());
    EXPECT_EQ(machine_yaml(import_topology("f", all, {}), "By a test"),
              machine_yaml(import_topology("f", devices, {}), "By a test"));
  }
}

TEST(Import, distinguishes_formats_by_their_content) {
  EXPECT_THAT(import_error(""), HasSubstr("file: error: is not a known topology format"));
  EXPECT_THAT(import_error("hello\n"),
              HasSubstr("(known: XML of NCCL, RCCL or hwloc, `rocm-smi --showtopo`, the matrix of "
                        "`nvidia-smi topo -m`, `nvidia-smi nvlink -s`, `lspci -tv`, "
                        "`ibnetdiscover`, topology.conf of "
                        "Slurm, YAML or JSON of ASTRA-sim, InfraGraph, Slurm or topograph)"));
  EXPECT_THAT(import_error("<html/>"),
              HasSubstr("file:1:1: error: <html> is not a topology (known: <system> of NCCL"));
}

TEST(Import, takes_the_gpu_that_the_user_names) {
  const ImportedMachine imported =
      import_topology("m", sample("matrix/pcie_8xP40_single_root.topo"), {"gtx1080", 0});
  const Machine machine = written_and_read(imported);
  EXPECT_EQ(machine.gpu(0).name, "GeForce GTX 1080");
  EXPECT_THAT(testing::PrintToString(imported.notes), Not(HasSubstr("GPU model")));
  EXPECT_THAT(
      import_error(sample("matrix/pcie_8xP40_single_root.topo"), {"gtx108", 0}),
      HasSubstr("paceline: error: unknown GPU 'gtx108' (did you mean 'gtx1080' or 'gtx1080ti'?"));
  EXPECT_THAT(import_error(sample("matrix/dgx1_p100.topo"), {"gtx1080", 0}),
              HasSubstr("shows NVLinks, and GPU 'gtx1080' has none (choose another with --gpu)"));
}

TEST(Import, takes_the_gpu_of_a_file_over) {
  const std::string path = std::string(PACELINE_SOURCE_DIR) + "/topology/gpus/gtx1070.yaml";
  const Machine machine = imported_sample("matrix/7gforce.topo", {path, 0});
  EXPECT_EQ(machine.gpu(6).name, "GeForce GTX 1070");
  EXPECT_EQ(machine.gpu(6).sms, 15);
}

TEST(Import, joins_gpus_to_nvswitches_that_a_file_does_not_show) {
  const Machine machine = imported_sample("nccl/virtual_p4de.xml", {"", 12});
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU7"), "NV12");
  const Route route = machine.route(machine.gpu_vertex(0), machine.gpu_vertex(7));
  EXPECT_NEAR(machine.bottleneck(route).value(), 12 * 25e9 * 0.9576, 1e6);
  EXPECT_THAT(import_error(sample("matrix/dgx1_p100.topo"), {"", 4}),
              HasSubstr("--nvswitch: an nvidia-smi matrix shows NVLinks of its own"));
}

}  // namespace
}  // namespace paceline
