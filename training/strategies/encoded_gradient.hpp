// SPDX-License-Identifier: MIT
/// \file
/// The places of a gradient's pieces in the buffers that hold it encoded. A piece is the part of a
/// bucket that one shard has, or a whole bucket where there are no shards.
#pragma once
#include <vector>

#include "training/strategies/plan.hpp"

namespace paceline {

class EncodedGradient {
 public:
  explicit EncodedGradient(const Plan& plan);

  struct Piece {
    Slice slice;          ///< of the gradient
    std::int64_t at = 0;  ///< in the worker's encoded gradient, in words
    std::int64_t words = 0;
    /// The piece in the worker's encoded gradient; its bytes are those that travel.
    Slice encoded() const { return {at, at + words, 4.0 * static_cast<double>(words)}; }
  };
  const Piece& piece(std::size_t bucket, int shard = 0) const {
    return pieces_[bucket * shards_ + static_cast<std::size_t>(shard)];
  }
  /// Words of a whole encoded gradient, and of the part that a shard gets.
  std::int64_t words() const { return ends_.back(); }
  std::int64_t words_of(int shard) const { return ends_[index(shard) + 1] - ends_[index(shard)]; }
  /// The pieces of a shard lie together, the same in its landing: by so much later.
  std::int64_t shift_to(const Plan& plan, int shard) const {
    return plan.cut.shards[index(shard)].begin - ends_[index(shard)];
  }

 private:
  static std::size_t index(int shard) { return static_cast<std::size_t>(shard); }

  std::size_t shards_;
  std::vector<Piece> pieces_;       ///< by bucket and shard
  std::vector<std::int64_t> ends_;  ///< of the shards' parts; the first is 0
};

/// Adds the buffers of a worker that encodes its gradient.
void add_encoding_buffers(const Plan& plan, RoleBuffers& worker);

/// Queues the encoding of a piece.
Token queue_encoding(const Plan& plan, Backend& backend, WorkId work,
                     const EncodedGradient::Piece& piece, const After& after);

/// Queues `sum` for each piece that a server gets of a worker.
void queue_decoding(const Plan& plan, Backend& backend, const EncodedGradient& encoded,
                    Command::Decode sum);

}  // namespace paceline
