// SPDX-License-Identifier: MIT
/// \file
/// Work other than training a network. A workload brings the buffer that travels, as a
/// network without arithmetic, and the program of its ranks, as an aggregation.
#pragma once
#include <optional>
#include <string>

#include "training/runtime/operation.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {

class WorkloadKind {
 public:
  virtual ~WorkloadKind() = default;
  /// "all-reduce by ring"
  virtual std::string name() const = 0;
  virtual Operation operation() const = 0;
  virtual Network network() const = 0;
  virtual Choice<Aggregation> aggregation() const = 0;
  /// Bytes that an iteration counts as its throughput, on all workers together.
  virtual Bytes size() const = 0;
  /// A log of nccl-tests to compare with; "" if there is none.
  virtual const std::string& log() const = 0;
};

const Family<WorkloadKind>& table_of(const WorkloadKind*);
Variant<WorkloadKind> collective_workload();

}  // namespace paceline
