// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/run_schedule.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "training/strategies/collectives/run_programs.hpp"

namespace paceline {
namespace {

// Steps queued ahead of the current one: enough to keep links busy, few enough that 1000 ranks with
// thousands of steps fit in memory. More where copies run side by side, which need several at once.
constexpr std::size_t kStepsAhead = 4;
constexpr std::size_t kStepsAheadBeside = 16;

/// A slice in parts: the first have one parameter more than the others. Without a division for
/// each part: there are many.
struct Cutting {
  Slice slice;
  std::int64_t quotient = 0, remainder = 0;  ///< of the parameters by the parts
  double bytes = 0;                          ///< of a part

  Cutting() = default;
  Cutting(const Slice& whole, std::int64_t parts)
      : slice(whole),
        quotient(whole.size() / parts),
        remainder(whole.size() % parts),
        bytes(whole.bytes / static_cast<double>(parts)) {}
  std::int64_t begin(std::int64_t part) const {
    return slice.begin + part * quotient + std::min(part, remainder);
  }
  /// Parameters of the largest part, and of a place of the landing.
  std::int64_t largest() const { return quotient + (remainder > 0 ? 1 : 0); }
  Slice parts(const Parts& range) const {
    return {begin(range.first), begin(range.last), bytes * (range.last - range.first)};
  }
};

/// One slice on its way through the schedule.
struct Way {
  Cutting cutting;
  std::int64_t landing = 0;  ///< where its share of the landing begins
  Token last;                ///< its last sum or arrival; first: the rank's part is ready
  bool unread = false;       ///< no operation of the push stream waits for `last` yet
  Token replaced;            ///< all arrivals before `last` have come
};

/// A rank that carries out a call.
class Rank {
 public:
  Rank(const CollectiveCall& call, Backend& backend, Token ready)
      : call_(call), backend_(backend), schedule_(*call.schedule), reduced_{ready, ready} {
    const Cutting slices(call.slice, call.slices);
    std::int64_t landing = call.landing;
    for (int i = 0; i < call.slices; ++i) {
      Way& way = ways_.emplace_back();
      way.cutting = Cutting(slices.parts({i, i + 1}), schedule_.parts());
      way.landing = landing;
      way.last = ready;
      way.unread = true;
      landing += way.cutting.largest() * schedule_.landings();
    }
    if (schedule_.side_by_side()) first_ = backend_.mark(push(), ready);
  }

  /// Queues one step of a slice. False where the rank has nothing to do in it.
  bool queue(int step, int number) {
    Way& way = ways_[static_cast<std::size_t>(number)];
    const ScheduleStep mine = schedule_.at(call_.rank, step, number);
    if (mine.to >= 0) send(way, mine, schedule_.at(mine.to, step, number));
    if (mine.from >= 0) {
      receive(way, mine);
    } else if (mine.arrival == Arrival::is_added) {
      way.last = combine(way, mine, way.last);
    } else {
      return mine.to >= 0;
    }
    return true;
  }

  Token sent() const { return reduced_.sent; }

  /// The result is there once the last of every slice is.
  Reduced end() {
    for (const auto& [to, last] : ways_to_) reduced_.sent = backend_.mark(push(), last);
    reduced_.summed = ways_.front().last;
    if (ways_.size() == 1) return reduced_;
    for (Way& way : ways_) await_unread(way);
    return {reduced_.sent, reduced_.sent};
  }

 private:
  RoleId role(int rank) const {
    return call_.roles.empty() ? rank : call_.roles[static_cast<std::size_t>(rank)];
  }
  RoleId me() const { return role(call_.rank); }
  Stream push() const { return {me(), StreamKind::push}; }
  /// Sums of one slice must not keep the copies of another waiting.
  Stream sums() const { return {me(), call_.slices > 1 ? StreamKind::fetch : StreamKind::push}; }
  std::int64_t place(const Way& way, std::int32_t landing) const {
    return way.landing + way.cutting.largest() * landing;
  }

  void send(Way& way, const ScheduleStep& mine, const ScheduleStep& partner) {
    const RoleId to = role(mine.to);
    const Slice out = way.cutting.parts(mine.out);
    Command::Copy copy{{me(), call_.buffer, call_.slot}, {to, call_.buffer, call_.slot}, out, true};
    if (partner.arrival == Arrival::replaces) {
      copy.shift = way.cutting.begin(partner.in.first) - out.begin;
    } else {
      copy.to = {to, Buffer::landing};
      copy.shift = place(way, partner.landing) - out.begin;
    }
    if (schedule_.side_by_side()) {
      copy.beside = true;
      Token& before = ways_to_.try_emplace(to, first_).first->second;
      before = reduced_.sent = backend_.copy(push(), copy, {}, {way.last, way.replaced, before});
      return;
    }
    reduced_.sent = backend_.copy(push(), copy, {}, way.last);
    way.unread = false;
  }

  void receive(Way& way, const ScheduleStep& mine) {
    const Token arrived = backend_.arrival(me(), role(mine.from));
    if (mine.arrival == Arrival::adds) {
      way.last = combine(way, mine, arrived);
      return;
    }
    await_unread(way);
    way.last = arrived;
    way.unread = true;
  }

  /// Adds what has landed.
  Token combine(Way& way, const ScheduleStep& mine, Token arrived) {
    const Slice in = way.cutting.parts(mine.in);
    if (call_.codec && !call_.codec.adds()) return decode(way, mine, arrived);
    Command::Reduce sum{{me(), call_.buffer, call_.slot}, {me(), Buffer::landing}, in};
    sum.shift = place(way, mine.landing) - in.begin;
    sum.halves = call_.codec.adds();
    // what is added late changes what was sent before, on the same stream
    const Stream stream = mine.arrival == Arrival::adds ? sums() : push();
    if (stream.kind != StreamKind::push) {
      way.unread = true;
      return backend_.reduce(stream, sum, {arrived, way.last, way.replaced});
    }
    const Token before = std::exchange(way.unread, false) ? way.last : Token{};
    return backend_.reduce(stream, sum, {arrived, before});
  }

  /// The same of what cannot be added as it is: the slice travels as a whole.
  Token decode(Way& way, const ScheduleStep& mine, Token arrived) {
    Command::Decode sum{{me(), Buffer::gradient}, {me(), Buffer::landing}, call_.decoded};
    sum.at = place(way, mine.landing);
    sum.codec = call_.codec;
    way.unread = false;
    return backend_.submit(push(), {{}, sum}, {arrived, way.last});
  }

  /// Makes the stream wait for an arrival for which nothing waits yet.
  void await_unread(Way& way) {
    if (way.unread && !backend_.complete(way.last)) {
      reduced_.sent = backend_.mark(push(), {way.last, reduced_.sent});
      way.replaced = reduced_.sent;
    }
    way.unread = false;
  }

  const CollectiveCall& call_;
  Backend& backend_;
  const CollectiveSchedule& schedule_;
  std::vector<Way> ways_;
  /// The first copies side by side wait for this, and so for the copies of the call before: the
  /// arrivals from a rank are counted in the order in which it sends.
  Token first_;
  std::map<RoleId, Token> ways_to_;  ///< of copies side by side: the last to each rank
  Reduced reduced_;
};

}  // namespace

std::int64_t landing_size(const CollectiveCall& call) {
  if (const RankPrograms* programs = call.schedule->programs())
    return landing_size(call, *programs);
  const Cutting slices(call.slice, call.slices);
  std::int64_t size = 0;
  for (int i = 0; i < call.slices; ++i) {
    const Cutting slice(slices.parts({i, i + 1}), call.schedule->parts());
    size += slice.largest() * call.schedule->landings();
  }
  return size;
}

Task<Reduced> run_schedule(CollectiveCall call, Backend& backend, Token ready) {
  if (const auto done = backend.whole_call(call, ready)) co_return *done;
  if (const RankPrograms* programs = call.schedule->programs()) {
    const Task<Reduced> all = run_programs(call, *programs, backend, ready);
    const Reduced reduced = co_await all;
    co_return reduced;
  }
  Rank rank(call, backend, ready);
  const RoleId me =
      call.roles.empty() ? call.rank : call.roles[static_cast<std::size_t>(call.rank)];
  std::array<Token, kStepsAheadBeside> ahead{};
  const std::size_t most = call.schedule->side_by_side() ? kStepsAheadBeside : kStepsAhead;
  std::size_t queued = 0;
  const int steps = call.schedule->steps();
  for (int time = 0; time < steps + call.slices - 1; ++time) {
    for (int slice = std::max(0, time - steps + 1); slice < call.slices && slice <= time; ++slice) {
      if (!rank.queue(time - slice, slice)) continue;
      Token& slot = ahead[queued++ % most];
      const Token earlier = slot;
      slot = rank.sent();
      co_await backend.finished(me, earlier);
    }
  }
  co_return rank.end();
}

}  // namespace paceline
