// SPDX-License-Identifier: MIT
#include "exec/machine/execution_plan.hpp"

#include <memory>
#include <vector>

#include "training/runtime/observers.hpp"

namespace paceline {
namespace {

/// How long each worker's arithmetic of its last whole mini-batch took.
class ArithmeticWatch final : public Observer {
 public:
  explicit ArithmeticWatch(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  void span(WorkId work, Activity activity, Instant begin, Instant end) override {
    if (activity != Activity::compute || work.step < 0) return;
    Worker& worker = workers_[static_cast<std::size_t>(work.worker)];
    if (worker.step != work.step) worker.under_way = {};
    worker.step = work.step;
    worker.under_way += end - begin;
  }
  void gradient_computed(WorkId work, Instant, double) override {
    Worker& worker = workers_[static_cast<std::size_t>(work.worker)];
    worker.last = worker.under_way;
  }
  Seconds last(RoleId worker) const { return workers_[static_cast<std::size_t>(worker)].last; }

 private:
  struct Worker {
    std::int64_t step = -1;
    Seconds under_way;
    Seconds last;
  };
  std::vector<Worker> workers_;
};

/// A watch, and the repeat's observer beside it.
struct Watched {
  Watched(int workers, Observer* observer) : watch(workers), both({observer, &watch}) {}
  ArithmeticWatch watch;
  Observers both;
};

}  // namespace

Plan plan_of_execution(const Setting& setting, std::uint32_t repeat, Observer* observer) {
  if (!setting.point->experiment.stragglers.need_arithmetic()) {
    return setting.plan_of(repeat, observer, [](RoleId, std::int64_t) { return Seconds{}; });
  }
  const auto watched = std::make_shared<Watched>(setting.plan.workers, observer);
  return setting.plan_of(repeat, &watched->both, [watched](RoleId worker, std::int64_t /*step*/) {
    return watched->watch.last(worker);
  });
}

}  // namespace paceline
