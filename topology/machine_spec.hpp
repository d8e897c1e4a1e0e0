// SPDX-License-Identifier: MIT
/// \file
/// A machine as a YAML file says it: GPUs, hosts, switches and the links between them, before it is
/// checked and becomes a graph (`Machine`). Importers fill one in; writing it gives the YAML back.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/description.hpp"

namespace paceline {

/// What a vertex of the graph is. A `cpu` is one socket with its memory.
enum class VertexKind { gpu, cpu, host_bridge, pcie_switch, nvswitch, nic, network_switch };
std::span<const EnumName<VertexKind>> enum_names(const VertexKind*);

/// What a link is made of. `memory` is a path through host memory.
enum class LinkKind { pcie, nvlink, qpi, upi, ethernet, infiniband, memory };
std::span<const EnumName<LinkKind>> enum_names(const LinkKind*);

/// `full`: each direction has the bandwidth to itself. `half`: both directions share it.
enum class Duplex { full, half };
std::span<const EnumName<Duplex>> enum_names(const Duplex*);

/// Which pairs of GPUs copy to each other directly; the others go through host memory.
enum class PeerAccess { all, same_socket, same_switch, nvlink, none };
std::span<const EnumName<PeerAccess>> enum_names(const PeerAccess*);

/// The name of a vertex, or of a kind of link, and where it was written.
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

/// Some GPUs of one model. GPUs are called gpu0, gpu1, ... in the order of the list.
struct GpusSpec {
  Tree model;  ///< a preset's name, a path, or a map
  int count = 1;
  static void describe(Description<GpusSpec>& d);
};

/// The host's sockets, called cpu0, cpu1, ..., and what its software costs.
struct HostSpec {
  int sockets = 1;
  int cores = 1;                    ///< of one socket
  BytesPerSecond memory_bandwidth;  ///< of one socket
  BytesPerSecond copy_bandwidth;    ///< of one thread's memcpy
  Seconds dispatch;                 ///< of one kernel launch, on the thread that drives the GPU
  Seconds decision_latency;         ///< from an event on a device to the host's answer to it
  Seconds timer_error;              ///< by which a sleep is late
  std::map<std::string, std::string> sources;
  static void describe(Description<HostSpec>& d);
};

/// Switches, bridges and network cards, by name.
struct VerticesSpec {
  VertexKind kind = VertexKind::pcie_switch;
  std::vector<NameAt> names;
  static void describe(Description<VerticesSpec>& d);
};

/// A kind of link that several links share.
struct LinkTypeSpec {
  LinkKind kind = LinkKind::pcie;
  BytesPerSecond bandwidth;  ///< theoretical, of each direction
  Percent efficiency{1};     ///< what the protocol leaves of it
  Seconds latency;           ///< of a message's hop
  Duplex duplex = Duplex::full;
  std::string source;
  static void describe(Description<LinkTypeSpec>& d);
};

/// Links from one vertex to each of several others.
struct LinksSpec {
  NameAt type;
  NameAt from;
  std::vector<NameAt> to;
  int count = 1;  ///< bonded into one link of so many times the bandwidth
  static void describe(Description<LinksSpec>& d);
};

/// What a copy costs beside its links. Shares are of the bandwidth of the narrowest link.
struct CopiesSpec {
  Seconds latency;          ///< of starting a copy
  Seconds staging_latency;  ///< of handing a staged copy on from host memory
  Percent host_to_gpu{1};
  Percent gpu_to_host{1};
  Percent peer_across_host{1};  ///< GPU to GPU through a socket or host bridge without staging
  std::map<std::string, std::string> sources;
  static void describe(Description<CopiesSpec>& d);
};

/// A machine file.
struct MachineSpec {
  std::string title;        ///< one line for drawings and reports
  std::string fingerprint;  ///< of the computer it describes, so that it may be executed there
  std::vector<GpusSpec> gpus;
  std::optional<DollarsPerHour> price;  ///< of one GPU's hour; nothing: what the GPUs' files say
  HostSpec host;
  std::vector<VerticesSpec> vertices;
  std::map<std::string, LinkTypeSpec> link_types;
  std::vector<LinksSpec> links;
  PeerAccess peer_access = PeerAccess::all;
  std::vector<std::vector<NameAt>> peer_pairs;  ///< further pairs that have access
  CopiesSpec copies;
  static void describe(Description<MachineSpec>& d);
};

}  // namespace paceline
