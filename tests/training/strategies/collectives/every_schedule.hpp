// SPDX-License-Identifier: MIT
/// \file
/// All schedules, each with what it does to the buffers of its ranks.
#pragma once
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/training/strategies/collectives/msccl_all_pairs.hpp"
#include "tests/training/strategies/collectives/msccl_ring.hpp"
#include "training/strategies/collectives/msccl_program.hpp"
#include "training/strategies/collectives/schedule.hpp"
#include "training/strategies/grouping.hpp"

namespace paceline {

/// The parts of a rank's buffer that hold sums (or others' contents) in the end.
enum class Result {
  all_sums,       ///< each rank: the sums of all
  own_sums,       ///< rank r: the sums of part r
  sums_of_first,  ///< rank 0: the sums
  of_first,       ///< each rank: rank 0's contents
  of_owners,      ///< each rank: of part r what rank r had there
  transposed,     ///< rank r: of part s what rank s had in part r, in its landing
};

struct ScheduleCase {
  std::string name;
  std::function<SharedSchedule(int ranks)> make;
  Result result = Result::all_sums;
  bool to_every_rank = false;  ///< of an all-reduce: each rank sends all it has to each other

  /// How often all ranks together send the whole slice.
  double slices_sent(int ranks) const {
    if (to_every_rank) return static_cast<double>(ranks) * (ranks - 1);
    return result == Result::all_sums ? 2.0 * (ranks - 1) : ranks - 1;
  }
};

inline void PrintTo(const ScheduleCase& one, std::ostream* out) {
  *out << one.name;
}

inline int divisor_near(int ranks, int columns) {
  while (ranks % columns != 0) --columns;
  return columns;
}

/// Ranks dealt to the groups in turn, as `gpus: by-round` deals workers to computers.
inline Grouping dealt(int ranks, int groups) {
  std::vector<int> group_of;
  for (int rank = 0; rank < ranks; ++rank) group_of.push_back(rank % groups);
  return Grouping(group_of);
}

/// Groups of 1, 2, 3, .. ranks, the last of what is left; ranks of all are mixed.
inline Grouping unlike(int ranks) {
  std::vector<int> group_of(static_cast<std::size_t>(ranks));
  for (int place = 0, group = 0, begin = 0; place < ranks; ++place) {
    if (place > begin + group) begin = place, ++group;
    // 7 and the numbers of ranks tried have no divisor in common, but for 7 and 14
    const int rank = ranks % 7 == 0 ? ranks - 1 - place : place * 7 % ranks;
    group_of[static_cast<std::size_t>(rank)] = group;
  }
  return Grouping(group_of);
}

inline std::vector<ScheduleCase> every_all_reduce() {
  return {
      {"ring", ring},
      {"halving_doubling", halving_doubling},
      {"double_binary_tree", double_binary_tree},
      {"hierarchical_of_2",
       [](int ranks) { return hierarchical(Grouping::consecutive(ranks, 2), ring); }},
      {"hierarchical_of_3",
       [](int ranks) { return hierarchical(Grouping::consecutive(ranks, 3), halving_doubling); }},
      {"hierarchical_of_8",
       [](int ranks) { return hierarchical(Grouping::consecutive(ranks, 8), halving_doubling); }},
      {"hierarchical_by_round", [](int ranks) { return hierarchical(dealt(ranks, 3), ring); }},
      {"hierarchical_of_unlike",
       [](int ranks) { return hierarchical(unlike(ranks), halving_doubling); }},
      {"peer_to_peer", peer_to_peer, Result::all_sums, true},
      {"msccl_ring",
       [](int ranks) {
         return ranks == 1 ? ring(1) : read_msccl_program("", msccl_ring(ranks)).schedule;
       }},
      {"msccl_all_pairs",
       [](int ranks) {
         return ranks == 1 ? ring(1) : read_msccl_program("", msccl_all_pairs(ranks)).schedule;
       }},
      {"torus_of_2", [](int ranks) { return torus(ranks, divisor_near(ranks, 2)); }},
      {"torus_of_4", [](int ranks) { return torus(ranks, divisor_near(ranks, 4)); }},
      {"torus_by_round",
       [](int ranks) {
         const int columns = divisor_near(ranks, 3);
         return torus(ranks, columns, dealt(ranks, ranks / columns).order());
       }},
  };
}

inline std::vector<ScheduleCase> every_schedule() {
  std::vector<ScheduleCase> all = every_all_reduce();
  all.push_back({"ring_reduce_scatter", [](int ranks) { return ring_reduce_scatter(ranks, 0); },
                 Result::own_sums});
  all.push_back(
      {"ring_all_gather", [](int ranks) { return ring_all_gather(ranks, 0); }, Result::of_owners});
  all.push_back({"binomial_reduce", binomial_reduce, Result::sums_of_first});
  all.push_back({"binomial_broadcast", binomial_broadcast, Result::of_first});
  all.push_back({"pairwise_all_to_all", pairwise_all_to_all, Result::transposed});
  return all;
}

/// Ranks 1 to 17, and 64.
inline std::vector<int> every_number_of_ranks() {
  std::vector<int> all;
  for (int ranks = 1; ranks <= 17; ++ranks) all.push_back(ranks);
  all.push_back(64);
  return all;
}

}  // namespace paceline
