// SPDX-License-Identifier: MIT
/// \file
/// A collective as data: for every rank of a group the parts of a slice that it sends and receives,
/// step by step. A schedule is a pure function of its ranks; run_schedule.hpp carries out any of
/// them on any clock.
///
/// **Steps are common.** A rank's partner receives in the same step in which the rank sends. In a
/// step a rank sends to one rank at most and receives from one at most, and it sends before it
/// receives. It begins a step once it has carried out its earlier ones, and sends a part once all
/// that it received before has come.
///
/// **Parts.** A slice is cut into `parts()` parts of equal size, to a parameter. A part to be added
/// on arrival lands in a buffer of its own, at one of `landings()` places of a part's size; no two
/// arrivals use the same place, so that a sender never waits until its partner has read an earlier
/// one. A part that replaces arrives in place, after the rank has sent away its own.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "training/runtime/operation.hpp"

namespace paceline {

/// Parts [first, last) of a slice.
struct Parts {
  std::int32_t first = 0;
  std::int32_t last = 0;
  friend bool operator==(const Parts&, const Parts&) = default;
};

enum class Arrival : std::uint8_t {
  replaces,  ///< in place
  adds,      ///< lands, and is then added to what the rank has
  stays,     ///< lands, and stays there
  is_added,  ///< nothing arrives: what has landed earlier is added
};

/// A rank in one step.
struct ScheduleStep {
  int to = -1;  ///< rank; -1: it sends nothing
  Parts out;
  int from = -1;  ///< rank; -1: it receives nothing
  Parts in;
  Arrival arrival = Arrival::replaces;
  std::int32_t landing = 0;  ///< first place where `in` lands
};

/// A step in which all ranks do the same.
struct UniformStep {
  int shift = 0;  ///< rank r sends to rank r + shift, modulo the ranks
  int parts = 0;  ///< that each rank sends
  Arrival arrival = Arrival::replaces;
  friend bool operator==(const UniformStep&, const UniformStep&) = default;
};

class Phases;
class RankPrograms;

class CollectiveSchedule {
 public:
  virtual ~CollectiveSchedule() = default;
  virtual int ranks() const = 0;
  virtual std::int32_t parts() const = 0;
  virtual std::int32_t landings() const { return 0; }
  /// Whether a rank may end before another has added what it sent, and then begin the next
  /// collective: two that follow each other need landings of their own.
  virtual bool overtakes() const { return false; }
  /// Whether a rank's copies to different ranks run beside each other, each as soon as it may; else
  /// a rank sends one after the other.
  virtual bool side_by_side() const { return false; }
  virtual int steps() const = 0;
  /// \param slice the number of the slice: a schedule may treat odd ones otherwise
  virtual ScheduleStep at(int rank, int step, int slice) const = 0;
  /// The step of all ranks at once, if they do the same in it.
  virtual std::optional<UniformStep> uniform(int /*step*/) const { return std::nullopt; }
  /// The schedule as phases of teams (phases.hpp); null where it is none.
  virtual const Phases* phases() const { return nullptr; }
  /// The programs of ranks that have no steps in common (rank_programs.hpp); null where they have.
  virtual const RankPrograms* programs() const { return nullptr; }
};

using SharedSchedule = std::shared_ptr<const CollectiveSchedule>;
/// Ranks by place.
using SharedOrder = std::shared_ptr<const std::vector<int>>;

class Grouping;

/// Each part travels around a ring: P - 1 steps of 1/P of the slice. Patarasuk & Yuan 2009.
/// \param owned rank r has the sum (or begins with its own contents) of part r + owned
SharedSchedule ring_reduce_scatter(int ranks, int owned);
SharedSchedule ring_all_gather(int ranks, int owned);
SharedSchedule ring(int ranks);  ///< all-reduce: both, 2(P - 1) steps

/// All-reduce: reduce-scatter by halving, all-gather by doubling, 2 log2 P steps, and two more
/// where P is no power of two. Thakur, Rabenseifner & Gropp 2005.
SharedSchedule halving_doubling(int ranks);

/// To and from rank 0 along a binomial tree: ceil(log2 P) steps of the whole slice.
SharedSchedule binomial_reduce(int ranks);
SharedSchedule binomial_broadcast(int ranks);

/// All-reduce along two binary trees, even slices along one and odd slices along the other; the
/// leaves of one are inner nodes of the other. Sanders, Speck & Traeff 2009.
SharedSchedule double_binary_tree(int ranks);
/// The parent of a rank in each of the two trees; -1 at a root.
std::array<int, 2> double_tree_parents(int rank, int ranks);

/// All-reduce: reduce to the first rank of each group, all-reduce among those, broadcast.
/// \param among makes the schedule of the first ranks
SharedSchedule hierarchical(const Grouping& groups, SharedSchedule (*among)(int ranks));

/// All-reduce on a torus of rows of `columns` ranks: reduce-scatter in rows, all-reduce in columns,
/// all-gather in rows, all by rings. Mikami et al. 2018. Requires ranks divisible by columns.
/// \param order the ranks, row by row; null: rank r is at place r
SharedSchedule torus(int ranks, int columns, const SharedOrder& order = nullptr);

/// All-reduce: each rank sends all it has to every other, P - 1 steps of the whole slice, and adds
/// what has come once it has sent.
SharedSchedule peer_to_peer(int ranks);

/// Part d of each rank r goes to rank d, where it stays at place r of the landing: P - 1 steps of
/// 1/P of the slice.
SharedSchedule pairwise_all_to_all(int ranks);

/// No rank goes on before all have come: ceil(log2 P) steps without data.
SharedSchedule barrier(int ranks);

/// All-reduce, reduce-scatter, all-gather: ring; broadcast, reduce: binomial tree from and to rank
/// 0; all-to-all: pairwise.
SharedSchedule usual_schedule(Operation operation, int ranks);

}  // namespace paceline
