// SPDX-License-Identifier: MIT
/// \file
/// A collective that a real machine carries out once, for every schedule and number of ranks: the
/// point, the program of a rank, and the check of the floats that the ranks end with.
#pragma once
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "exec/machine/execution_plan.hpp"
#include "tests/training/strategies/collectives/contributions.hpp"
#include "training/experiment/setting.hpp"
#include "training/learning/buffers.hpp"
#include "training/strategies/collectives/repeat_collective.hpp"

namespace paceline {

/// A schedule with a number of ranks and of parameters.
class ConformingCollective {
 public:
  /// \param more lines of YAML
  ConformingCollective(const ScheduleCase& one, int ranks, std::int64_t size,
                       const std::string& more = "")
      : result_(one.result),
        size_(size),
        file_(load_experiment_text(
            "collective.yaml",
            "name: collective\nmachine: this\nsteps: 1\nwarmup: 0\nworkers: " +
                std::to_string(ranks) +
                "\nworkload: {kind: collective, size: " + std::to_string(4 * size) + " B}\n" + more,
            {})),
        setting_(make_setting(file_.points.front())),
        plan_(plan_of_execution(setting_, 0, nullptr)) {
    plan_.schedule = one.make(ranks);  // of any operation, not only that of the file
  }

  const Setting& setting() const { return setting_; }
  const Plan& plan() const { return plan_; }
  int ranks() const { return plan_.workers; }

  std::vector<float> before(int rank) const {
    std::vector<float> floats(static_cast<std::size_t>(size_));
    for (std::int64_t i = 0; i < size_; ++i) {
      floats[static_cast<std::size_t>(i)] = contribution(rank, i);
    }
    return floats;
  }
  Task<> program(Backend& backend, RoleId me) const {
    const Task<Reduced> exchange = run_schedule(whole_call(plan_, me, 1), backend, {});
    const Reduced reduced = co_await exchange;
    co_await backend.finished(me, reduced.summed);
    co_await backend.finished(me, reduced.sent);
  }
  /// \param floats `floats(where)` are those of a span of the machine's memory
  template <class Floats>
  void expect_right(Buffers& buffers, const Floats& floats) const {
    const std::vector<float> sums = sums_of_contributions(ranks(), size_);
    const std::int64_t landing = landing_size(whole_call(plan_, 0, 1));
    for (int rank = 0; rank < ranks(); ++rank) {
      std::vector<float> have = floats(buffers.gradient(rank));
      if (result_ == Result::transposed)
        have = with_landed(*plan_.schedule, rank, have,
                           floats(buffers.open({rank, Buffer::landing}, {0, landing, 0})));
      EXPECT_EQ(first_wrong(*plan_.schedule, result_, rank, have, sums), -1)
          << "of " << size_ << " parameters, on rank " << rank;
    }
  }

 private:
  Result result_;
  std::int64_t size_;
  ExperimentFile file_;
  Setting setting_;
  Plan plan_;
};

using ScheduleOfRanks = std::tuple<ScheduleCase, int>;

inline auto every_schedule_of_ranks() {
  return testing::Combine(testing::ValuesIn(every_schedule()),
                          testing::ValuesIn(every_number_of_ranks()));
}

inline std::string schedule_of_ranks_name(const testing::TestParamInfo<ScheduleOfRanks>& one) {
  return std::get<0>(one.param).name + "_of_" + std::to_string(std::get<1>(one.param));
}

}  // namespace paceline
