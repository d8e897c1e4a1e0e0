// SPDX-License-Identifier: MIT
/// \file
/// The contents of a machine file: GPUs, hosts, switches and the links between them, before they
/// are checked and become a graph (`Machine`). Importers fill one and write it as YAML.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/language/description.hpp"
#include "topology/network_spec.hpp"
#include "topology/peer_access.hpp"

namespace paceline {

/// The kind of a vertex. A `cpu` is one socket with its memory.
enum class VertexKind { gpu, cpu, host_bridge, pcie_switch, nvswitch, nic, network_switch };
std::span<const EnumName<VertexKind>> enum_names(const VertexKind*);

/// The kind of a link. `memory` is a path through host memory.
/// `efa`: the network of Amazon's cloud with its own protocol; `tcpx`: TCP that writes into GPUs'
/// memory, of Google's.
enum class LinkKind {
  pcie,
  nvlink,
  qpi,
  upi,
  ethernet,
  roce,
  infiniband,
  omni_path,
  efa,
  tcpx,
  memory
};
std::span<const EnumName<LinkKind>> enum_names(const LinkKind*);
/// Whether it joins computers.
bool joins_computers(LinkKind kind);
/// The reason that a network has no such links, or, if `sharp`, that its switches cannot sum; "" if
/// there is none.
std::string unusable_between(LinkKind kind, bool sharp);

/// `full`: each direction has the bandwidth to itself. `half`: both directions share it.
enum class Duplex { full, half };
std::span<const EnumName<Duplex>> enum_names(const Duplex*);

/// The name of a vertex or of a kind of link, and its position in the file.
struct NameAt {
  std::string text;
  Location at;
};
template <>
struct Value<NameAt> {
  static TypeInfo type();
  static bool read(NameAt& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const NameAt& value);
};

/// A number of GPUs of one model. GPUs are named gpu0, gpu1, ... in the order of the list.
struct GpusSpec {
  Tree model;  ///< a preset's name, a path, or a map
  int count = 1;
  Percent clock{1};  ///< of their multiprocessors / the clock of the model's peaks
  std::optional<DollarsPerHour> price;  ///< of their node in an expanded cluster, if it has one
  static void describe(Description<GpusSpec>& d);
};

/// The host's sockets, named cpu0, cpu1, ..., and the costs of its software.
struct HostSpec {
  int sockets = 1;
  int cores = 1;                      ///< per socket
  BytesPerSecond memory_bandwidth;    ///< per socket
  BytesPerSecond copy_bandwidth;      ///< of memcpy on one thread
  BytesPerSecond pageable_bandwidth;  ///< of a copy from pageable memory to a GPU; 0: unknown
  Seconds dispatch;                   ///< per kernel launch, on the thread that drives the GPU
  Seconds decision_latency;           ///< from an event on a device to the host's reaction
  Seconds timer_error;                ///< the delay with which a sleep returns
  std::map<std::string, std::string> sources;
  static void describe(Description<HostSpec>& d);
};

/// Switches, bridges and network cards of one kind, by name.
struct VerticesSpec {
  VertexKind kind = VertexKind::pcie_switch;
  std::vector<NameAt> names;
  static void describe(Description<VerticesSpec>& d);
};

/// A kind of link, referred to by links.
struct LinkTypeSpec {
  LinkKind kind = LinkKind::pcie;
  BytesPerSecond bandwidth;   ///< theoretical, per direction
  Percent efficiency{1};      ///< fraction that the protocol leaves
  Seconds latency;            ///< per hop
  BytesPerSecond connection;  ///< of one transfer, whatever the bandwidth; 0: no bound
  int sockets = 1;            ///< that NCCL opens for a channel
  Bytes eager;                ///< up to which NCCL's messages need no answer first; 0: all
  Duplex duplex = Duplex::full;
  std::string source;
  static void describe(Description<LinkTypeSpec>& d);
};

/// Links from one vertex to each of several others.
struct LinksSpec {
  NameAt type;
  NameAt from;
  std::vector<NameAt> to;
  int count = 1;  ///< parallel links, combined into one of `count` times the bandwidth
  /// Host memory, which copies through it share: from and to the first socket (add_staging); not a
  /// key.
  bool staging = false;
  static void describe(Description<LinksSpec>& d);
};

/// The costs of a copy in addition to its links. Shares are relative to the bandwidth of the
/// narrowest link.
struct CopiesSpec {
  Seconds latency;          ///< to start a copy
  Seconds staging_latency;  ///< to forward a staged copy from host memory
  /// Of all staged copies within a computer together, and of one; absent: staging_of() says.
  std::optional<BytesPerSecond> staging_bandwidth, staging_limit;
  Percent host_to_gpu{1};
  Percent gpu_to_host{1};
  Percent peer_across_host{1};  ///< GPU to GPU through a socket or host bridge without staging
  std::map<std::string, std::string> sources;
  static void describe(Description<CopiesSpec>& d);
};

/// A number of equal nodes of a cluster.
struct NodesSpec {
  Tree of;  ///< a machine's name, a path, or a map
  int count = 1;
  static void describe(Description<NodesSpec>& d);
};

/// The figures of one node of a cluster.
struct NodeSpec {
  HostSpec host;
  PeerAccess peer_access = PeerAccess::all;
  CopiesSpec copies;
  int gpus = 0;
  bool staging_assumed = false;  ///< what copies through host memory share is of hosts/
};

/// A machine file: one computer, or a cluster of such (`of` or `nodes`).
struct MachineSpec {
  std::optional<Tree> of;  ///< cluster: `count` nodes of this machine
  std::optional<int> count;
  std::vector<NodesSpec> nodes;  ///< cluster of different nodes
  std::optional<NetworkOrLink> network;
  std::optional<NetworkOrLink>
      cluster_network;              ///< of a cluster of such machines without `network`
  std::vector<NodeSpec> computers;  ///< of an expanded cluster; empty: one computer
  bool gpu_direct = false;          ///< of an expanded cluster
  bool sharp = false;               ///< the same
  std::string title;                ///< one line for drawings and reports
  std::string fingerprint;          ///< of the described computer; execution requires it to match
  std::vector<GpusSpec> gpus;
  std::optional<DollarsPerHour> price;  ///< per GPU; nothing: the prices in the GPUs' files
  HostSpec host;
  std::vector<VerticesSpec> vertices;
  std::map<std::string, LinkTypeSpec> link_types;
  std::vector<LinksSpec> links;
  std::optional<PeerAccess> peer_access;        ///< absent: as the GPUs' files say
  std::vector<std::vector<NameAt>> peer_pairs;  ///< additional pairs with access
  CopiesSpec copies;
  static void describe(Description<MachineSpec>& d);
};

}  // namespace paceline
