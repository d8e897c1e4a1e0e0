// SPDX-License-Identifier: MIT
#include "sim/devices/ahead_calls.hpp"

#include <utility>

#include "sim/devices/collective_library.hpp"

namespace paceline {

AheadCalls::AheadCalls(const CollectiveSchedule& schedule, const ScheduleCosts& costs,
                       const std::vector<bool>& disturbed, const DeviceContext& context,
                       Paths& paths)
    : of_(schedule),
      schedule_(schedule, costs, disturbed),
      context_(context),
      paths_(paths),
      ends_with_sum_(schedule.uniform(schedule.steps() - 1)->arrival == Arrival::adds),
      ranks_(disturbed.size()) {}

void AheadCalls::begin(OpIndex op, int rank, double bytes) {
  Rank& mine = at(rank);
  mine.op = op;
  const auto place = static_cast<std::size_t>(mine.calls++ - first_call_);
  while (calls_.size() <= place) {
    if (spare_.empty()) spare_.push_back(std::make_unique<GradualCall>(schedule_, *this));
    calls_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    calls_.back()->begin(bytes);
    copies_ += ranks_.size() * schedule_.kind_of.size();
  }
  mine.call = calls_[place].get();
  mine.call->come(rank, context_.time.now().ps);
  while (!calls_.empty() && calls_.front()->is_over()) {
    spare_.push_back(std::move(calls_.front()));
    calls_.pop_front();
    ++first_call_;
  }
}

void AheadCalls::push(What what, int rank, std::int64_t at_ps) {
  const auto subject = static_cast<std::uint32_t>(rank) << 2U | static_cast<std::uint32_t>(what);
  context_.time.push(EventKind::collective_start, at_ps, subject);
}

void AheadCalls::send_begins(int rank, int to, double bytes, std::int64_t at_ps) {
  at(rank).to = to;
  at(rank).bytes = bytes;
  push(What::copy_begins, rank, at_ps);
}

void AheadCalls::copy_begins(RoleId rank) {
  Rank& mine = at(rank);
  mine.path = &paths_.between(rank, mine.to);
  push(What::flow_begins, rank, context_.time.in_ps(mine.path->latency_ps));
}

void AheadCalls::flow_begins(RoleId rank) {
  const Rank& mine = at(rank);
  const auto payload = CollectiveLibrary::kFirstFlow | static_cast<std::uint32_t>(rank);
  context_.network.start(mine.path->route, mine.bytes * mine.path->per_byte, context_.time.now().ps,
                         context_.time.flow(payload));
}

void AheadCalls::flow_ended(RoleId rank) {
  at(rank).call->note_sent(rank, context_.time.now().ps);
}

void AheadCalls::last_sent(int rank, std::int64_t at_ps) {
  push(ends_with_sum_ ? What::other_end : What::stream_is_free, rank, at_ps);
}

void AheadCalls::summed(int rank, std::int64_t at_ps) {
  push(ends_with_sum_ ? What::stream_is_free : What::other_end, rank, at_ps);
}

}  // namespace paceline
