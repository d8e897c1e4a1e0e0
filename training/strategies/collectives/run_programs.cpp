// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/run_programs.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace paceline {
namespace {

/// Steps queued ahead of the last one that has ended: enough to keep all links of a rank busy.
constexpr std::size_t kStepsAhead = 256;

/// A slice in chunks of one size, the last ones shorter or empty, so that consecutive chunks are
/// contiguous in every buffer.
struct Chunks {
  Slice slice;
  std::int64_t size = 0;  ///< parameters of a chunk
  double bytes = 0;       ///< of a chunk
  std::int64_t landing = 0;

  std::int64_t begin(const ChunkPlace& place) const {
    return place.landing ? landing + place.first * size
                         : std::min(slice.begin + place.first * size, slice.end);
  }
  /// The number of parameters in `count` chunks from a place on.
  std::int64_t room(const ChunkPlace& place, std::int32_t count) const {
    return place.landing ? count * size : std::min(count * size, slice.end - begin(place));
  }
};

/// The slices of a call, each with a landing of its own.
std::vector<Chunks> slices_of(const CollectiveCall& call, const RankPrograms& programs) {
  std::vector<Chunks> all;
  std::int64_t begin = call.slice.begin, landing = call.landing;
  for (int i = 0; i < call.slices; ++i) {
    Chunks& one = all.emplace_back();
    const std::int64_t left = call.slice.end - begin;
    one.slice = {begin, begin + (left + call.slices - i - 1) / (call.slices - i),
                 call.slice.bytes / call.slices};
    one.size = (one.slice.size() + programs.parts() - 1) / programs.parts();
    one.bytes = one.slice.bytes / programs.parts();
    one.landing = landing;
    begin = one.slice.end;
    landing += one.size * programs.landings();
  }
  return all;
}

/// A rank that carries out a call.
class Rank {
 public:
  Rank(const CollectiveCall& call, const RankPrograms& programs, Backend& backend, Token ready)
      : call_(call), program_(programs.of(call.rank)), backend_(backend), ready_(ready) {
    backend_.mark(sums(), ready);
    first_ = backend_.mark(push(), ready);
  }

  /// Queues all arrivals of the next slice, in the order in which the other ranks send.
  void begin_slice() {
    arrivals_.clear();
    for (const int from : program_.receives) {
      arrivals_.push_back(backend_.arrival(me(), role(from)));
      last_from_[from] = arrivals_.back();
    }
    steps_.clear();
  }

  Token queue(const ProgramStep& step, const Chunks& chunks) {
    std::vector<Token> after;
    for (const int number : step.after) after.push_back(steps_[static_cast<std::size_t>(number)]);
    for (const int number : step.arrivals)
      after.push_back(arrivals_[static_cast<std::size_t>(number)]);
    const bool sends = step.kind == ProgramStep::Kind::sends;
    steps_.push_back(sends ? send(step, chunks, after) : combine(step, chunks, after));
    return steps_.back();
  }

  Reduced end() {
    Reduced reduced{ready_, ready_};
    for (const auto& [from, arrival] : last_from_) backend_.mark(sums(), arrival);
    reduced.summed = backend_.mark(sums(), ready_);
    for (const auto& [to, last] : last_to_) reduced.sent = backend_.mark(push(), last);
    return reduced;
  }

 private:
  RoleId role(int rank) const {
    return call_.roles.empty() ? rank : call_.roles[static_cast<std::size_t>(rank)];
  }
  RoleId me() const { return role(call_.rank); }
  Stream push() const { return {me(), StreamKind::push}; }
  /// The stream of a rank's own sums and copies, which follow each other.
  Stream sums() const { return {me(), StreamKind::fetch}; }
  BufferRef buffer(RoleId of, const ChunkPlace& place) const {
    return place.landing ? BufferRef{of, Buffer::landing} : BufferRef{of, call_.buffer, call_.slot};
  }
  static Slice slice_of(const ProgramStep& step, const Chunks& chunks, const ChunkPlace& at) {
    const std::int64_t both =
        std::min(chunks.room(step.from, step.count), chunks.room(step.to, step.count));
    const std::int64_t begin = chunks.begin(at);
    return {begin, begin + both, chunks.bytes * step.count};
  }

  /// Joins tokens until there are at most `most`, the number that a command can wait for.
  void join(std::vector<Token>& after, std::size_t most) {
    while (after.size() > most) {
      const Token joined = backend_.mark(sums(), {after[0], after[1], after.back()});
      after.pop_back();
      after.erase(after.begin(), after.begin() + 2);
      after.push_back(joined);
    }
  }

  Token send(const ProgramStep& step, const Chunks& chunks, std::vector<Token>& after) {
    const RoleId to = role(step.peer);
    Command::Copy copy{buffer(me(), step.from), buffer(to, step.to)};
    copy.slice = slice_of(step, chunks, step.from);
    copy.announced = copy.beside = true;
    copy.shift = chunks.begin(step.to) - copy.slice.begin;
    join(after, 2);
    after.resize(2);
    const auto [last, first] = last_to_.try_emplace(to, first_);
    return last->second = backend_.copy(push(), copy, {}, {last->second, after[0], after[1]});
  }

  Token combine(const ProgramStep& step, const Chunks& chunks, std::vector<Token>& after) {
    Command::Reduce sum{buffer(me(), step.to), buffer(me(), step.from)};
    sum.slice = slice_of(step, chunks, step.to);
    sum.shift = chunks.begin(step.from) - sum.slice.begin;
    sum.fresh = step.kind == ProgramStep::Kind::copies;
    sum.halves = call_.codec.adds();
    join(after, 3);
    after.resize(3);
    return backend_.reduce(sums(), sum, {after[0], after[1], after[2]});
  }

  const CollectiveCall& call_;
  const RankProgram& program_;
  Backend& backend_;
  Token ready_;
  /// The first copies wait for this, and so for the copies of the call before: the arrivals from a
  /// rank are counted in the order in which it sends.
  Token first_;
  std::vector<Token> arrivals_, steps_;  ///< of the slice under way
  std::map<RoleId, Token> last_to_;      ///< the last copy to each rank
  std::map<int, Token> last_from_;       ///< the last arrival from each rank
};

}  // namespace

std::int64_t landing_size(const CollectiveCall& call, const RankPrograms& programs) {
  const Chunks last = slices_of(call, programs).back();
  return last.landing + last.size * programs.landings() - call.landing;
}

Task<Reduced> run_programs(CollectiveCall call, const RankPrograms& programs, Backend& backend,
                           Token ready) {
  Rank rank(call, programs, backend, ready);
  const RoleId me =
      call.roles.empty() ? call.rank : call.roles[static_cast<std::size_t>(call.rank)];
  std::vector<Token> ahead(kStepsAhead);
  std::size_t queued = 0;
  const std::vector<Chunks> slices = slices_of(call, programs);
  for (const Chunks& chunks : slices) {
    rank.begin_slice();
    for (const ProgramStep& step : programs.of(call.rank).steps) {
      Token& slot = ahead[queued++ % kStepsAhead];
      const Token earlier = std::exchange(slot, rank.queue(step, chunks));
      co_await backend.finished(me, earlier);
    }
  }
  co_return rank.end();
}

}  // namespace paceline
