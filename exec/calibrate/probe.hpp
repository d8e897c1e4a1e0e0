// SPDX-License-Identifier: MIT
/// \file
/// A role that asks its backend for a delay and a small copy again and again, and notes how late
/// each begins and how late the role learns of its end: the latencies of the very queues that
/// strategies use.
#pragma once
#include <vector>

#include "training/roles/backend.hpp"
#include "training/roles/observer.hpp"
#include "training/roles/task.hpp"

namespace paceline {

/// Buffers hold parameters in fp32, whatever is copied.
inline constexpr double kBytesPerParameter = 4;

/// Notes when the last operation began and ended.
class ProbeObserver : public Observer {
 public:
  Instant began, ended;
  void begun(RoleId, std::int64_t, Instant) override {}
  void span(WorkId, Activity, Instant begin, Instant end) override {
    began = begin;
    ended = end;
  }
  void gradient_computed(WorkId, Instant, double) override {}
  void accepted(RoleId, std::int64_t, std::int64_t, std::int64_t) override {}
  void cancelled(RoleId, std::int64_t, std::int64_t, Instant) override {}
  void updated(RoleId, std::int64_t, Instant) override {}
  void operation(Stream, const Command&, Instant begin, Instant end) override {
    began = begin;
    ended = end;
  }
};

/// Seconds, one value a round.
struct ProbeResult {
  std::vector<double> start;     ///< from asking to the operation's start
  std::vector<double> decision;  ///< from its end to the role going on
  std::vector<double> late;      ///< of a delay, beyond its length
};

/// Runs `rounds` rounds as role 0, which copies one parameter to role 1.
Task<> probe_role(Backend& backend, const ProbeObserver& observer, Seconds delay, int rounds,
                  ProbeResult& result);

/// Runs `rounds` rounds of a worker among many: two copies to itself and one to `server`, all
/// small and queued at once. What is measured is what threads spend on passing them on.
Task<> crowd_role(Backend& backend, RoleId me, RoleId server, int rounds);

/// Is there, and does nothing: others copy to its buffers.
Task<> idle_role();

}  // namespace paceline
