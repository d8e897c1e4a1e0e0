// SPDX-License-Identifier: MIT
// Sums of gradients, encoded ones among them.
#include "training/learning/buffers.hpp"
#include "training/runtime/assertion.hpp"

namespace paceline {

/// Joins the weight of a gradient that `server` takes up to `factor`.
Held Buffers::weigh(const GradientAge& age, RoleId server, double gradients, Factor& factor) const {
  factor.weight = rule_.weight(age, gradients);
  if (!factor.needs_distance()) return {};
  Held then = snapshot(server, age.worker);
  factor.now = place(server).current->floats();
  factor.then = then->floats();
  return then;
}

Held Buffers::carry_out(const Command::Reduce& reduce, ArrayWork& work) {
  if (reduce.halves) {
    work.add_halves(at(reduce.into, reduce.slice),
                    at(reduce.from, reduce.slice.moved(reduce.shift)));
    return {};
  }
  Factor factor;
  Held held = weigh(reduce.age, reduce.into.role, rule_.per_update, factor);
  work.accumulate(at(reduce.into, reduce.slice), at(reduce.from, reduce.slice.moved(reduce.shift)),
                  factor, reduce.fresh);
  return held;
}

/// The ranks' contributions are added in their order.
Held Buffers::carry_out(const Command::Collective& collective, ArrayWork& work) {
  PACELINE_ASSERT(collective.operation == Operation::all_reduce);
  const Buffer buffer = collective.halves ? Buffer::encoded : Buffer::gradient;
  const auto of = [&](RoleId rank) { return at({rank, buffer}, collective.slice); };
  for (RoleId rank = 1; rank < collective.ranks; ++rank) {
    if (collective.halves) {
      work.add_halves(of(0), of(rank));
    } else {
      work.accumulate(of(0), of(rank), Factor{}, false);
    }
  }
  for (RoleId rank = 1; rank < collective.ranks; ++rank) work.copy(of(rank), of(0));
  return {};
}

Held Buffers::carry_out(const Command::Encode& encode, ArrayWork& work) {
  const std::int64_t words = encode.codec.words(encode.slice.size());
  const BufferRef residual{encode.gradient.role, Buffer::residual};
  work.encode(encode.codec, at(encode.into, {encode.at, encode.at + words, 0}),
              at(encode.gradient, encode.slice),
              encode.codec.feeds_back() ? at(residual, encode.slice) : std::span<float>());
  return {};
}

Held Buffers::carry_out(const Command::Decode& decode, ArrayWork& work) {
  const std::int64_t words = decode.codec.words(decode.slice.size());
  Factor factor;
  Held held = weigh(decode.age, decode.into.role, rule_.per_update, factor);
  work.decode(decode.codec, at(decode.into, decode.slice),
              at(decode.from, {decode.at, decode.at + words, 0}), factor, decode.fresh);
  return held;
}

}  // namespace paceline
