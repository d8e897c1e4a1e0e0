// SPDX-License-Identifier: MIT
/// \file
/// The rows of steps.csv while a run goes on. A worker numbers its mini-batches from 0, one by one,
/// so that a row is found by its place; every span of work looks for one.
#pragma once
#include <cstdint>
#include <vector>

#include "training/results/metrics/measurement.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class StepRows {
 public:
  /// The row of a worker's mini-batch number `step` >= 0, made if it is new.
  StepRow& of(RoleId worker, std::int64_t step) {
    const auto place = static_cast<std::size_t>(worker);
    const auto number = static_cast<std::size_t>(step);
    if (place >= rows_.size()) rows_.resize(place + 1);
    std::vector<StepRow>& own = rows_[place];
    while (own.size() <= number) {
      own.emplace_back().worker = worker;
      own.back().step = static_cast<std::int64_t>(own.size()) - 1;
    }
    return own[number];
  }

  /// Those of mini-batches that were worked on, by worker and step.
  std::vector<StepRow> worked_on() const {
    std::vector<StepRow> all;
    for (const std::vector<StepRow>& own : rows_)
      for (const StepRow& row : own)
        if (row.end_s > 0) all.push_back(row);
    return all;
  }

 private:
  std::vector<std::vector<StepRow>> rows_;  ///< by worker, by step
};

}  // namespace paceline
