// SPDX-License-Identifier: MIT
/// \file
/// What a source says of a computer's hardware: sockets, the PCIe tree below them and the NVLinks
/// between GPUs, without the figures that a simulation needs. Every reader of a topology file and
/// every way to discover this computer makes one; `assemble` makes a machine of it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/machine_spec.hpp"

namespace paceline {

/// A PCIe link as a file names it; 0: not said.
struct PcieRate {
  double gt_per_s = 0;  ///< of a lane: 8 is gen3
  int lanes = 0;
};

/// A device of the PCIe tree.
struct PciDevice {
  enum class Kind { host_bridge, pcie_switch, gpu, nic };
  Kind kind = Kind::gpu;
  std::string name;     ///< of a network card; "" when it has none
  std::string address;  ///< on the PCI bus, "0000:07:00.0"; or ""
  int parent = -1;      ///< device above it; -1: a socket
  int socket = 0;       ///< of a device without parent
  PcieRate rate;        ///< of its link upwards
  // Of a GPU.
  int order = -1;            ///< its number as the source counts; -1: none, so its address says
  std::string driver_name;   ///< "NVIDIA H200", or ""
  std::string pci_id;        ///< "10de:20b2", or ""
  std::string architecture;  ///< "sm80", or ""
};

/// NVLinks from a GPU, bonded.
struct Bond {
  static constexpr int kSwitch = -1;  ///< to the NVSwitches
  static constexpr int kSocket = -2;  ///< to the socket above the GPU, as on POWER
  int from = 0;                       ///< a device
  int to = kSwitch;                   ///< a device, or one of the above
  int count = 1;
  int fabric = 0;  ///< which NVSwitches, where not all are joined
};

/// Links between two sockets, bonded.
struct SocketLink {
  int a = 0, b = 0;
  int count = 1;
};

struct Inventory {
  std::string origin;  ///< "an NCCL topology file", for texts
  int sockets = 1;
  int cores = 0;            ///< of one socket; 0: not said
  double socket_share = 1;  ///< of a whole socket: below 1 where NUMA nodes count as sockets
  std::string socket_link;  ///< link preset between sockets, "qpi"; "" when not said
  std::vector<SocketLink> socket_links;      ///< each pair once; empty: not said
  BytesPerSecond socket_bandwidth;           ///< of such a link in each direction; 0: not said
  std::vector<PciDevice> devices;            ///< a parent stands before its children
  std::vector<Bond> bonds;                   ///< each pair once
  std::size_t bonds_left_out = 0;            ///< entries of NVLinks that lead to no other GPU
  std::string bond_link;                     ///< link preset of the bonds; "": what the GPU has
  std::optional<LinkTypeSpec> bond_figures;  ///< where the source says what a bond's link is
  std::optional<PeerAccess> peer_access;
  std::vector<std::pair<int, int>> peer_pairs;  ///< GPUs, by device, that have access beside
  std::vector<std::string> notes;               ///< what was left out or inferred, a line each
};

/// What part of a socket each of so many NUMA nodes is, on a board of two sockets.
double share_of_socket(int nodes);

/// The link preset between sockets with processors of that maker, as CPUID names it, and model;
/// -1: not known. "" where the maker has none.
std::string socket_link_of(std::string_view maker, int model);

/// The socket that a device hangs below.
int socket_of(const Inventory& inventory, int device);

}  // namespace paceline
