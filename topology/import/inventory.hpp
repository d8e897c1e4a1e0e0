// SPDX-License-Identifier: MIT
/// \file
/// The hardware of a computer as given by a source: sockets, the PCIe tree below them and the
/// NVLinks between GPUs, without the figures that a simulation needs. Every reader of topology
/// files and the discovery of this computer make one; `assemble` turns it into a machine.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/machine_spec.hpp"

namespace paceline {

/// The rate of a PCIe link; 0: unknown.
struct PcieRate {
  double gt_per_s = 0;  ///< per lane: 8 is gen3
  int lanes = 0;
};

/// A device of the PCIe tree.
struct PciDevice {
  enum class Kind { host_bridge, pcie_switch, gpu, nic };
  Kind kind = Kind::gpu;
  std::string name;     ///< of a network card; "" if unknown
  std::string address;  ///< address on the PCI bus, "0000:07:00.0"; or ""
  int parent = -1;      ///< the device above; -1: a socket
  int socket = 0;       ///< the socket, for a device without parent
  PcieRate rate;        ///< of the link to the device above
  // The following fields are set for GPUs only.
  int order = -1;            ///< GPU number in the source; -1: unknown, GPUs are then ordered by
                             ///< address
  std::string driver_name;   ///< "NVIDIA H200", or ""; "Tesla V100-SXM2..." if cut off
  std::string pci_id;        ///< "10de:20b2", or ""
  std::string vendor;        ///< "1002", or ""; for a GPU without a PCI id
  std::string architecture;  ///< "sm80", or ""
  BytesPerSecond chip_link;  ///< NVLink-C2C to the socket, of each direction; 0: none
  BytesPerSecond nvlink_bandwidth;  ///< of all its NVLinks, where the source does not count them
};

/// Parallel NVLinks from a GPU to the same end, combined into one bond.
struct Bond {
  static constexpr int kSwitch = -1;  ///< the NVSwitches
  static constexpr int kSocket = -2;  ///< the socket above the GPU, as on POWER
  int from = 0;                       ///< a device
  int to = kSwitch;                   ///< a device, kSwitch or kSocket
  int count = 1;
  int fabric = 0;  ///< the fabric of NVSwitches, if they are not all connected
};

struct Inventory {
  std::string origin;  ///< "an NCCL topology file", for messages
  int sockets = 1;
  int cores = 0;            ///< per socket; 0: unknown
  double socket_share = 1;  ///< size of a listed socket as a fraction of a real one; below 1 if
                            ///< NUMA nodes count as sockets
  std::string socket_link;  ///< link preset between sockets, "qpi"; "" if unknown
  std::vector<PciDevice> devices;  ///< parents precede their children
  std::vector<Bond> bonds;         ///< each pair once
  std::size_t bonds_left_out = 0;  ///< NVLink entries that lead to no other GPU
  std::string naming;              ///< how the user may name the GPUs in the source, for a note; ""
  std::string bond_link;           ///< link preset of the bonds; "": that of the GPU
  std::optional<LinkTypeSpec> bond_figures;  ///< of the bonds, where the source gives figures
  bool on_nvswitches = false;  ///< there are NVSwitches, and how many NVLinks lead there is unknown
  bool whole_host = false;     ///< the source lists all devices: without GPUs there are none
  std::optional<PeerAccess> peer_access;
  std::vector<std::pair<int, int>> peer_pairs;  ///< additional pairs of GPUs (by device) with
                                                ///< access
  std::vector<std::string> notes;               ///< omissions and inferences, one per line
};

/// The fraction of a socket that each of `nodes` NUMA nodes is on a dual-socket board.
double share_of_socket(int nodes);

/// The link preset between sockets of this processor. `maker` is the vendor name of CPUID; `model`
/// is -1 if unknown. "" if the manufacturer has none.
std::string socket_link_of(std::string_view maker, int model);

/// Throws SpecError for more devices or sockets than a computer has.
void check_size(const Inventory& inventory);

/// The socket above a device.
int socket_of(const Inventory& inventory, int device);

}  // namespace paceline
