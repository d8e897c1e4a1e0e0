// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/sample_files.hpp"

namespace paceline {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> notes_of(const std::string& name) {
  return import_topology(name, sample(name), {}).notes;
}

LinkDirection link_above(const Machine& machine, const std::string& name) {
  const int vertex = machine.find_vertex(name).value();
  for (const LinkDirection& link : machine.links()) {
    if (link.to == vertex && link.kind == LinkKind::pcie) return link;
  }
  throw std::out_of_range(name);
}

std::size_t nics(const Machine& machine) {
  return static_cast<std::size_t>(
      std::count_if(machine.vertices().begin(), machine.vertices().end(),
                    [](const Vertex& v) { return v.kind == VertexKind::nic; }));
}

TEST(Nccl, dump_of_a_dgx_a100_is_read_whole) {
  // this file has stray text between its elements
  const std::string name = "nccl/dgx_a100.xml";
  const Machine machine = imported_sample(name);
  EXPECT_EQ(machine.gpu_count(), 8);
  EXPECT_EQ(machine.gpu(0).name, "A100 SXM4 40 GB");
  EXPECT_EQ(machine.host().sockets, 6);
  EXPECT_EQ(nics(machine), 10U);
  const TopoMatrix matrix = matrix_of(machine);
  EXPECT_EQ(cell(matrix, "GPU0", "GPU7"), "NV12");  // six NVSwitches with two links each
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_0"), "PXB");
  EXPECT_EQ(cell(matrix, "GPU0", "mlx5_2"), "SYS");
  EXPECT_EQ(cell(matrix, "GPU7", "mlx5_9"), "PXB");
  EXPECT_TRUE(machine.find_vertex("mlx5_10").has_value());  // two ports are one card
  EXPECT_FALSE(machine.find_vertex("mlx5_11").has_value());
  EXPECT_THAT(notes_of(name), Contains("cpu0, cpu1, ... are the NUMA nodes 0, 1, 3, 4, 5, 7 of the "
                                       "file"));
  EXPECT_NEAR(link_above(machine, "gpu0").capacity.value(), 31.508e9 * 0.81, 1e7);
}

TEST(Nccl, numa_nodes_have_their_share_of_a_socket) {
  const auto host = [](const char* name) { return imported_sample(name).host(); };
  // 6 of the 8 NUMA nodes of two sockets with 204.8 GB/s each
  const auto dgx = host("nccl/dgx_a100.xml");
  EXPECT_EQ(dgx.cores, 6 * 16);
  EXPECT_NEAR(dgx.memory_bandwidth.value(), 6 * 51.2e9, 1);
  const auto geforce = host("nccl/rtx4090_server.xml");
  EXPECT_EQ(geforce.cores, 4 * 8);
  EXPECT_NEAR(geforce.memory_bandwidth.value(), 4 * 51.2e9, 1);
  const auto cloud = host("nccl/virtual_8xA100.xml");
  EXPECT_EQ(cloud.cores, 4 * 24);
  EXPECT_NEAR(cloud.memory_bandwidth.value(), 2 * 204.8e9, 1);
  EXPECT_NEAR(host("nccl/virtual_p4d.xml").memory_bandwidth.value(), 2 * 204.8e9, 1);
}

TEST(Nccl, cores_are_those_of_most_nodes) {
  // one of the four masks lacks a digit
  const Machine machine = imported_sample("nccl/flattened_8xA100.xml");
  EXPECT_EQ(machine.host().cores, 4 * 16);
}

TEST(Nccl, virtual_topology_of_cpu_and_pci_alone_is_enough) {
  const Machine machine = imported_sample("nccl/virtual_8xV100.xml");
  EXPECT_EQ(machine.gpu_count(), 8);
  EXPECT_EQ(machine.host().sockets, 2);
  EXPECT_EQ(machine.host().cores, 40);
  EXPECT_EQ(nics(machine), 1U);
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU3"), "PHB");
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU4"), "SYS");
}

TEST(Nccl, gpus_without_a_number_are_in_the_order_of_their_addresses) {
  // 0001 and 0002 are below the third <cpu>, 0007 and 0008 below the first
  const Machine machine = imported_sample("nccl/virtual_8xA100.xml");
  EXPECT_EQ(machine.host().sockets, 4);
  EXPECT_EQ(machine.socket_of(0), 2);
  EXPECT_EQ(machine.socket_of(2), 1);
  EXPECT_EQ(machine.socket_of(4), 3);
  EXPECT_EQ(machine.socket_of(6), 0);
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU1"), "PIX");
}

TEST(Nccl, numbers_of_gpus_may_have_gaps_and_software_networks_go) {
  const std::string name = "nccl/rtx4090_server.xml";
  const Machine machine = imported_sample(name);
  EXPECT_EQ(machine.gpu_count(), 4);
  EXPECT_EQ(machine.gpu(0).name, "GeForce RTX 4090");
  EXPECT_EQ(nics(machine), 1U);
  EXPECT_TRUE(machine.find_vertex("enp134s0f1").has_value());
  EXPECT_THAT(notes_of(name), Contains("60 virtual network devices were left out"));
  EXPECT_NEAR(link_above(machine, "enp134s0f1").capacity.value(), 3.9385e9 * 0.81, 1e6);
}

TEST(Nccl, xgmi_links_of_amd_join_gpus_directly) {
  const Machine machine = imported_sample("nccl/mi300x_server.xml");
  EXPECT_EQ(machine.gpu(0).name, "Instinct MI300X");
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU7"), "NV1");
  const Route route = machine.route(machine.gpu_vertex(0), machine.gpu_vertex(7));
  EXPECT_NEAR(machine.bottleneck(route).value(), 64e9 * 0.75, 1e6);
  EXPECT_EQ(nics(machine), 8U);
  // the other file lacks the links of some pairs
  const Machine older = imported_sample("nccl/mi100_server.xml");
  EXPECT_EQ(older.gpu(0).name, "Instinct MI100");
  EXPECT_EQ(cell(matrix_of(older), "GPU0", "GPU1"), "NV1");
  EXPECT_EQ(cell(matrix_of(older), "GPU0", "GPU7"), "SYS");
  EXPECT_EQ(cell(matrix_of(older), "GPU0", "GPU4"), "NV1");
}

TEST(Nccl, die_of_an_mi250x_is_a_model_of_its_own) {
  const std::string gpu =
      "<system version=\"2\"><cpu numaid=\"0\"><pci busid=\"0000:d1:00.0\" class=\"0x038000\" "
      "vendor=\"0x1002\" device=\"0x7408\"><gpu dev=\"0\" gcn=\"gfx90a\"/></pci></cpu></system>";
  const Machine machine = written_and_read(import_topology("f", gpu, {}));
  EXPECT_EQ(machine.gpu(0).name, "Instinct MI250X (one die)");
  EXPECT_EQ(machine.gpu(0).memory.value(), 64e9);
}

TEST(Nccl, c2c_joins_a_gpu_to_its_socket) {
  // a Grace with two GPUs: ten links of 44712 MB/s to each, and a lane of PCIe
  std::string text = "<system version=\"2\"><cpu numaid=\"0\" arch=\"arm64\">\n";
  for (const char* bus : {"8", "9"}) {
    text += std::string("<pci busid=\"000") + bus +
            ":01:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2941\" "
            "link_speed=\"32.0 GT/s PCIe\" link_width=\"1\"><gpu dev=\"" +
            (bus[0] == '8' ? "0" : "1") +
            "\" sm=\"100\"><c2c bw=\"44712\" count=\"10\"/></gpu></pci>\n";
  }
  const Machine machine = written_and_read(import_topology("f", text + "</cpu></system>", {}));
  const Route route = machine.route(machine.find_vertex("cpu0").value(), machine.gpu_vertex(1));
  ASSERT_EQ(route.links().size(), 1U);
  const LinkDirection& link = machine.links()[static_cast<std::size_t>(route.links()[0])];
  EXPECT_EQ(link.kind, LinkKind::nvlink);
  EXPECT_NEAR(link.capacity.value(), 447.12e9 * 0.9576, 1e6);
  EXPECT_THROW(link_above(machine, "gpu1"), std::out_of_range);
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU1"), "PHB");
  const std::string bad =
      "<system><cpu numaid=\"0\"><pci class=\"0x030200\"><gpu><c2c bw=\"0\"/>"
      "</gpu></pci></cpu></system>";
  EXPECT_THAT(import_error(bad), HasSubstr("<c2c> needs bw, MB/s of a link (1 to 1000000)"));
}

TEST(Nccl, port_that_is_slower_than_all_below_is_not_believed) {
  const auto machine_with = [](const char* port, const char* gpu) {
    const std::string text =
        std::string("<system><cpu numaid=\"0\"><pci busid=\"0000:0c:00.0\" class=\"0x060400\" ") +
        "link_speed=\"" + port + "\" link_width=\"16\"><pci busid=\"0000:0f:00.0\" " +
        "class=\"0x030200\" vendor=\"0x10de\" device=\"0x2330\" link_speed=\"" + gpu +
        "\" link_width=\"16\"/></pci></cpu></system>";
    return machine_yaml(import_topology("f", text, {}), "By a test");
  };
  const std::string made_up = machine_with("5.0 GT/s PCIe", "32.0 GT/s PCIe");
  EXPECT_THAT(made_up, Not(HasSubstr("pcie2")));
  EXPECT_THAT(made_up, HasSubstr("speed of 1 PCIe port: 5 GT/s in the source, not believed"));
  EXPECT_THAT(machine_with("5.0 GT/s PCIe", "8.0 GT/s PCIe"), HasSubstr("pcie2-x16"));
  EXPECT_THAT(machine_with("8.0 GT/s PCIe", "32.0 GT/s PCIe"), HasSubstr("pcie3-x16"));
}

TEST(Nccl, link_of_a_gpu_to_itself_is_left_out_and_a_network_without_a_slot_kept) {
  const std::string name = "nccl/virtual_4xA100_nvlinks_to_themselves.xml";
  const Machine machine = imported_sample(name);
  EXPECT_EQ(machine.gpu_count(), 4);
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU1"), "SYS");
  EXPECT_TRUE(machine.find_vertex("eth0").has_value());
  EXPECT_EQ(machine.gpu(0).name, "A100 PCIe 80 GB");  // by its PCI device: there are no NVSwitches
  EXPECT_THAT(notes_of(name),
              Contains("NVLinks: 4 of the source's entries lead to no other GPU: left out"));
  EXPECT_THAT(testing::PrintToString(notes_of(name)), Not(HasSubstr("none in the source")));
  EXPECT_THAT(notes_of(name), Contains(HasSubstr("speed of 5 PCIe links: not in the source")));
}

TEST(Nccl, speed_that_virtual_machines_make_up_is_ignored) {
  const std::string file =
      "<system version='1'><cpu numaid='0'>"
      "<pci busid='0000:01:00.0' class='0x030200' vendor='0x10de' device='0x20b2' "
      "link_speed='2.5 GT/s' link_width='16'><gpu dev='0' sm='80'/></pci>"
      "<pci busid='0000:02:00.0' class='0x030200' vendor='0x10de' device='0x20b2' "
      "link_speed='8 GT/s' link_width='8'><gpu dev='1' sm='80'/></pci></cpu></system>";
  const Machine machine = written_and_read(import_topology("f", file, {}));
  EXPECT_NEAR(link_above(machine, "gpu0").capacity.value(), 31.508e9 * 0.81, 1e6);
  EXPECT_THAT(link_above(machine, "gpu0").source, HasSubstr("assumed"));
  EXPECT_NEAR(link_above(machine, "gpu1").capacity.value(), 7.877e9 * 0.81, 1e6);
  EXPECT_THAT(link_above(machine, "gpu1").source, testing::StartsWith("x8, as an NCCL topology"));
}

TEST(Nccl, nvlinks_of_a_power_processor_lead_to_its_socket) {
  const std::string file =
      "<system version='1'><cpu numaid='0' arch='ppc64'>"
      "<pci busid='0004:04:00.0' class='0x030200' link_speed='8 GT/s' link_width='16'>"
      "<gpu dev='0' sm='70'><nvlink target='0004:00:00.0' count='3' tclass='0x068001'/></gpu>"
      "</pci></cpu></system>";
  const Machine machine = written_and_read(import_topology("f", file, {}));
  const Route route = machine.route(machine.gpu_vertex(0), machine.host_vertex(0));
  const double gpu_to_host = machine.bottleneck(route).value();
  EXPECT_FALSE(machine.find_vertex("nvswitch0").has_value());
  EXPECT_GT(gpu_to_host, 0);
  const bool joined =
      std::any_of(machine.links().begin(), machine.links().end(), [&](const auto& l) {
        return l.kind == LinkKind::nvlink && l.count == 3 && l.from == machine.host_vertex(0);
      });
  EXPECT_TRUE(joined);
}

TEST(Nccl, text_of_the_file_ends_no_comment_of_the_machine) {
  const std::string file =
      "<system version='2'><cpu numaid='0'><nic><net name='eth0&#10;vertices: 5'/></nic>"
      "<pci busid='0000:01:00.0' class='0x120000'><gpu dev='0' gcn='942&#10;links: 7'/></pci>"
      "</cpu></system>";
  const ImportedMachine imported = import_topology("f", file, {});
  for (const std::string& note : imported.notes) EXPECT_THAT(note, Not(HasSubstr("\n")));
  EXPECT_EQ(written_and_read(imported).gpu_count(), 1);
}

TEST(Nccl, device_that_is_no_gpu_may_have_the_address_of_another) {
  // a bridge with the address of the card, and one with that of the GPU below it
  const std::string file =
      "<system version='1'><cpu numaid='0'><pci busid='0000:02:00.0' class='0x060400'>"
      "<pci busid='0000:02:00.0' class='0x030200' device='0x20b0' vendor='0x10de'>"
      "<gpu dev='0' sm='80'><nvlink target='0000:03:00.0' count='4' tclass='0x030200'/></gpu></pci>"
      "</pci><pci busid='0000:03:00.0' class='0x020000'/>"
      "<pci busid='0000:03:00.0' class='0x030200' device='0x20b0' vendor='0x10de'>"
      "<gpu dev='1' sm='80'><nvlink target='0000:02:00.0' count='4' tclass='0x030200'/></gpu></pci>"
      "</cpu></system>";
  const ImportedMachine imported = import_topology("f", file, {});
  const Machine machine = written_and_read(imported);
  EXPECT_EQ(machine.gpu_count(), 2);
  EXPECT_EQ(nics(machine), 1U);
  EXPECT_EQ(cell(matrix_of(machine), "GPU0", "GPU1"), "NV4");
  EXPECT_THAT(imported.notes, Contains("PCI device '0000:03:00.0' appears twice: taken as two "
                                       "devices, as they are no two GPUs"));
}

TEST(Nccl, gpus_that_the_file_does_not_tell_apart_are_one_model) {
  // the slot of one shows gen3, that of the other gen4
  const std::string file =
      "<system version='1'><cpu numaid='0'>"
      "<pci busid='1' class='0x030200' link_speed='8 GT/s' link_width='16'/>"
      "<pci busid='2' class='0x030200' link_speed='16 GT/s' link_width='16'/></cpu></system>";
  const ImportedMachine imported = import_topology("f", file, {});
  ASSERT_EQ(imported.spec.gpus.size(), 1U);
  EXPECT_EQ(imported.spec.gpus[0].model.text, "a100-sxm4");
  EXPECT_EQ(imported.spec.gpus[0].count, 2);
}

struct BadFile {
  const char* name;
  const char* text;
  const char* error;
};

class RefusedXml : public testing::TestWithParam<BadFile> {};

TEST_P(RefusedXml, with_its_place_and_reason) {
  EXPECT_THAT(import_error(GetParam().text), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Nccl, RefusedXml,
    testing::Values(
        BadFile{"broken", "<system>\n <cpu>\n</system>",
                "file:3:3: error: is not XML (mismatched tag)"},
        BadFile{"empty", "<system/>", "file:1:1: error: <system> has no <cpu>: nothing to import"},
        BadFile{"no_gpu", "<system><cpu><pci class='0x020000'/></cpu></system>",
                "file:1:1: error: no GPU in the file"},
        BadFile{"two_hosts", "<system><cpu host_hash='1'/><cpu host_hash='2'/></system>",
                "the file describes 2 computers (host_hash)"},
        BadFile{"same_address",
                "<system><cpu>\n<pci busid='1' class='0x030200'/>\n<pci busid='1' "
                "class='0x030200'/></cpu></system>",
                "file:3:1: error: PCI device '1' appears twice"},
        BadFile{"same_number",
                "<system><cpu><pci busid='1' class='0x030200'><gpu dev='0'/></pci>\n<pci busid='2' "
                "class='0x030200'>\n<gpu dev='0'/></pci></cpu></system>",
                "file:3:1: error: GPU number 0 appears twice"},
        BadFile{
            "same_node",
            "<system>\n<cpu numaid='0'><pci class='0x030200'/></cpu>\n<cpu numaid='0'/></system>",
            "file:3:1: error: NUMA node '0' appears twice"},
        BadFile{"count",
                "<system><cpu><pci class='0x030200'>\n<gpu dev='0'><nvlink target='x' "
                "count='-3'/></gpu></pci></cpu></system>",
                "file:2:14: error: count '-3' is not a number of links (1 to 64)"},
        BadFile{"entities", "<!DOCTYPE a [<!ENTITY b 'c'>]>\n<system>&b;</system>",
                "error: entities of the document's own are not read"}),
    [](const auto& row) { return row.param.name; });

TEST(Xml, nesting_has_a_bound) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<pci>";
  EXPECT_THAT(import_error(deep), HasSubstr("file:1:321: error: elements are nested too deeply"));
}

TEST(Xml, number_of_elements_has_a_bound) {
  std::string wide = "<system>";
  for (int i = 0; i < 300'000; ++i) wide += "<a/>";
  EXPECT_THAT(import_error(wide + "</system>"), HasSubstr("too many elements and attributes"));
}

TEST(Import, too_many_gpus_are_refused) {
  std::string file = "<system><cpu>";
  for (int i = 0; i < 3000; ++i)
    file += "<pci busid='" + std::to_string(i) + "' class='0x030200'/>";
  EXPECT_THAT(import_error(file + "</cpu></system>"),
              HasSubstr("an NCCL topology file has 3000 devices (at most 2048)"));
}

}  // namespace
}  // namespace paceline
