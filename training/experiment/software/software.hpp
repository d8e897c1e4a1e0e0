// SPDX-License-Identifier: MIT
/// \file
/// What a software stack costs: dispatch, decisions, the all-reduce library, the servers'
/// arithmetic. A preset here is one YAML file; a constant that was fitted says so, with the table
/// it was fitted on, and is counted in reports.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/description.hpp"
#include "experiments/presets.hpp"

namespace paceline {

/// How the native all-reduce library lays its rings.
enum class RingOrder {
  searched,  ///< over the fastest links, as many rings as they carry (NCCL 2)
  by_rank,   ///< one ring in the order of the ranks (NCCL 1)
};
std::span<const EnumName<RingOrder>> enum_names(const RingOrder*);

/// The native all-reduce library on this stack.
struct CollectiveCost {
  Percent efficiency{0.9};  ///< share of a link's effective bandwidth that its protocol reaches
  Percent staged_efficiency{0.9};  ///< likewise of an edge that goes through host memory
  Seconds step_latency{6e-6};      ///< of each of the ring's 2(P-1) steps
  Seconds launch{2e-5};            ///< of one call
  RingOrder rings = RingOrder::searched;
  Percent contention{0};  ///< share of its speed that a GPU's arithmetic loses meanwhile
  static void describe(Description<CollectiveCost>& d);
};

struct Software {
  Seconds dispatch;           ///< of one layer's kernels, on the one thread that drives all GPUs
  Seconds decision_latency;   ///< from an event to the host's answer; 0: the machine's
  Percent step_variation{0};  ///< deviation of a worker's step time / its mean
  BytesPerSecond
      server_bandwidth;  ///< memory traffic of a server's arithmetic on a CPU; 0: the machine's
  /// Whether a server sums the K gradients of an update with the memory traffic of one kernel,
  /// which reads each of them once and writes their sum, K + 1 passes; else one by one as they
  /// arrive, with the sum read and written each time.
  bool sums_at_once = false;
  CollectiveCost collective;
  std::map<std::string, std::string> sources;  ///< by key above
  std::vector<std::string> fitted;             ///< keys whose numbers were fitted
  static void describe(Description<Software>& d);
};

/// The presets beside this file.
std::span<const EmbeddedFile> embedded_software();

/// The stack that `value` says: a preset's name, a path, or a map. Throws SpecError.
Software load_software(const Tree& value);

}  // namespace paceline
