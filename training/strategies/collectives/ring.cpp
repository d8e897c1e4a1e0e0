// SPDX-License-Identifier: MIT
// Ring all-reduce (Patarasuk & Yuan 2009), P ranks, n bytes:
//   1. reduce-scatter: in step s = 0..P-2 rank r sends chunk r-s to r+1, which adds it to its own;
//      after P-1 steps rank r holds the whole sum of chunk r+1.
//   2. all-gather: in step s = 0..P-2 rank r sends chunk r+1-s on; r+1 takes it as it is.
// Steps: 2(P-1). Bytes sent per rank: 2(P-1)/P n. Each chunk has its own part of the neighbour's
// landing buffer, so a rank never waits until its neighbour has read an earlier chunk.
#include <array>

#include "training/strategies/collectives/all_reduce.hpp"

namespace paceline {
namespace {

// Steps queued ahead of the current one: enough to keep links busy, few enough that 1000 ranks with
// thousands of steps fit in memory.
constexpr std::size_t kStepsAhead = 4;

Slice chunk_of(const Slice& slice, int chunk, int chunks) {
  return {slice.begin + slice.size() * chunk / chunks,
          slice.begin + slice.size() * (chunk + 1) / chunks, slice.bytes / chunks};
}

class Ring final : public AllReduce {
 public:
  Task<Reduced> reduce(const Plan& plan, Backend& backend, RoleId me, Slice slice,
                       Token ready) const override {
    const int ranks = plan.workers;
    Reduced reduced{ready, ready};
    if (ranks == 1) co_return reduced;
    const RoleId next = (me + 1) % ranks;
    const RoleId previous = (me + ranks - 1) % ranks;
    const Stream push{me, StreamKind::push};
    std::array<Token, kStepsAhead> ahead{};
    for (int step = 0; step < 2 * (ranks - 1); ++step) {
      const bool scatter = step < ranks - 1;
      const int turn = scatter ? step : step - ranks;  // all-gather starts with chunk me + 1
      const int out = ((me - turn) % ranks + ranks) % ranks;
      const Slice chunk = chunk_of(slice, out, ranks);
      const Buffer target = scatter ? Buffer::landing : Buffer::gradient;
      reduced.sent = backend.copy(push, {{me, Buffer::gradient}, {next, target}, chunk, me}, {},
                                  reduced.summed);
      reduced.summed = backend.arrival(previous);
      if (scatter) {
        const Slice in = chunk_of(slice, (out + ranks - 1) % ranks, ranks);
        reduced.summed = backend.reduce(push, {{me, Buffer::gradient}, {me, Buffer::landing}, in},
                                        reduced.summed);
      }
      Token& slot = ahead[static_cast<std::size_t>(step) % kStepsAhead];
      const Token earlier = slot;
      slot = reduced.sent;
      co_await backend.finished(me, earlier);
    }
    co_return reduced;
  }
  std::int32_t landings() const override { return 1; }
  static void describe(Description<Ring>&) {}
};

}  // namespace

Variant<AllReduce> ring_all_reduce() {
  return variant<Ring, AllReduce>("ring", "chunks travel around a ring, 2(P-1) steps");
}

}  // namespace paceline
