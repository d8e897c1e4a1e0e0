// SPDX-License-Identifier: MIT
// A computer made of files with two sockets: on the first, a switch with two H100 and a network
// card; on the second, an idle A100 in its own slot.
#include "topology/discover/sysfs.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "topology/discover/discover.hpp"
#include "topology/import/import.hpp"
#include "topology/import/topo_matrix.hpp"

namespace paceline {
namespace {

namespace fs = std::filesystem;

class MadeOfFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "paceline-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  /// Creates a device at `path` below sys/devices in the form of Linux.
  void device(const std::string& path, const std::string& device_class, const std::string& vendor,
              const std::string& id, const std::string& speed, int node) const {
    const fs::path folder = fs::path("sys/devices") / path;
    write(folder / "class", "0x" + device_class);
    write(folder / "vendor", "0x" + vendor);
    write(folder / "device", "0x" + id);
    write(folder / "max_link_speed", speed);
    write(folder / "max_link_width", "16");
    write(folder / "current_link_speed", "2.5 GT/s PCIe");
    write(folder / "current_link_width", "16");
    write(folder / "numa_node", std::to_string(node));
    fs::create_directories(root_ / "sys/bus/pci/devices");
    fs::create_symlink(root_ / folder, root_ / "sys/bus/pci/devices" / fs::path(path).filename());
  }
  void two_sockets() const {
    for (int node = 0; node < 2; ++node) {
      write("sys/devices/system/node/node" + std::to_string(node) + "/cpulist",
            node == 0 ? "0-3,8-11" : "4-7,12-15");
    }
    for (int cpu = 0; cpu < 16; ++cpu) {
      write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
            std::to_string(cpu % 8) + "," + std::to_string(cpu % 8 + 8));
    }
    write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 79\n");
    write("sys/class/dmi/id/product_name", "A Box 9000");
  }
  void all_devices() const {
    const std::string root_port = "pci0000:00/0000:00:01.0";
    const std::string up = root_port + "/0000:01:00.0";
    const std::string gen5 = "32.0 GT/s PCIe";
    device(root_port, "060400", "8086", "2030", gen5, 0);
    device(up, "060400", "1000", "c030", gen5, 0);
    for (const char* port : {"00", "04", "08"}) {
      device(up + "/0000:02:" + port + ".0", "060400", "1000", "c030", gen5, 0);
    }
    device(up + "/0000:02:00.0/0000:03:00.0", "030200", "10de", "2330", gen5, 0);
    device(up + "/0000:02:04.0/0000:04:00.0", "030200", "10de", "2330", gen5, 0);
    device(up + "/0000:02:08.0/0000:05:00.0", "020700", "15b3", "1021", gen5, 0);
    write("sys/devices/" + up + "/0000:02:08.0/0000:05:00.0/net/ib0/mtu", "2044");
    write("sys/devices/" + up + "/0000:02:08.0/0000:05:00.0/infiniband/mlx5_0/node_type", "1");
    device("pci0000:80/0000:80:01.0", "060400", "8086", "2030", "8.0 GT/s PCIe", 1);
    device("pci0000:80/0000:80:01.0/0000:81:00.0", "030200", "10de", "20b2", "16.0 GT/s PCIe", 1);
    device("pci0000:80/0000:80:1f.0", "060100", "8086", "a1c1", "", 1);
    // the board's display controller
    device("pci0000:80/0000:80:02.0", "030000", "1a03", "2000", "", 1);
  }

  fs::path root_;
};

TEST_F(MadeOfFiles, is_discovered_as_a_machine_that_loads) {
  two_sockets();
  all_devices();
  const ImportedMachine found = discover_machine(root_);
  EXPECT_THAT(found.spec.title, testing::HasSubstr("A Box 9000"));
  const Machine machine =
      load_machine(parse_yaml("found.yaml", machine_yaml(found, "Found by a test")));
  ASSERT_EQ(machine.gpu_count(), 3);
  EXPECT_EQ(machine.gpu(0).name, "H100 SXM5 80 GB");
  EXPECT_EQ(machine.gpu(2).name, "A100 SXM4 80 GB");
  EXPECT_EQ(machine.host().sockets, 2);
  EXPECT_EQ(machine.host().cores, 8);
  EXPECT_EQ(machine.socket_of(2), 1);
  EXPECT_EQ(matrix_of(machine).text(),
            "\tGPU0\tGPU1\tGPU2\tmlx5_0\n"
            "GPU0\t X \tPIX\tSYS\tPIX\n"
            "GPU1\tPIX\t X \tSYS\tPIX\n"
            "GPU2\tSYS\tSYS\t X \tSYS\n"
            "mlx5_0\tPIX\tPIX\tSYS\t X \n");
}

TEST_F(MadeOfFiles, has_links_as_fast_as_they_can_be_and_no_faster_than_their_slot) {
  two_sockets();
  all_devices();
  const Inventory inventory = inventory_of_sysfs(root_);
  EXPECT_EQ(inventory.socket_link, "qpi");
  for (const PciDevice& device : inventory.devices) {
    if (device.kind != PciDevice::Kind::gpu) continue;
    EXPECT_EQ(device.rate.gt_per_s, device.pci_id == "10de:20b2" ? 8 : 32) << device.address;
    EXPECT_EQ(device.rate.lanes, 16);
  }
}

TEST_F(MadeOfFiles, with_more_numa_nodes_than_sockets_gives_each_its_share) {
  for (int node = 0; node < 4; ++node) {
    const std::string first = std::to_string(2 * node);
    write("sys/devices/system/node/node" + std::to_string(node) + "/cpulist",
          first + "-" + std::to_string(2 * node + 1));
  }
  const Inventory inventory = inventory_of_sysfs(root_);
  EXPECT_EQ(inventory.sockets, 4);
  EXPECT_EQ(inventory.cores, 2);
  EXPECT_EQ(inventory.socket_share, 0.5);
  const HostSpec host = discover_machine(root_).spec.host;
  EXPECT_NEAR(host.memory_bandwidth.value(), 68.3e9 / 2, 1);
}

TEST_F(MadeOfFiles, without_gpus_is_a_machine_all_the_same) {
  two_sockets();
  const ImportedMachine found = discover_machine(root_);
  const std::string yaml = machine_yaml(found, "Found by a test");
  const Machine machine = load_machine(parse_yaml("found.yaml", yaml));
  EXPECT_EQ(machine.gpu_count(), 0);
  EXPECT_EQ(machine.host().cores, 8);
  EXPECT_THAT(yaml, testing::HasSubstr("gpus: []\n"));
  EXPECT_THAT(yaml, testing::HasSubstr("# sockets and PCIe tree: /sys\n"));
}

TEST_F(MadeOfFiles, with_nothing_in_them_is_a_machine_of_one_socket) {
  const ImportedMachine found = discover_machine(root_);
  EXPECT_EQ(load_machine(parse_yaml("f", machine_yaml(found, "t"))).host().sockets, 1);
}

TEST_F(MadeOfFiles, with_nonsense_in_them_does_no_harm) {
  write("sys/devices/system/node/node0/cpulist", "9-3,,x,1-999999999");
  write("sys/devices/system/node/nodeX/cpulist", "0");
  device("pci0000:00/0000:00:01.0", "zzz", "?", "", "fast", -7);
  device("0000:09:00.0", "030200", "10de", "", "999 GT/s", 77);  // without a host bridge
  const ImportedMachine found = discover_machine(root_);
  EXPECT_EQ(load_machine(parse_yaml("f", machine_yaml(found, "t"))).gpu_count(), 1);
}

TEST(ThisComputer, is_discovered) {
  const ImportedMachine found = discover_machine();
  const Machine machine = load_machine(parse_yaml("f", machine_yaml(found, "t")));
  EXPECT_GE(machine.host().cores, 1);
  EXPECT_THAT(found.notes, testing::Contains(testing::StartsWith("sockets and PCIe tree: ")));
}

}  // namespace
}  // namespace paceline
