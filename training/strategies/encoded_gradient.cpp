// SPDX-License-Identifier: MIT
#include "training/strategies/encoded_gradient.hpp"

#include <algorithm>

namespace paceline {

EncodedGradient::EncodedGradient(const Plan& plan)
    : shards_(static_cast<std::size_t>(std::max(1, plan.shards))),
      pieces_(plan.cut.buckets.size() * shards_),
      ends_{0} {
  std::int64_t at = 0;
  for (std::size_t shard = 0; shard < shards_; ++shard) {
    for (std::size_t bucket = 0; bucket < plan.cut.buckets.size(); ++bucket) {
      const Slice& whole = plan.cut.buckets[bucket].slice;
      Piece& piece = pieces_[bucket * shards_ + shard];
      piece.slice = plan.shards > 0 ? overlap_of(whole, plan.cut.shards[shard]) : whole;
      piece.at = at;
      piece.words = piece.slice.size() > 0 ? plan.codec.words(piece.slice.size()) : 0;
      at += piece.words;
    }
    ends_.push_back(at);
  }
}

void add_encoding_buffers(const Plan& plan, RoleBuffers& worker) {
  if (!plan.codec) return;
  worker.slots.push_back({Buffer::encoded, 1, EncodedGradient(plan).words()});
  if (plan.codec.feeds_back()) worker.slots.push_back({Buffer::residual});
}

Token queue_encoding(const Plan& plan, Backend& backend, WorkId work,
                     const EncodedGradient::Piece& piece, const After& after) {
  const RoleId me = work.worker;
  const Command::Encode encode{
      {me, Buffer::encoded}, {me, Buffer::gradient}, piece.slice, piece.at, plan.codec};
  return backend.submit({me, StreamKind::push}, {work, encode}, after);
}

void queue_decoding(const Plan& plan, Backend& backend, const EncodedGradient& encoded,
                    Command::Decode sum) {
  const RoleId server = sum.into.role;
  const int shard = server - plan.workers;
  sum.codec = plan.codec;
  for (std::size_t bucket = 0; bucket < plan.cut.buckets.size(); ++bucket) {
    const EncodedGradient::Piece& piece = encoded.piece(bucket, shard);
    if (piece.words == 0) continue;
    sum.slice = piece.slice;
    sum.at = piece.at + encoded.shift_to(plan, shard);
    backend.submit({server, StreamKind::compute}, {{}, sum}, {});
  }
}

}  // namespace paceline
