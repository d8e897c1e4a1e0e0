// SPDX-License-Identifier: MIT
#include "training/strategies/worker_death.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "experiments/language/counted.hpp"
#include "experiments/language/value.hpp"

namespace paceline {
namespace {

// Far more than a run that learns has between two updates: where a mini-batch takes five mean
// lives, one in 150 is finished.
constexpr std::int64_t kMostDeaths = 10'000;
constexpr std::int64_t kMostDeathsPerWorker = 100;

}  // namespace

void DeathToll::note_death(const Plan& plan, const Backend& backend, std::int64_t updates) {
  const std::int64_t most = std::max(kMostDeaths, kMostDeathsPerWorker * plan.workers);
  if (++in_a_row_ < most) return;
  throw std::runtime_error(
      "no update in the last " + std::to_string(most) + " failures of workers (" +
      counted(updates, "update") + " made in " + print_number((backend.now() - Instant{}).value()) +
      " s): workers fail before they finish a mini-batch (raise stragglers.failures.every, or take "
      "a smaller batch)");
}

void report_lost(const Plan& plan, const Backend& backend, std::int64_t first, WorkId last,
                 std::int64_t version) {
  if (plan.observer == nullptr) return;
  for (std::int64_t step = first; step <= last.step; ++step) {
    plan.observer->cancelled(last.worker, step, version, backend.now());
  }
}

Life::Life(const Plan& plan, Backend& backend, RoleId me)
    : plan_(plan), backend_(backend), me_(me) {
  start_lifetime();
}

void Life::start_lifetime() {
  if (!plan_.mortality.lifetime) return;
  // a stream of its own: no other work of a worker's place waits behind it
  lifetime_ = backend_.delay({me_, StreamKind::input}, plan_.mortality.lifetime(me_, ordinal_), {});
  backend_.send(me_, MortalKinds<>::make(me_, LifetimeOver{ordinal_}), lifetime_);
}

void Life::end(std::int64_t step, bool under_way, std::int64_t version) {
  alive_ = false;
  died_at_ = backend_.now();
  last_step_of_dead_ = step;
  backend_.kill({me_, step});
  if (plan_.observer != nullptr) plan_.observer->died(me_, died_at_);
  backend_.send(plan_.server(0), MortalKinds<>::make(me_, Died{under_way ? step : -1, version}));
  if (!plan_.mortality.restart) return;
  const Back back{me_, static_cast<std::uint16_t>(ordinal_ + 1)};
  // behind no copy: one may be under way, and a push of downpour outlives its replica. Where the
  // arithmetic failed, the lifetime still runs in its stream
  const StreamKind free = backend_.complete(lifetime_) ? StreamKind::input : StreamKind::push;
  backend_.send(me_, MortalKinds<>::make(me_, back),
                backend_.delay({me_, free}, *plan_.mortality.restart, {}));
}

void Life::begin_anew(const Back& back) {
  alive_ = true;
  ordinal_ = back.life;
  if (plan_.observer != nullptr) {
    plan_.observer->span({me_, -1}, Activity::wait, died_at_, backend_.now());
  }
  start_lifetime();
  backend_.send(plan_.server(0), MortalKinds<>::make(me_, back));
}

}  // namespace paceline
