// SPDX-License-Identifier: MIT
/// \file
/// The costs of a software stack: dispatch, decisions, the all-reduce library, the servers'
/// arithmetic. Each preset is one YAML file in this folder; it marks a fitted constant with the
/// table to which it was fitted, and reports count these.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/language/description.hpp"
#include "experiments/language/presets.hpp"
#include "training/experiment/software/kernel_cost.hpp"

namespace paceline {

/// The arrangement of rings by the native all-reduce library.
enum class RingOrder {
  searched,  ///< over the fastest links, as many rings as they carry (NCCL 2)
  by_rank,   ///< one ring in the order of the ranks (NCCL 1)
};
std::span<const EnumName<RingOrder>> enum_names(const RingOrder*);

/// The model of a call's time.
enum class LibraryKind {
  rings,  ///< rings, with the figures given here
  nccl,   ///< NCCL 2: algorithm and protocol by size, with the figures of the interconnect
};
std::span<const EnumName<LibraryKind>> enum_names(const LibraryKind*);

/// The threads that launch kernels.
enum class Dispatchers {
  computer,  ///< one for all GPUs of a computer
  gpu,       ///< one for each GPU, of one process or of a process each
};
std::span<const EnumName<Dispatchers>> enum_names(const Dispatchers*);

/// The native all-reduce library on this stack.
struct CollectiveCost {
  LibraryKind model = LibraryKind::rings;
  Percent efficiency{0.9};  ///< share of a link's effective bandwidth that its protocol attains
  Percent staged_efficiency{0.9};  ///< the same for an edge through host memory
  Seconds step_latency{6e-6};      ///< of each of the ring's 2(P-1) steps
  Seconds launch{2e-5};            ///< of one call
  RingOrder rings = RingOrder::searched;
  int tcp_channels = 2;   ///< of NCCL, that leave by one network card
  Percent contention{0};  ///< share of its speed that a GPU's arithmetic loses meanwhile
  static void describe(Description<CollectiveCost>& d);
};

/// An update that the stack composes of operations on whole tensors.
struct ComposedUpdate {
  int operations = 0;  ///< kernels for each tensor; 0: the stack has kernels of its own
  double passes = 0;   ///< over the parameters, read or written
  static void describe(Description<ComposedUpdate>& d);
};

/// The buckets in which the stack sends gradients where the file does not say.
struct GradientBuckets {
  Bytes size;   ///< at least; 0: the aggregation's default
  Bytes first;  ///< of the first bucket; 0: as the others
  /// Times that the gradients are read or written to copy them into buckets and back.
  double passes = 0;
  static void describe(Description<GradientBuckets>& d);
};

struct Software {
  KernelCost kernels;
  ComposedUpdate lamb;  ///< where it has no kernel of its own for LAMB
  Seconds dispatch;     ///< per layer, of a thread that launches kernels
  Dispatchers dispatchers = Dispatchers::computer;
  Seconds decision_latency;   ///< from an event to the host's answer; 0: the machine's value
  Percent gpu_variation{0};   ///< deviation of the speed of GPUs of one model / its mean
  Percent step_variation{0};  ///< deviation of a worker's step time / its mean
  BytesPerSecond
      server_bandwidth;  ///< memory traffic of a server's arithmetic on a CPU; 0: the machine's
  /// Whether a server sums the K gradients of an update at once, with the memory traffic of one
  /// kernel: it reads each gradient once and writes the sum, K + 1 passes. Otherwise it adds each
  /// gradient when it arrives, and reads and writes the sum every time.
  bool sums_at_once = false;
  /// Whether its users all-reduce gradients; else they have a parameter server.
  bool all_reduces = false;
  /// Whether gradients travel during the backward pass, where the file does not say. A stack that
  /// runs a pass as one compiled graph has its gradients at the end of it.
  bool overlap = true;
  GradientBuckets buckets;
  /// In 16 bits and with batch norms, share of its backward pass that a worker waits for calls of
  /// the all-reduce that it overlaps, for each doubling of its computer's workers.
  Percent batch_norm_wait{0};
  CollectiveCost collective;
  std::map<std::string, std::string> sources;  ///< by key of this struct
  std::vector<std::string> fitted;             ///< keys with fitted numbers
  static void describe(Description<Software>& d);
};

/// The presets in this folder.
std::span<const EmbeddedFile> embedded_software();

/// Loads a stack from `value`: a preset's name, a path, or a map. Throws SpecError.
Software load_software(const Tree& value);

}  // namespace paceline
