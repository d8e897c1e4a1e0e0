// SPDX-License-Identifier: MIT
#include "topology/import/nccl_xml.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "topology/import/cpu_set.hpp"
#include "topology/import/pci.hpp"

namespace paceline {
namespace {

constexpr int kMostBonded = 64;
constexpr int kMostNodes = 64;

/// True for networks that are implemented in software.
bool is_virtual(const std::string& net) {
  constexpr std::array<std::string_view, 20> kNames{
      "tunl",    "tun",    "tap", "br-",  "bridge", "virbr", "docker", "veth", "cali", "cni",
      "flannel", "cilium", "lxc", "vnet", "vxlan",  "dummy", "ifb",    "kube", "wg",   "ovs"};
  return net == "lo" || std::any_of(kNames.begin(), kNames.end(),
                                    [&](std::string_view name) { return net.starts_with(name); });
}

class NcclReader final {
 public:
  Inventory read(const XmlElement& system);

 private:
  void read_cpu(const XmlElement& cpu, int socket);
  void read_cores(const std::vector<const XmlElement*>& cpus);
  void read_pci(const XmlElement& pci, int parent, int socket);
  void read_gpu(const XmlElement& pci, PciDevice& device);
  void note_address(const XmlElement& pci, bool gpu, int device);
  void read_network(const XmlElement& nic, int socket);
  void read_bonds();

  /// An NVLink of a GPU, kept until all GPUs are known.
  struct Listed {
    int from;
    const XmlElement* link;
  };
  Inventory out_;
  std::vector<Listed> listed_;
  std::map<std::string, int> by_address_;
  std::set<int> orders_;  // numbers of GPUs
  std::set<std::string> networks_;
  std::size_t left_out_ = 0;              // virtual networks
  const XmlElement* nameless_ = nullptr;  // a device without class
};

std::string vendor_of(const XmlElement& pci) {
  const std::string vendor = pci_word(pci.attribute("vendor"));
  return vendor == "ffff" ? "" : vendor;  // 0xffff: unknown, as in virtual switches
}

const XmlElement* child(const XmlElement& element, std::string_view name) {
  for (const XmlElement& c : element.children) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

/// The bandwidth of <c2c bw="44712" count="10"/>: links of 44712 MB/s each.
BytesPerSecond chip_link(const XmlElement& c2c) {
  constexpr double kMegabyte = 1e6;
  constexpr int kMost = 1'000'000;
  const int each = c2c.number("bw", 0);
  const int count = c2c.number("count", 0);
  if (each < 1 || each > kMost || count < 1 || count > kMostBonded) {
    throw SpecError(c2c.at, "<c2c> needs bw, MB/s of a link (1 to " + std::to_string(kMost) +
                                "), and count, links (1 to " + std::to_string(kMostBonded) + ")");
  }
  return BytesPerSecond{each * kMegabyte * count};
}

void NcclReader::read_gpu(const XmlElement& pci, PciDevice& device) {
  const std::string vendor = vendor_of(pci);
  const std::string id = pci_word(pci.attribute("device"));
  if (!vendor.empty() && !id.empty()) device.pci_id = vendor + ":" + id;
  const int index = static_cast<int>(out_.devices.size());
  const XmlElement* gpu = child(pci, "gpu");
  if (gpu == nullptr) return;
  device.order = gpu->number("dev", -1);
  if (device.order >= 0 && !orders_.insert(device.order).second) {
    throw SpecError(gpu->at, "GPU number " + std::to_string(device.order) + " appears twice");
  }
  const std::string& gcn = gpu->attribute("gcn");
  const bool word = std::all_of(gcn.begin(), gcn.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!gcn.empty() && word) {
    device.architecture = (gcn.starts_with("gfx") ? "" : "gfx") + gcn.substr(0, 16);
  } else if (const int sm = gpu->number("sm", 0); sm > 0) {
    device.architecture = "sm" + std::to_string(sm);
  }
  for (const XmlElement& link : gpu->children) {
    if (link.name == "c2c") device.chip_link = device.chip_link + chip_link(link);
    if (link.name == "nvlink" || link.name == "xgmi") listed_.push_back({index, &link});
  }
}

/// Keeps the address of a device as the end of links. In files written by hand, a bridge or a card
/// may have the address of another device; a link to that address then leads to the GPU.
void NcclReader::note_address(const XmlElement& pci, bool gpu, int device) {
  const std::string& address = pci.attribute("busid");
  if (address.empty()) return;
  const auto [found, fresh] = by_address_.emplace(address, device);
  if (fresh) return;
  const bool both =
      gpu && out_.devices[static_cast<std::size_t>(found->second)].kind == PciDevice::Kind::gpu;
  if (both) throw SpecError(pci.at, "PCI device " + quote(address) + " appears twice");
  if (gpu) found->second = device;
  out_.notes.push_back("PCI device " + quote(address) +
                       " appears twice: taken as two devices, as they are no two GPUs");
}

void NcclReader::read_pci(const XmlElement& pci, int parent, int socket) {
  const int device_class = pci_class(pci.attribute("class"));
  PciKind kind = pci_kind(device_class, vendor_of(pci), pci_word(pci.attribute("device")));
  if (child(pci, "gpu") != nullptr) {
    kind = PciKind::gpu;
  } else if (device_class < 0 && child(pci, "nic") != nullptr) {
    kind = PciKind::nic;
  } else if (device_class < 0 && child(pci, "pci") != nullptr) {
    kind = PciKind::bridge;
  } else if (device_class < 0) {
    if (nameless_ == nullptr) nameless_ = &pci;
    return;
  }
  PciDevice device;
  device.address = pci.attribute("busid");
  device.parent = parent;
  device.socket = socket;
  device.rate = {gt_per_s(pci.attribute("link_speed")), pci.number("link_width", 0)};
  const int index = static_cast<int>(out_.devices.size());
  switch (kind) {
    case PciKind::gpu:
      device.kind = PciDevice::Kind::gpu;
      read_gpu(pci, device);
      break;
    case PciKind::nic:
      device.kind = PciDevice::Kind::nic;
      if (const XmlElement* nic = child(pci, "nic")) {
        if (const XmlElement* net = child(*nic, "net")) device.name = net->attribute("name");
      }
      break;
    case PciKind::bridge:
      device.kind = PciDevice::Kind::pcie_switch;
      break;
    default:
      return;  // disks and the like
  }
  note_address(pci, device.kind == PciDevice::Kind::gpu, index);
  const bool bridge = kind == PciKind::bridge;
  out_.devices.push_back(std::move(device));
  if (!bridge) return;
  for (const XmlElement& below : pci.children) {
    if (below.name == "pci") read_pci(below, index, socket);
  }
}

/// Reads a network without a PCIe device: a software network, or a card that a virtual machine
/// hides.
void NcclReader::read_network(const XmlElement& nic, int socket) {
  for (const XmlElement& net : nic.children) {
    if (net.name != "net") continue;
    const std::string& name = net.attribute("name");
    if (is_virtual(name) || !networks_.insert(name).second) {
      ++left_out_;
      continue;
    }
    PciDevice device;
    device.kind = PciDevice::Kind::nic;
    device.name = name;
    device.socket = socket;
    out_.devices.push_back(std::move(device));
    out_.notes.push_back("network " + quote(name) +
                         " has no place on PCIe in the file: assumed at cpu" +
                         std::to_string(socket));
  }
}

void NcclReader::read_cpu(const XmlElement& cpu, int socket) {
  const std::string link = socket_link_of(cpu.attribute("vendor"), cpu.number("modelid", -1));
  if (!link.empty()) out_.socket_link = link;
  for (const XmlElement& below : cpu.children) {
    if (below.name == "pci") read_pci(below, -1, socket);
    if (below.name == "nic") read_network(below, socket);
  }
}

/// Reads the cores per socket from the CPU masks. Masks may be truncated, so the count of most
/// nodes is used; on a tie, the highest count.
void NcclReader::read_cores(const std::vector<const XmlElement*>& cpus) {
  std::map<int, int> nodes;  // number of nodes by number of cores
  for (const XmlElement* cpu : cpus) {
    if (const int cores = cores_in_mask(cpu->attribute("affinity")); cores > 0) ++nodes[cores];
  }
  int most = 0;
  for (const auto& [cores, count] : nodes) {
    if (count >= most) out_.cores = cores;
    most = std::max(most, count);
  }
}

void NcclReader::read_bonds() {
  std::map<std::pair<int, int>, std::map<int, int>> direct;  // by pair: the count at each end
  std::size_t bonds_left_out = 0;
  for (const Listed& listed : listed_) {
    const XmlElement& link = *listed.link;
    const int count = link.number("count", 0);
    if (count < 1 || count > kMostBonded) {
      throw SpecError(link.at, "count " + quote(link.attribute("count")) +
                                   " is not a number of links (1 to " +
                                   std::to_string(kMostBonded) + ")");
    }
    if (link.name == "xgmi") out_.bond_link = "xgmi";
    const std::string& target_class = link.attribute("tclass");
    const auto found = by_address_.find(link.attribute("target"));
    if (found != by_address_.end() &&
        out_.devices[static_cast<std::size_t>(found->second)].kind == PciDevice::Kind::gpu) {
      const int to = found->second;
      if (to == listed.from) {
        ++bonds_left_out;
      } else {
        direct[std::minmax(listed.from, to)][listed.from] += count;
      }
    } else if (pci_class(target_class) == 0x0680) {
      const bool socket = target_class == "0x068001";  // a POWER processor with NVLinks
      out_.bonds.push_back({listed.from, socket ? Bond::kSocket : Bond::kSwitch, count});
    } else {
      ++bonds_left_out;
    }
  }
  for (const auto& [pair, counts] : direct) {
    int most = 0;
    for (const auto& [end, count] : counts) most = std::max(most, count);
    out_.bonds.push_back({pair.first, pair.second, std::min(most, kMostBonded)});
  }
  out_.bonds_left_out = bonds_left_out;
}

/// The <cpu> elements in the order of their NUMA nodes. Throws SpecError unless there is at least
/// one, all are of one computer and no node is repeated.
std::vector<const XmlElement*> cpus_of(const XmlElement& system) {
  std::vector<const XmlElement*> cpus;
  std::set<std::string> hosts;
  std::set<std::string> nodes;
  const XmlElement* twice = nullptr;
  for (const XmlElement& element : system.children) {
    if (element.name != "cpu") continue;
    cpus.push_back(&element);
    hosts.insert(element.attribute("host_hash"));
    const std::string& node = element.attribute("numaid");
    if (!node.empty() && !nodes.insert(node).second && twice == nullptr) {
      twice = &element;
    }
  }
  if (cpus.empty()) throw SpecError(system.at, "<system> has no <cpu>: nothing to import");
  if (hosts.size() > 1) {
    throw SpecError(system.at,
                    "the file describes " + std::to_string(hosts.size()) +
                        " computers (host_hash); a machine file is one: remove the others");
  }
  if (twice != nullptr) {
    throw SpecError(twice->at, "NUMA node " + quote(twice->attribute("numaid")) + " appears twice");
  }
  std::stable_sort(cpus.begin(), cpus.end(), [](const XmlElement* a, const XmlElement* b) {
    return a->number("numaid", 0) < b->number("numaid", 0);
  });
  return cpus;
}

Inventory NcclReader::read(const XmlElement& system) {
  out_.origin = "an NCCL topology file";
  const std::vector<const XmlElement*> cpus = cpus_of(system);
  out_.sockets = static_cast<int>(cpus.size());
  std::string numbers;
  bool as_counted = true;
  int highest = out_.sockets - 1;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const int numa = cpus[i]->number("numaid", static_cast<int>(i));
    as_counted = as_counted && numa == static_cast<int>(i);
    highest = std::max(highest, numa);
    numbers += (i > 0 ? ", " : "") + std::to_string(numa);
    read_cpu(*cpus[i], static_cast<int>(i));
  }
  read_cores(cpus);
  // Nodes without a device are missing in the file. Two nodes are two sockets, whatever their
  // numbers.
  if (out_.sockets > 2) out_.socket_share = share_of_socket(std::min(highest, kMostNodes - 1) + 1);
  if (!as_counted)
    out_.notes.push_back("cpu0, cpu1, ... are the NUMA nodes " + numbers + " of the file");
  const bool gpus = std::any_of(out_.devices.begin(), out_.devices.end(),
                                [](const PciDevice& d) { return d.kind == PciDevice::Kind::gpu; });
  if (!gpus && nameless_ != nullptr) {
    throw SpecError(nameless_->at,
                    "cannot tell what PCI device " + quote(nameless_->attribute("busid")) +
                        " is: it has no class, which NCCL looks up on that very machine "
                        "(run `paceline topology discover` there)");
  }
  if (!gpus) throw SpecError(system.at, "no GPU in the file (<pci> of class 0x0300 or 0x0302)");
  if (nameless_ != nullptr) out_.notes.push_back("PCI devices without a class were left out");
  read_bonds();
  if (left_out_ > 0) {
    out_.notes.push_back(std::to_string(left_out_) + " virtual network devices were left out");
  }
  return std::move(out_);
}

}  // namespace

Inventory inventory_of_nccl(const XmlElement& system) {
  return NcclReader().read(system);
}

}  // namespace paceline
