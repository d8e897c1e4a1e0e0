// SPDX-License-Identifier: MIT
/// \file
/// A role that requests a delay and a small copy from its backend in turn. It records how late each
/// starts and how late the role sees its completion: the latencies of the queues that strategies
/// use.
#pragma once
#include <vector>

#include "training/runtime/backend.hpp"
#include "training/runtime/buffer_plan.hpp"
#include "training/runtime/observer.hpp"
#include "training/runtime/task.hpp"
#include "training/strategies/plan.hpp"
#include "training/workload/precision.hpp"

namespace paceline {

/// Records when the last operation began and ended.
class ProbeObserver : public Observer {
 public:
  Instant began, ended;
  void span(WorkId, Activity, Instant begin, Instant end) override {
    began = begin;
    ended = end;
  }
  void operation(Stream, const Command&, Instant begin, Instant end) override {
    began = begin;
    ended = end;
  }
};

/// In seconds, one value per round.
struct ProbeResult {
  std::vector<double> start;     ///< from the request to the start of the operation
  std::vector<double> decision;  ///< from its end to the role's next instruction
  std::vector<double> late;      ///< of a delay: its time beyond the requested length
};

/// The buffers of a probe: of a worker weights, a gradient and a landing; of a server a landing for
/// each worker and, in the slots from `workers` on, what each may fetch meanwhile.
BufferPlan probe_buffers(const Plan& plan);

/// Runs `rounds` rounds as role 0, which copies one parameter to role 1.
Task<> probe_role(Backend& backend, const ProbeObserver& observer, Seconds delay, int rounds,
                  ProbeResult& result);

/// Runs `rounds` rounds of one of many workers: two copies to itself and one to `server`, all small
/// and queued at once. Measures the CPU time that threads spend on handing operations on.
Task<> crowd_role(Backend& backend, RoleId me, RoleId server, int rounds);

/// Does nothing: the role of buffers that others copy to.
Task<> idle_role();

}  // namespace paceline
