// SPDX-License-Identifier: MIT
#include "training/strategies/encoded_gradient.hpp"

#include <algorithm>

namespace paceline {

EncodedGradient::EncodedGradient(const Plan& plan)
    : shards_(static_cast<std::size_t>(std::max(1, plan.shards))),
      pieces_(plan.cut.buckets.size() * shards_),
      landings_(shards_, 0) {
  for (std::size_t shard = 0; shard < shards_; ++shard) {
    for (std::size_t number = 0; number < plan.cut.buckets.size(); ++number) {
      const Bucket& bucket = plan.cut.buckets[number];
      Piece& piece = pieces_[number * shards_ + shard];
      piece.slice =
          plan.shards > 0 ? overlap_of(bucket.slice, plan.cut.shards[shard]) : bucket.slice;
      if (piece.slice.size() == 0) continue;
      piece.codec = bucket.codec;
      if (piece.codec.width > 0) {
        const std::int64_t before = piece.slice.begin - bucket.slice.begin;
        piece.codec.phase = static_cast<std::int32_t>(before % piece.codec.width);
      }
      piece.words = piece.codec.words(piece.slice.size());
      piece.at = piece.codec ? encoded_ : piece.slice.begin;
      if (piece.codec) encoded_ += piece.words;
      const std::int64_t first = plan.shards > 0 ? plan.cut.shards[shard].begin : 0;
      piece.landed = first + landings_[shard];
      landings_[shard] += piece.words;
    }
  }
}

void add_encoding_buffers(const Plan& plan, RoleBuffers& worker) {
  if (!plan.encodes()) return;
  worker.slots.push_back({Buffer::encoded, 1, EncodedGradient(plan).encoded()});
  if (std::ranges::any_of(plan.cut.buckets,
                          [](const Bucket& bucket) { return bucket.codec.feeds_back(); })) {
    worker.slots.push_back({Buffer::residual});
  }
}

Token queue_encoding(Backend& backend, WorkId work, const EncodedGradient::Piece& piece,
                     const After& after) {
  const RoleId me = work.worker;
  const Command::Encode encode{
      {me, Buffer::encoded}, {me, Buffer::gradient}, piece.slice, piece.at, piece.codec};
  return backend.submit({me, StreamKind::push}, {work, encode}, after);
}

Pushed queue_push(Backend& backend, WorkId work, const EncodedGradient::Piece& piece,
                  const BufferRef& landing, const After& after) {
  const RoleId me = work.worker;
  Command::Copy copy{{me, piece.codec ? Buffer::encoded : Buffer::gradient}, landing, piece.sent()};
  copy.shift = piece.landed - piece.at;
  if (!piece.codec) {
    const Token sent = backend.copy({me, StreamKind::push}, copy, work, after);
    return {sent, sent};
  }
  const Token encoded = queue_encoding(backend, work, piece, after);
  return {encoded, backend.copy({me, StreamKind::push}, copy, work)};
}

void queue_decoding(const Plan& plan, Backend& backend, const EncodedGradient& encoded,
                    Command::Decode sum) {
  const Stream compute{sum.into.role, StreamKind::compute};
  for (std::size_t bucket = 0; bucket < plan.cut.buckets.size(); ++bucket) {
    const EncodedGradient::Piece& piece = encoded.piece(bucket, compute.role - plan.workers);
    if (piece.words == 0) continue;
    if (!piece.codec) {
      Command::Reduce whole{sum.into, sum.from, piece.slice, sum.age, sum.fresh};
      whole.shift = piece.landed - piece.slice.begin;
      backend.reduce(compute, whole);
      continue;
    }
    sum.codec = piece.codec;
    sum.slice = piece.slice;
    sum.at = piece.landed;
    backend.submit(compute, {{}, sum}, {});
  }
}

}  // namespace paceline
