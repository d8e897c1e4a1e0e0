// SPDX-License-Identifier: MIT
/// \file
/// A machine as a graph of GPUs, sockets, switches and directed links, and the routes of transfers
/// through it. Immutable, therefore thread-safe.
///
/// **Routing.** Two GPUs use NVLink if it connects them directly or through NVSwitches. All other
/// transfers use the other links. No route passes through a GPU. Among the possible routes, the one
/// with the least latency is taken; ties are resolved by the least sum of 1/capacity, then the
/// fewest hops, then the lowest link ids, compared from the source on. A transfer between GPUs
/// without peer access is staged in the memory of the source's socket and has two legs.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/computed_list.hpp"
#include "topology/gpu.hpp"
#include "topology/host_figures.hpp"
#include "topology/machine_spec.hpp"

namespace paceline {

struct Vertex {
  std::string name;
  VertexKind kind = VertexKind::cpu;
};

/// The figures of a link, without its place.
struct LinkFigures {
  LinkKind kind = LinkKind::pcie;
  BytesPerSecond capacity;  ///< effective: bandwidth x efficiency
  Seconds latency;          ///< per hop
  double efficiency = 1;
  int count = 1;              ///< bonded links
  BytesPerSecond connection;  ///< the most that one transfer gets; 0: no bound
  int sockets = 1;            ///< transfers at once that NCCL makes of a channel's
  Bytes eager;                ///< size of NCCL's messages from which they need an answer; 0: none
  bool half_duplex = false;
  std::string source;  ///< source of the figures
};

/// The unit of bandwidth sharing: one direction of a link, or both directions of a half-duplex
/// link. Its index in `Machine::links()` is its id. A route over a half-duplex link has the same id
/// in either direction, and has it twice if it crosses the link both ways.
struct LinkDirection : LinkFigures {
  std::string name;  ///< "gpu0->plx0", or "plx0<->cpu0" if half-duplex
  int from = 0;      ///< vertices
  int to = 0;
};

/// The path of a copy without staging. Without links, source and destination are the same device.
struct Leg {
  static constexpr BytesPerSecond kUnlimited{std::numeric_limits<double>::infinity()};
  std::vector<int> links;
  Seconds latency;                    ///< copy start plus all hops
  BytesPerSecond limit = kUnlimited;  ///< upper bound for a single transfer
};

/// The path of a transfer: one leg, or two legs if staged through host memory. Drivers pipeline the
/// legs of a staged transfer chunk by chunk, so the transfer is one flow over the links of both
/// legs.
struct Route {
  std::vector<Leg> legs;
  bool staged = false;
  std::vector<int> links() const;  ///< of all legs in order; an id may occur twice
  Seconds latency() const;         ///< of all legs
  BytesPerSecond limit() const;    ///< of the slowest leg
};

/// The host side of the whole computer. All values are zero on an ideal machine.
struct Host {
  int sockets = 1;
  int cores = 0;                      ///< of all sockets; 0: no bound
  BytesPerSecond memory_bandwidth;    ///< of all sockets; 0: no bound
  BytesPerSecond copy_bandwidth;      ///< of one thread's memcpy; 0: no bound
  BytesPerSecond pageable_bandwidth;  ///< from pageable memory to a GPU; 0: unknown
  Seconds dispatch;                   ///< of one kernel launch
  Seconds decision_latency;
  Seconds timer_error;
};

class Machine final {
 public:
  /// `described`: by a file; `this_computer`: workers are threads; `ideal`: copies take no time. On
  /// the last two kinds, any number of workers share vertex 0.
  enum class Kind { described, this_computer, ideal };

  Kind kind() const;
  const std::string& name() const;         ///< "dgx1-p100"
  const std::string& title() const;        ///< one-line description
  const std::string& fingerprint() const;  ///< of the described computer, "" if unknown

  /// The maximum number of workers: one per GPU, or one per thread on a described host without
  /// GPUs; nothing if unbounded.
  std::optional<int> worker_limit() const;
  /// GPUs are numbered from 0. The functions below take 0 <= gpu < gpu_count(), or any number on an
  /// unbounded machine.
  int gpu_count() const;
  const GpuSpec& gpu(int gpu) const;  ///< zero peaks if workers are not GPUs
  bool equal_gpus() const;            ///< in every figure
  /// The price per hour and the power under load of the first `gpus` GPUs; nothing if a GPU's
  /// figure is unknown. The price of a machine file replaces the prices of its GPUs.
  std::optional<DollarsPerHour> price(int gpus) const;
  std::optional<Watts> power(int gpus) const;
  int gpu_vertex(int gpu) const;
  int socket_of(int gpu) const;  ///< nearest by latency; ties: the lowest
  int host_vertex(int socket) const;
  const Host& host() const;
  /// Computers, and the one that holds a GPU; 1 and 0 but in a cluster.
  int computers() const;
  int computer_of(int gpu) const;
  int computer_of_vertex(int vertex) const;  ///< of a GPU or a socket
  bool sharp() const;                        ///< the switches between computers sum
  /// One computer of a cluster; else host().
  Host host_of(int computer) const;
  /// The first socket of a computer, numbered through.
  int first_socket_of(int computer) const;
  /// Of a cluster: one node of each kind with the network, for drawings; else the machine itself.
  const Machine& folded() const;

  /// The bandwidth of copies through a computer's memory: of all together, and of each.
  struct Staging {
    BytesPerSecond together, each;
    bool assumed = false;  ///< the description leaves out one of them
  };
  /// Of the first computer of which two GPUs have no peer access; nothing if there is none.
  std::optional<Staging> staging() const;

  /// By id. A cluster's are not listed but worked out.
  ComputedList<Vertex> vertices() const;
  ComputedList<LinkDirection> links() const;
  std::vector<LinkDirection> links_from_gpu(int gpu) const;
  VertexKind kind_of(int vertex) const;
  const LinkFigures& figures(int link) const;
  std::optional<int> find_vertex(std::string_view name) const;

  /// Of a cluster: a few of its nodes with the network; else the machine itself. Together with the
  /// rules below it says all about the machine.
  Machine sampled() const;
  /// The rules of routes beside the graph, as text: the computers' number, peer access and copies.
  std::string route_rules() const;
  /// True if two GPUs copy to each other without staging in host memory.
  bool peer_access(int gpu_a, int gpu_b) const;
  /// A copy of this machine in which the bandwidth of all links of `kind` is multiplied by
  /// `factor`.
  Machine with_faster_links(LinkKind kind, double factor) const;
  /// A copy of this machine in which the limit of a single transfer over links of `kind` is
  /// multiplied by `factor`.
  Machine with_faster_connections(LinkKind kind, double factor) const;

  /// The route between two vertices; every described machine is connected.
  Route route(int from, int to) const;
  /// A number that is the same for pairs of vertices with routes of the same latency and bandwidth:
  /// each pair's own on a single computer; in a cluster, that of the sampled pair.
  std::uint64_t route_class(int from, int to) const;

  /// The bandwidth of a transfer that is alone on the leg: its limit or the least capacity of its
  /// links, whichever is less. A half-duplex link crossed twice counts with half its capacity.
  BytesPerSecond bottleneck(const Leg& leg) const;
  /// The bandwidth of a transfer that is alone on the route.
  BytesPerSecond bottleneck(const Route& route) const;

 private:
  friend class MachineBuilder;
  friend Machine build_machine(const MachineSpec&, const std::string&, Diagnostics&);
  friend Machine build_cluster(const MachineSpec&, const std::string&, Diagnostics&);
  friend Machine this_machine(const HostFigures&);
  friend Machine ideal(int);
  struct Graph;
  explicit Machine(std::shared_ptr<const Graph> graph);
  std::shared_ptr<const Graph> graph_;
};

/// Checks a description and makes the machine. Errors are noted in `diagnostics`; the machine must
/// not be used then.
Machine build_machine(const MachineSpec& spec, const std::string& name, Diagnostics& diagnostics);

/// The same for a cluster, of which it builds a few nodes.
Machine build_cluster(const MachineSpec& spec, const std::string& name, Diagnostics& diagnostics);

/// This computer as measured by `paceline calibrate`: all copies share one `memory` link, and each
/// is limited to the copy rate of one thread.
Machine this_machine(const HostFigures& figures);

/// A machine on which only computation takes time. `workers` is the number of GPUs shown.
Machine ideal(int workers);

/// The presets in machines/.
std::span<const EmbeddedFile> embedded_machines();

/// Loads the machine that `value` describes: a preset's name, `ideal`, a path, or a map. `this` is
/// an error here, since it needs a profile. Throws a SpecError with all errors.
Machine load_machine(const Tree& value);

}  // namespace paceline
