// SPDX-License-Identifier: MIT
/// \file
/// Machines in the XML in which NCCL and RCCL write what they found. The structure is the
/// machines', with what is odd about such files; addresses and names are made up.
#pragma once
#include <array>
#include <initializer_list>

#include "tests/topology/import/written/xml_text.hpp"

namespace paceline::test {

/// A kind of PCI device.
struct PciPart {
  const char* device_class;
  const char* vendor;
  const char* device;
  const char* speed = "16.0 GT/s PCIe";
  int width = 16;
};

inline std::string address(unsigned bus) {
  return "0000:" + hex(bus, 2) + ":00.0";
}

/// The mask of the hardware threads `first` to `first + count - 1`, and of their siblings
/// `sibling` later, in words of 32 bits, the highest first.
inline std::string cpu_mask(int threads, int first, int count, int sibling = 0) {
  std::string mask;
  for (int word = threads / 32 - 1; word >= 0; --word) {
    unsigned bits = 0;
    for (int bit = 0; bit < 32; ++bit) {
      const int thread = 32 * word + bit - first;
      const bool own = thread >= 0 && thread < count;
      const bool twin = sibling > 0 && thread >= sibling && thread < sibling + count;
      if (own || twin) bits |= 1U << static_cast<unsigned>(bit);
    }
    mask += (mask.empty() ? "" : ",") + hex(bits, 8);
  }
  return mask;
}

class NcclText final {
 public:
  explicit NcclText(int version) { xml_.open("system", {{"version", std::to_string(version)}}); }
  std::string finished() {
    xml_.close();
    return xml_.text();
  }
  void cpu(int node, const std::string& mask, const char* vendor, int model, bool hashed = true) {
    Attributes a{{"numaid", std::to_string(node)},
                 {"affinity", mask},
                 {"arch", "x86_64"},
                 {"vendor", vendor},
                 {"familyid", "6"},
                 {"modelid", std::to_string(model)}};
    if (hashed) a.insert(a.begin(), {"host_hash", "0x51a3c0de51a3c0de"});
    xml_.open("cpu", a);
  }
  /// Opens a device; `stray` is text within it.
  void pci(unsigned bus, const PciPart& part, const std::string& stray = "") {
    Attributes a{{"busid", address(bus)}, {"class", part.device_class}};
    if (part.vendor[0] != '\0') {
      a.emplace_back("vendor", part.vendor);
      a.emplace_back("device", part.device);
    }
    a.emplace_back("link_speed", part.speed);
    a.emplace_back("link_width", std::to_string(part.width));
    xml_.open("pci", a, stray);
  }
  /// Opens a GPU: its number and its architecture ({"sm", "80"}).
  void gpu(int number, const Attributes& architecture) {
    Attributes a = architecture;
    a.emplace_back("dev", std::to_string(number));
    a.emplace_back("gdr", "1");
    xml_.open("gpu", a);
  }
  void bond(const char* name, unsigned to, int count, const char* target_class) {
    xml_.leaf(
        name,
        {{"count", std::to_string(count)}, {"target", address(to)}, {"tclass", target_class}});
  }
  void open_nic() { xml_.open("nic", {}); }
  void net(const std::string& name, int number, int megabits, int port = 1) {
    xml_.leaf("net", {{"name", name},
                      {"dev", std::to_string(number)},
                      {"speed", std::to_string(megabits)},
                      {"port", std::to_string(port)},
                      {"guid", "0x" + hex(0xabc0U + static_cast<unsigned>(number), 4)}});
  }
  /// A network card with one port, whole.
  void card(unsigned bus, const PciPart& part, const std::string& name, int number, int megabits) {
    pci(bus, part);
    open_nic();
    net(name, number, megabits);
    close(2);
  }
  void close(int elements = 1) {
    for (; elements > 0; --elements) xml_.close();
  }

 private:
  XmlText xml_;
};

/// A DGX A100 as NCCL dumps it. Two sockets of four NUMA nodes, of which two are without devices
/// and two have a card for storage with two ports alone. The other four have two GPUs and two cards
/// below a switch. Six NVSwitches, two links to each. Numbers that a tool left behind stand in the
/// devices.
inline std::string dgx_a100_of_nccl() {
  constexpr PciPart kSwitch{"0x060400", "0x1000", "0xc010"};
  constexpr PciPart kGpu{"0x030200", "0x10de", "0x20b0"};
  constexpr PciPart kCard{"0x020700", "0x15b3", "0x101b"};
  struct Node {
    int number;
    int gpu;   ///< the first of two, or -1
    int card;  ///< the first
  };
  constexpr std::array<Node, 6> kNodes{
      {{7, 4, 6}, {4, -1, 10}, {1, 2, 2}, {0, -1, 4}, {5, 6, 8}, {3, 0, 0}}};
  NcclText text(1);
  int stray = 40;
  for (const Node& node : kNodes) {
    text.cpu(node.number, cpu_mask(256, 16 * node.number, 16, 128), "AuthenticAMD", 49);
    const unsigned bus = 2 + 0x1cU * static_cast<unsigned>(node.number);
    if (node.gpu < 0) {
      text.pci(bus, kCard);
      text.open_nic();
      for (int port = 0; port < 2; ++port) {
        text.net("mlx5_" + std::to_string(node.card + port), node.card + port, 200000, port + 1);
      }
      text.close(3);
      continue;
    }
    text.pci(bus, kSwitch, std::to_string(stray++));
    for (int i = 0; i < 2; ++i) {
      const unsigned below = bus + 1 + 8U * static_cast<unsigned>(i);
      text.pci(below, kSwitch, std::to_string(stray++));
      text.card(below + 1, kCard, "mlx5_" + std::to_string(node.card + i), node.card + i, 200000);
      text.pci(below + 2, kSwitch, "tray " + std::to_string(stray++));
      text.pci(below + 3, kGpu);
      text.gpu(node.gpu + i, {{"sm", "80"}});
      for (unsigned nvswitch = 0; nvswitch < 6; ++nvswitch) {
        text.bond("nvlink", 0xf1 + nvswitch, 2, "0x068000");
      }
      text.close(4);
    }
    text.close(2);
  }
  return text.finished();
}

/// Four GeForce RTX 4090 in a server of eight NUMA nodes, their numbers with gaps, and a cluster's
/// software networks at every node.
inline std::string rtx4090_server_of_nccl() {
  constexpr PciPart kGpu{"0x030000", "0x10de", "0x2684"};
  constexpr PciPart kCard{"0x020000", "0x8086", "0x1563", "8.0 GT/s PCIe", 4};
  struct Node {
    int number, gpu;
  };
  constexpr std::array<Node, 4> kNodes{{{7, 5}, {1, 0}, {4, 3}, {2, 2}}};
  NcclText text(1);
  for (const Node& node : kNodes) {
    text.cpu(node.number, cpu_mask(64, 8 * node.number, 8), "AuthenticAMD", 49);
    const unsigned bus = 1 + 0x20U * static_cast<unsigned>(node.number);
    text.pci(bus, kGpu);
    text.gpu(node.gpu, {{"sm", "89"}});
    text.close(2);
    if (node.number == 4) text.card(bus + 5, kCard, "enp134s0f1", 0, 1000);
    text.open_nic();
    int number = 1;
    text.net("tunl0", number++, 10000, 0);
    for (const unsigned bridge : {0x5eU, 0xb7U}) {
      text.net("br-" + hex(0x10001U * bridge, 12), number++, 10000, 0);
    }
    for (unsigned pod = 1; pod <= 12; ++pod) {
      text.net("cali" + hex(0x1357U * pod, 11), number++, 10000, 0);
    }
    text.close(2);
  }
  return text.finished();
}

/// Eight GPUs of AMD on two sockets of Intel, each joined to each by xGMI, with a card beside
/// each: an MI300X behind two ports of the card's switch and one bridge of its own.
inline std::string mi300x_server_of_rccl() {
  constexpr const char* kSpeed = "32.0 GT/s PCIe";
  constexpr PciPart kSwitch{"0x060400", "0x15b3", "0x1979", kSpeed};
  constexpr PciPart kBridge{"0x060400", "0x1022", "0x1500", kSpeed};
  constexpr PciPart kGpu{"0x120000", "0x1002", "0x74a1", kSpeed};
  constexpr PciPart kCard{"0x020700", "0x15b3", "0x1021", kSpeed};
  const auto bus = [](int gpu) { return 0x02U + 0x1cU * static_cast<unsigned>(gpu); };
  NcclText text(2);
  for (int gpu = 0; gpu < 8; ++gpu) {
    if (gpu % 4 == 0) {
      text.cpu(gpu / 4, cpu_mask(224, 56 * (gpu / 4), 56, 112), "GenuineIntel", 143, false);
    }
    text.pci(bus(gpu), kSwitch);
    text.card(bus(gpu) + 1, kCard, "rdma" + std::to_string(gpu), gpu, 400000);
    text.pci(bus(gpu) + 2, kSwitch);
    text.pci(bus(gpu) + 3, kBridge);
    text.pci(bus(gpu) + 4, kGpu);
    text.gpu(gpu, {{"sm", "304"}, {"gcn", "gfx942"}});
    for (int peer = 7; peer >= 0; --peer) {
      if (peer != gpu) text.bond("xgmi", bus(peer) + 4, 1, "0x120000");
    }
    text.close(5);
    if (gpu % 4 == 3) text.close();
  }
  return text.finished();
}

/// Eight MI100 with six xGMI links each: one pair of each GPU has none. The architecture lacks its
/// "gfx", devices have a class and no identity, and the one card is below no switch.
inline std::string mi100_server_of_rccl() {
  constexpr const char* kSpeed = "16 GT/s";
  constexpr PciPart kSwitch{"0x060400", "", "", kSpeed};
  constexpr PciPart kGpu{"0x038000", "", "", kSpeed};
  constexpr PciPart kCard{"0x020000", "", "", kSpeed};
  const auto bus = [](int gpu) { return 0xf0U - 0x1cU * static_cast<unsigned>(gpu); };
  NcclText text(2);
  for (int gpu = 0; gpu < 8; ++gpu) {
    if (gpu % 4 == 0) {
      text.cpu(gpu / 4, cpu_mask(256, 24 * (gpu / 4), 24, 48), "AuthenticAMD", 49, false);
    }
    if (gpu == 0) text.card(0x0c, kCard, "rdma0", 0, 200000);
    text.pci(bus(gpu) - 2, kSwitch);
    text.pci(bus(gpu), kGpu);
    text.gpu(gpu, {{"sm", "120"}, {"gcn", "908"}});
    for (int peer = 0; peer < 8; ++peer) {
      if (peer != gpu && peer != 7 - gpu) text.bond("xgmi", bus(peer), 1, "0x038000");
    }
    text.close(3);
    if (gpu % 4 == 3) text.close();
  }
  return text.finished();
}

}  // namespace paceline::test
