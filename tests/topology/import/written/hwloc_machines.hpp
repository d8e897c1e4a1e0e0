// SPDX-License-Identifier: MIT
/// \file
/// Machines in the XML that hwloc writes, with all that it writes of them or with what an importer
/// needs alone.
#pragma once
#include <array>

#include "tests/topology/import/written/xml_text.hpp"

namespace paceline::test {

/// Whether a text has caches, hardware threads, memory pages, CPU sets, disks and descriptions.
enum class HwlocDetail { devices, all };

class HwlocText final {
 public:
  HwlocText(HwlocDetail detail, const std::string& product)
      : all_(detail == HwlocDetail::all), xml_() {
    xml_.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    if (all_) xml_.line("<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">");
    xml_.open("topology", {{"version", "2.0"}});
    open("Machine", {{"os_index", "0"}});
    info("DMIProductName", product);
    if (all_) {
      for (const char* name :
           {"Backend", "OSName", "Architecture", "hwlocVersion", "ProcessName"}) {
        info(name, "as a test says");
      }
    }
  }
  bool all() const { return all_; }
  void info(const std::string& name, const std::string& value) {
    xml_.leaf("info", {{"name", name}, {"value", value}});
  }
  /// Opens an object and returns its global index.
  int open(const std::string& type, Attributes attributes) {
    attributes.insert(attributes.begin(), {"type", type});
    attributes.emplace_back("gp_index", std::to_string(++last_));
    xml_.open("object", attributes);
    return last_;
  }
  void close(int elements = 1) {
    for (; elements > 0; --elements) xml_.close();
  }
  void open_package(int number, int cores, int model) {
    open("Package", with_sets({{"os_index", std::to_string(number)}}));
    info("CPUVendor", "GenuineIntel");
    info("CPUModelNumber", std::to_string(model));
    open("NUMANode", with_sets({{"os_index", std::to_string(number)}}));
    if (all_) xml_.leaf("page_type", {{"size", "4096"}, {"count", "25165824"}});
    close();
    if (all_) open_cache("L3Cache", 3, 32 << 20);
    for (int core = 0; core < cores; ++core) write_core(number * cores + core, core);
    if (all_) close();
  }
  /// Opens a bridge: of the host without an address, else from PCI to PCI.
  void open_bridge(const std::string& address, const std::string& type, const char* speed) {
    if (address.empty()) {
      open("Bridge", {{"bridge_type", "0-1"}, {"depth", "0"}});
    } else {
      open("Bridge", {{"bridge_type", "1-1"},
                      {"pci_busid", address},
                      {"pci_type", "0604 [" + type + "] [0000:0000] 00"},
                      {"pci_link_speed", speed}});
    }
  }
  int open_device(const std::string& address, const std::string& type, const char* speed) {
    return open("PCIDev", {{"pci_busid", address},
                           {"pci_type", type + " [0000:0000] a1"},
                           {"pci_link_speed", speed}});
  }
  /// The name that the operating system has for a device; returns its global index.
  int os_device(const std::string& name, int kind, const std::string& model = "") {
    const int index = open("OSDev", {{"name", name}, {"osdev_type", std::to_string(kind)}});
    if (!model.empty()) info("GPUModel", model);
    close();
    return index;
  }
  void open_distances(const std::string& name, const std::string& kind, std::size_t objects) {
    close();  // the machine
    xml_.open(kind, {{"nbobjs", std::to_string(objects)}, {"name", name}});
  }
  /// Words over several elements, of eight each.
  void words(const std::string& element, const std::vector<std::string>& words) {
    std::string line;
    for (std::size_t i = 0; i < words.size(); ++i) {
      line += words[i] + " ";
      if (i % 8 != 7 && i + 1 != words.size()) continue;
      xml_.leaf(element, {{"length", std::to_string(line.size())}}, line);
      line.clear();
    }
  }
  std::string finished() {
    close(2);
    return xml_.text();
  }

 private:
  Attributes with_sets(Attributes attributes) const {
    if (all_) {
      for (const char* set : {"cpuset", "complete_cpuset", "nodeset", "complete_nodeset"}) {
        attributes.emplace_back(set, "0x0000ffff,0xffff0000");
      }
    }
    return attributes;
  }
  void open_cache(const std::string& type, int depth, int bytes) {
    open(type, with_sets({{"cache_size", std::to_string(bytes)},
                          {"depth", std::to_string(depth)},
                          {"cache_linesize", "64"}}));
    info("Inclusive", "0");
  }
  void write_core(int first_thread, int core) {
    if (all_) {
      open_cache("L2Cache", 2, 1 << 20);
      open_cache("L1Cache", 1, 32 << 10);
      open_cache("L1iCache", 1, 32 << 10);
    }
    open("Core", with_sets({{"os_index", std::to_string(core)}}));
    if (all_) {
      for (const int thread : {first_thread, first_thread + 512}) {
        open("PU", with_sets({{"os_index", std::to_string(thread)}}));
        close();
      }
    }
    close(all_ ? 4 : 1);
  }

  bool all_;
  XmlText xml_;
  int last_ = 0;  // global index
};

constexpr const char* kGen3x16 = "15.753846";

/// The GPUs and cards of a socket of a DGX-2, and its NVSwitches.
struct NvlinkEnds {
  std::vector<int> gpus, nvswitches;  ///< global indices
};

/// Two GPUs and a card below a switch: an upstream port, and a downstream port above each device.
inline void write_dgx2_trio(HwlocText& text, unsigned bus, int trio, NvlinkEnds& ends) {
  const auto at = [](unsigned b, unsigned device) {
    return "0000:" + hex(b, 2) + ":" + hex(device, 2) + ".0";
  };
  constexpr const char* kSwitch = "10b5:9781";
  text.open_bridge(at(bus, 0), kSwitch, kGen3x16);
  for (unsigned i = 0; i < 3; ++i) {
    text.open_bridge(at(bus + 1, 4 * i), kSwitch, kGen3x16);
    if (i == 0) {
      text.open_device(at(bus + 2, 0), "0207 [15b3:1017]", kGen3x16);
      text.os_device("ib" + std::to_string(trio), 2);
      text.os_device("mlx5_" + std::to_string(trio), 3);
    } else {
      text.open_device(at(bus + 2 + i, 0), "0302 [10de:1db8]", kGen3x16);
      const int gpu = static_cast<int>(ends.gpus.size());
      ends.gpus.push_back(
          text.os_device("nvml" + std::to_string(gpu), 1, "Tesla V100-SXM3-32GB-H"));
    }
    text.close(2);
  }
  text.close();
}

/// Six NVSwitches below a switch of their own, in the second level below a root port.
inline void write_dgx2_nvswitches(HwlocText& text, unsigned bus, NvlinkEnds& ends) {
  const auto at = [](unsigned b, unsigned device) {
    return "0000:" + hex(b, 2) + ":" + hex(device, 2) + ".0";
  };
  constexpr const char* kSwitch = "10b5:8725";
  text.open_bridge(at(bus, 0), kSwitch, "3.938462");
  for (unsigned i = 0; i < 6; ++i) {
    text.open_bridge(at(bus + 1, i), kSwitch, "1.000000");
    ends.nvswitches.push_back(text.open_device(at(bus + 2 + i, 0), "0680 [10de:1ac2]", "1.000000"));
    text.close(2);
  }
  text.close();
}

/// Writes all that is below the root ports of one of the two sockets of a DGX-2.
inline void write_dgx2_socket(HwlocText& text, int socket, NvlinkEnds& ends) {
  const unsigned base = socket == 0 ? 0x02 : 0x82;
  const auto at = [&](unsigned bus, unsigned device) {
    return "0000:" + hex(base + bus, 2) + ":" + hex(device, 2) + ".0";
  };
  if (socket == 0) {  // the board's own display and network card
    text.open_bridge("", "", "");
    text.open_bridge(at(0, 0x1c), "8086:a195", "0.250000");
    text.open_device(at(1, 0), "0300 [1a03:2000]", "0.000000");
    text.close(2);
    text.open_bridge(at(0, 0x1d), "8086:a19c", "0.250000");
    text.open_device(at(2, 0), "0200 [8086:1533]", "0.250000");
    text.os_device("eno1", 2);
    text.close(3);
  }
  if (text.all()) {  // disks
    text.open_bridge("", "", "");
    for (unsigned disk = 0; disk < 4; ++disk) {
      text.open_bridge(at(4, disk), "8086:2030", "3.938462");
      text.open_device(at(5 + disk, 0), "0108 [144d:a824]", "3.938462");
      text.os_device("nvme" + std::to_string(disk), 0);
      text.close(2);
    }
    text.close();
  }
  text.open_bridge("", "", "");  // a card of its own, for storage
  text.open_bridge(at(0x0a, 0), "8086:2030", kGen3x16);
  text.open_device(at(0x0b, 0), "0207 [15b3:1017]", kGen3x16);
  text.os_device("mlx5_" + std::to_string(5 * socket), 3);
  text.close(3);
  for (int half = 0; half < 2; ++half) {
    const unsigned bus = half == 0 ? 0x10 : 0x30;
    text.open_bridge("", "", "");
    text.open_bridge(at(bus, 0), "8086:2030", kGen3x16);
    text.open_bridge(at(bus + 1, 0), "10b5:9781", kGen3x16);
    for (int i = 0; i < 2; ++i) {
      text.open_bridge(at(bus + 2, 4U + 8U * static_cast<unsigned>(i)), "10b5:9781", kGen3x16);
      const int trio = 5 * socket + 2 * half + i + 1;
      write_dgx2_trio(text, base + bus + 3 + 8U * static_cast<unsigned>(i), trio, ends);
      text.close();
    }
    if (half == 1) {
      text.open_bridge(at(bus + 2, 0x14), "10b5:9781", "3.938462");
      write_dgx2_nvswitches(text, base + bus + 0x18, ends);
      text.close();
    }
    text.close(3);
  }
}

/// A DGX-2H: 16 GPUs and 12 NVSwitches, with NVLinkBandwidth between all of them. A GPU has a link
/// to each NVSwitch of its socket, and these are joined to those of the other.
inline std::string dgx2h_of_hwloc(HwlocDetail detail) {
  HwlocText text(detail, "DGX-2H");
  NvlinkEnds ends;
  for (int socket = 0; socket < 2; ++socket) {
    text.open_package(socket, 24, 85);
    write_dgx2_socket(text, socket, ends);
    text.close();
  }
  std::vector<std::string> indices, values;
  for (const int gpu : ends.gpus) indices.push_back("OSDev:" + std::to_string(gpu));
  for (const int nvswitch : ends.nvswitches)
    indices.push_back("PCIDev:" + std::to_string(nvswitch));
  const std::size_t gpus = ends.gpus.size(), all = indices.size();
  const auto socket_of = [&](std::size_t i) { return i < gpus ? i / 8 : (i - gpus) / 6; };
  for (std::size_t i = 0; i < all; ++i) {
    for (std::size_t j = 0; j < all; ++j) {
      const bool mixed = (i < gpus) != (j < gpus) && socket_of(i) == socket_of(j);
      const bool trunk = i >= gpus && j >= gpus && (i + 6 == j || j + 6 == i);
      values.emplace_back(mixed ? "25000" : trunk ? "200000" : "0");
    }
  }
  text.open_distances("NVLinkBandwidth", "distances2hetero", all);
  text.words("indexes", indices);
  text.words("u64values", values);
  return text.finished();
}

/// A server of two sockets: its board's display, on the second socket a GPU that has no preset and
/// an idle link, which shows the lowest rate, and a card of two functions beside it.
inline std::string workstation_of_hwloc(HwlocDetail detail) {
  HwlocText text(detail, "A server of two sockets");
  constexpr const char* kRootPort = "8086:352a";
  text.open_package(0, 32, 143);
  text.open_bridge("", "", "");
  text.open_bridge("0000:00:0e.0", "8086:1bbf", "0.615385");
  text.open_bridge("0000:03:00.0", "1a03:1150", "0.615385");
  text.open_device("0000:04:00.0", "0300 [1a03:2000]", "0.000000");
  text.close(4);
  text.open_bridge("", "", "");
  text.open_bridge("0000:30:01.0", kRootPort, "2.461539");
  for (int port = 0; port < 2; ++port) {
    text.open_device("0000:31:00." + std::to_string(port), "0200 [8086:1521]", "2.461539");
    text.os_device("eno" + std::to_string(port + 1), 2);
    text.close();
  }
  text.close(3);
  text.open_package(1, 32, 143);
  text.open_bridge("", "", "");
  text.open_bridge("0000:b0:01.0", kRootPort, "31.507692");
  for (int port = 0; port < 2; ++port) {
    text.open_device("0000:b1:00." + std::to_string(port), "0200 [15b3:101d]", "31.507692");
    text.os_device("ens5f" + std::to_string(port), 2);
    text.os_device("mlx5_" + std::to_string(port), 3);
    text.close();
  }
  text.close(2);
  text.open_bridge("", "", "");
  text.open_bridge("0000:c0:01.0", kRootPort, "4.000000");
  text.open_device("0000:c1:00.0", "0300 [10de:27b2]", "4.000000");
  text.os_device("opencl0d0", 5, "NVIDIA RTX 4000 Ada Generation");
  text.close(4);
  text.open_distances("NUMALatency", "distances2", 2);
  text.words("indexes", {"0", "1"});
  text.words("u64values", {"10", "21", "21", "10"});
  return text.finished();
}

}  // namespace paceline::test
