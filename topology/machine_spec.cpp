// SPDX-License-Identifier: MIT
#include "topology/machine_spec.hpp"

#include <array>

#include "topology/gpu.hpp"

namespace paceline {
namespace {

// Longer than any real latency or delay, and short enough that sums over 4096 hops stay exact in
// picoseconds.
constexpr Seconds kLongest{1};
constexpr int kMostNodes = 262144;
constexpr BytesPerSecond kSlowest{1e3};
constexpr BytesPerSecond kFastest{1e15};
constexpr Percent kLeastEfficiency{1e-5};  // below that of any protocol: a typing error

}  // namespace

std::span<const EnumName<VertexKind>> enum_names(const VertexKind*) {
  static constexpr std::array<EnumName<VertexKind>, 7> kNames{
      {{"gpu", VertexKind::gpu},
       {"cpu", VertexKind::cpu},
       {"host-bridge", VertexKind::host_bridge},
       {"pcie-switch", VertexKind::pcie_switch},
       {"nvswitch", VertexKind::nvswitch},
       {"nic", VertexKind::nic},
       {"network-switch", VertexKind::network_switch}}};
  return kNames;
}

std::span<const EnumName<LinkKind>> enum_names(const LinkKind*) {
  static constexpr std::array<EnumName<LinkKind>, 11> kNames{{{"pcie", LinkKind::pcie},
                                                              {"nvlink", LinkKind::nvlink},
                                                              {"qpi", LinkKind::qpi},
                                                              {"upi", LinkKind::upi},
                                                              {"ethernet", LinkKind::ethernet},
                                                              {"roce", LinkKind::roce},
                                                              {"infiniband", LinkKind::infiniband},
                                                              {"omni-path", LinkKind::omni_path},
                                                              {"efa", LinkKind::efa},
                                                              {"tcpx", LinkKind::tcpx},
                                                              {"memory", LinkKind::memory}}};
  return kNames;
}

bool joins_computers(LinkKind kind) {
  return kind == LinkKind::ethernet || kind == LinkKind::roce || kind == LinkKind::infiniband ||
         kind == LinkKind::omni_path || kind == LinkKind::efa || kind == LinkKind::tcpx;
}

std::string unusable_between(LinkKind kind, bool sharp) {
  if (!joins_computers(kind))
    return "a network's link is of kind ethernet, roce, infiniband, omni-path, efa or tcpx";
  if (sharp && kind != LinkKind::infiniband)
    return "switches sum on InfiniBand only (leave 'sharp' out, or use an InfiniBand link)";
  return "";
}

std::span<const EnumName<Duplex>> enum_names(const Duplex*) {
  static constexpr std::array<EnumName<Duplex>, 2> kNames{
      {{"full", Duplex::full}, {"half", Duplex::half}}};
  return kNames;
}

TypeInfo Value<NameAt>::type() {
  TypeInfo info;
  info.name = "name";
  return info;
}

bool Value<NameAt>::read(NameAt& out, const Tree& tree, Diagnostics& diagnostics) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  constexpr std::size_t kLongestName = 64;
  if (!tree.is_scalar() || tree.text.empty() || tree.text.size() > kLongestName ||
      !std::all_of(tree.text.begin(), tree.text.end(), good)) {
    diagnostics.error(tree.at, "'" + to_flow(tree).substr(0, kLongestName) +
                                   "' is not a name (up to 64 letters, digits, - _ .)");
    return false;
  }
  out = {tree.text, tree.at};
  return true;
}

Tree Value<NameAt>::write(const NameAt& value) {
  return Tree::scalar(value.text, value.at);
}

void GpusSpec::describe(Description<GpusSpec>& d) {
  d.required("model", &GpusSpec::model, "a GPU's name, a path, or a mapping of its figures",
             kCodecOfLater<Tree, GpuSpec>);
  d.optional("count", &GpusSpec::count, "number of these GPUs").at_least(1).at_most(4096);
  d.optional("clock", &GpusSpec::clock,
             "clock of their multiprocessors / the clock at which the model has its peaks")
      .at_least(Percent{0.1})
      .at_most(Percent{2});
}

void HostSpec::describe(Description<HostSpec>& d) {
  d.optional("sockets", &HostSpec::sockets, "sockets, called cpu0, cpu1, ...")
      .at_least(1)
      .at_most(64);
  d.required("cores", &HostSpec::cores, "cores of one socket, which servers on the CPU share")
      .at_least(1)
      .at_most(4096);
  d.required("memory_bandwidth", &HostSpec::memory_bandwidth, "bandwidth of one socket's memory")
      .above(BytesPerSecond{0});
  d.optional("copy_bandwidth", &HostSpec::copy_bandwidth,
             "bandwidth of one thread's copies between sockets; 0: no bound. Copies of GPUs use no "
             "thread")
      .at_least(BytesPerSecond{0});
  d.optional("pageable_bandwidth", &HostSpec::pageable_bandwidth,
             "bandwidth of a copy from pageable memory to a GPU, which one thread stages through "
             "pinned memory; 0: unknown")
      .at_least(BytesPerSecond{0});
  d.optional("dispatch", &HostSpec::dispatch,
             "time the host needs to launch one kernel, where `software` has no time of its own")
      .at_least(Seconds{0})
      .at_most(kLongest);
  d.optional("decision_latency", &HostSpec::decision_latency,
             "time from an event on a device to the host's response")
      .at_least(Seconds{0})
      .at_most(kLongest);
  d.optional("timer_error", &HostSpec::timer_error, "time by which a delay of a straggler is late")
      .at_least(Seconds{0})
      .at_most(kLongest);
  d.optional("sources", &HostSpec::sources, "sources of the figures, by key");
}

void VerticesSpec::describe(Description<VerticesSpec>& d) {
  d.required("kind", &VerticesSpec::kind, "kind of vertex");
  d.required("names", &VerticesSpec::names, "names that links refer to");
}

void LinkTypeSpec::describe(Description<LinkTypeSpec>& d) {
  d.required("kind", &LinkTypeSpec::kind, "kind of link");
  d.required("bandwidth", &LinkTypeSpec::bandwidth, "theoretical bandwidth of each direction")
      .at_least(kSlowest)
      .at_most(kFastest);
  d.optional("efficiency", &LinkTypeSpec::efficiency,
             "share of the bandwidth that the protocol leaves")
      .at_least(kLeastEfficiency)
      .at_most(Percent{1});
  d.optional("latency", &LinkTypeSpec::latency, "time that a message takes to cross the link")
      .at_least(Seconds{0})
      .at_most(kLongest);
  d.optional("connection", &LinkTypeSpec::connection,
             "bandwidth of one transfer, however fast the link is: of TCP, which takes a core's "
             "time (0 B/s: no bound)")
      .at_least(BytesPerSecond{0})
      .at_most(kFastest);
  d.optional("sockets", &LinkTypeSpec::sockets,
             "connections that NCCL opens for each of its channels (NCCL_SOCKET_NTHREADS x "
             "NCCL_NSOCKS_PERTHREAD), each bound by `connection`")
      .at_least(1)
      .at_most(64);
  d.optional(
       "eager", &LinkTypeSpec::eager,
       "size up to which a message of NCCL is sent at once; larger ones are announced and wait "
       "for an answer (0 B: none does)")
      .at_least(Bytes{0});
  d.optional("duplex", &LinkTypeSpec::duplex,
             "full: each direction has the bandwidth to itself; half: they share it");
  d.required("source", &LinkTypeSpec::source, "source of the figures");
}

void LinksSpec::describe(Description<LinksSpec>& d) {
  d.required("type", &LinksSpec::type, "one of `link_types`");
  d.required("from", &LinksSpec::from, "a vertex");
  d.required("to", &LinksSpec::to,
             "vertices linked to it, both ways; `gpu0..gpu7` means all eight");
  d.optional("count", &LinksSpec::count, "links bonded into one").at_least(1).at_most(64);
}

void CopiesSpec::describe(Description<CopiesSpec>& d) {
  const Percent whole{1};
  d.optional("latency", &CopiesSpec::latency, "time to start a copy")
      .at_least(Seconds{0})
      .at_most(kLongest);
  d.optional("staging_latency", &CopiesSpec::staging_latency,
             "time to forward a staged copy from host memory")
      .at_least(Seconds{0})
      .at_most(kLongest);
  d.optional("staging_bandwidth", &CopiesSpec::staging_bandwidth,
             "bandwidth of all copies between a computer's GPUs through host memory together "
             "(default: by the GPUs' PCIe, topology/hosts)")
      .at_least(kSlowest)
      .at_most(kFastest);
  d.optional("staging_limit", &CopiesSpec::staging_limit,
             "bandwidth of one copy between two GPUs through host memory (default: likewise)")
      .at_least(kSlowest)
      .at_most(kFastest);
  d.optional("host_to_gpu", &CopiesSpec::host_to_gpu,
             "share of the narrowest link that a copy from host memory reaches")
      .at_least(kLeastEfficiency)
      .at_most(whole);
  d.optional("gpu_to_host", &CopiesSpec::gpu_to_host,
             "share of the narrowest link that a copy to host memory reaches")
      .at_least(kLeastEfficiency)
      .at_most(whole);
  d.optional("peer_across_host", &CopiesSpec::peer_across_host,
             "share of the narrowest link that a direct copy through a socket reaches")
      .at_least(kLeastEfficiency)
      .at_most(whole);
  d.optional("sources", &CopiesSpec::sources, "sources of the figures, by key");
}

void NodesSpec::describe(Description<NodesSpec>& d) {
  d.required("of", &NodesSpec::of, "a machine: a preset, a path, or a description",
             kCodecOfLater<Tree, MachineSpec>);
  d.optional("count", &NodesSpec::count, "nodes of this kind").at_least(1).at_most(kMostNodes);
}

void MachineSpec::describe(Description<MachineSpec>& d) {
  d.optional("of", &MachineSpec::of,
             "a cluster of this machine: a preset, a path, or a description; without `count`, "
             "`network` and `nodes`: this machine, with the keys beside `of` in place of its own",
             kCodecOfLater<std::optional<Tree>, MachineSpec>);
  d.optional("count", &MachineSpec::count, "nodes of the cluster").at_least(1).at_most(kMostNodes);
  d.optional("nodes", &MachineSpec::nodes, "a cluster of different nodes, instead of `of`");
  d.optional("network", &MachineSpec::network,
             "the network between the nodes (default: the `cluster_network` of the first)");
  d.optional("cluster_network", &MachineSpec::cluster_network,
             "of one computer: the network between several, where their cluster has no `network`");
  d.optional("title", &MachineSpec::title,
             "one line describing the machine; a preset's is its first comment");
  d.optional("fingerprint", &MachineSpec::fingerprint,
             "fingerprint of the computer described, by which `execute` recognizes it");
  d.optional("gpus", &MachineSpec::gpus,
             "its GPUs, called gpu0, gpu1, ... in this order (required, but in a cluster)");
  d.optional("price", &MachineSpec::price,
             "price of one GPU hour in this machine, instead of the GPU file's, and in a cluster "
             "instead of its nodes'")
      .at_least(DollarsPerHour{0});
  d.optional("host", &MachineSpec::host,
             "sockets, memory and software (required, but in a cluster)");
  d.optional("vertices", &MachineSpec::vertices, "switches, bridges and network cards");
  d.optional("link_types", &MachineSpec::link_types, "kinds of link, by a name of your own");
  d.optional("links", &MachineSpec::links, "links between vertices (required, but in a cluster)");
  d.optional("peer_access", &MachineSpec::peer_access,
             "GPUs that copy to each other without staging in host memory, beside those on NVLink "
             "(default: as the GPUs' files say)");
  d.optional("peer_pairs", &MachineSpec::peer_pairs, "further pairs of such GPUs");
  d.optional("copies", &MachineSpec::copies, "costs of a copy beside its links");
}

}  // namespace paceline
