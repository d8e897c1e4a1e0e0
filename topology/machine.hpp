// SPDX-License-Identifier: MIT
/// \file
/// A machine as a graph: GPUs, sockets, switches and directed links, and the route that a transfer
/// takes through it. Immutable once made, so any number of threads may ask it.
///
/// **Which route.** GPU to GPU over NVLink where one joins them directly or through NVSwitches;
/// otherwise, and between all else, over the links that are not NVLink. No route passes through a
/// GPU. Of the routes left the one with the least latency wins, then the one with the least sum of
/// 1/capacity, then the fewest hops, then the lowest link ids, compared from the source on.
/// GPUs without peer access go through the memory of the source's socket: two legs, `staged`.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/gpu.hpp"
#include "topology/host_figures.hpp"
#include "topology/machine_spec.hpp"

namespace paceline {

struct Vertex {
  std::string name;
  VertexKind kind = VertexKind::cpu;
};

/// One direction of a link, or both of a half-duplex one: what concurrent transfers share. Its
/// index in `Machine::links()` is its id; a route over a half-duplex link has the same id in either
/// direction, and twice when it goes up and down.
struct LinkDirection {
  std::string name;  ///< "gpu0->plx0", or "plx0<->cpu0" when half-duplex
  LinkKind kind = LinkKind::pcie;
  BytesPerSecond capacity;  ///< effective: bandwidth x efficiency
  Seconds latency;          ///< a message's hop
  int from = 0;             ///< vertices
  int to = 0;
  double efficiency = 1;
  int count = 1;  ///< bonded links
  bool half_duplex = false;
  std::string source;  ///< where the figures are from
};

/// A copy's way without a stop in host memory. No links: nothing to cross (the same device).
struct Leg {
  static constexpr BytesPerSecond kUnlimited{std::numeric_limits<double>::infinity()};
  std::vector<int> links;
  Seconds latency;                    ///< of starting the copy and of all hops
  BytesPerSecond limit = kUnlimited;  ///< the most that one transfer gets, even alone
};

/// A transfer's way: one leg, or two when staged through host memory. The legs of a staged route
/// are pipelined chunk by chunk, as drivers do: the transfer is one flow over both legs' links.
struct Route {
  std::vector<Leg> legs;
  bool staged = false;
  std::vector<int> links() const;  ///< of all legs in order; an id may occur twice
  Seconds latency() const;         ///< of all legs
  BytesPerSecond limit() const;    ///< of the slowest leg
};

/// The whole computer's host side. All zero on an ideal machine: nothing costs time.
struct Host {
  int sockets = 1;
  int cores = 0;                    ///< of all sockets; 0: no bound
  BytesPerSecond memory_bandwidth;  ///< of all sockets; 0: no bound
  BytesPerSecond copy_bandwidth;    ///< of one thread's memcpy; 0: no bound
  Seconds dispatch;                 ///< of one kernel launch
  Seconds decision_latency;
  Seconds timer_error;
};

class Machine final {
 public:
  /// `described` by a file; `this_computer`: workers are threads; `ideal`: copies cost nothing. In
  /// the last two any number of workers share vertex 0.
  enum class Kind { described, this_computer, ideal };

  Kind kind() const;
  const std::string& name() const;         ///< "dgx1-p100"
  const std::string& title() const;        ///< one line saying what it is
  const std::string& fingerprint() const;  ///< of the computer described, "" when not said

  /// How many workers can have a GPU of their own, where that is bounded; a described host without
  /// GPUs has threads instead.
  std::optional<int> worker_limit() const;
  /// GPUs are numbered from 0. All take 0 <= gpu < gpu_count(), or any on an unbounded machine.
  int gpu_count() const;
  const GpuSpec& gpu(int gpu) const;  ///< with zero peaks where workers are no GPUs
  /// What the first `gpus` GPUs cost an hour, and draw under load; nothing where that is not known
  /// of each. A price of the machine's own stands in the GPUs too.
  std::optional<DollarsPerHour> price(int gpus) const;
  std::optional<Watts> power(int gpus) const;
  int gpu_vertex(int gpu) const;
  int socket_of(int gpu) const;  ///< nearest by latency, then the lowest
  int host_vertex(int socket) const;
  const Host& host() const;

  std::span<const Vertex> vertices() const;
  std::span<const LinkDirection> links() const;
  std::optional<int> find_vertex(std::string_view name) const;

  /// Whether two GPUs copy to each other without the host's memory.
  bool peer_access(int gpu_a, int gpu_b) const;
  /// The same machine, whose links of this kind are so many times as fast.
  Machine with_faster_links(LinkKind kind, double factor) const;

  /// The route between two vertices; every described machine is connected.
  Route route(int from, int to) const;

  /// The least capacity on the leg (a half-duplex link crossed twice has half), or its limit.
  BytesPerSecond bottleneck(const Leg& leg) const;
  /// Likewise of a whole route: what a transfer gets when it is alone.
  BytesPerSecond bottleneck(const Route& route) const;

 private:
  friend class MachineBuilder;
  friend Machine build_machine(const MachineSpec&, const std::string&, Diagnostics&);
  friend Machine this_machine(const HostFigures&);
  friend Machine ideal(int);
  struct Graph;
  explicit Machine(std::shared_ptr<const Graph> graph);
  std::shared_ptr<const Graph> graph_;
};

/// Checks a description and makes the machine; mistakes go to `diagnostics`, and the machine is
/// then not to be used.
Machine build_machine(const MachineSpec& spec, const std::string& name, Diagnostics& diagnostics);

/// This computer as calibrate measured it: copies share one `memory` link, and each goes at most as
/// fast as one thread copies.
Machine this_machine(const HostFigures& figures);

/// A machine on which only computation takes time. The argument is the number of GPUs it shows.
Machine ideal(int workers);

/// The presets in machines/.
std::span<const EmbeddedFile> embedded_machines();

/// The machine that `value` says: a preset's name, `ideal`, a path, or a map. Throws SpecError with
/// all mistakes. `this` is an error here: it needs a profile.
Machine load_machine(const Tree& value);

}  // namespace paceline
