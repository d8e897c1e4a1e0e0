// SPDX-License-Identifier: MIT
/// \file
/// The places of a gradient's pieces on their way. A piece is the part of a bucket that one shard
/// has, or a whole bucket where there are no shards. Encoded pieces leave from a buffer of their
/// own; the others from the gradient itself. All land one after another.
#pragma once
#include <vector>

#include "training/strategies/plan.hpp"

namespace paceline {

class EncodedGradient {
 public:
  explicit EncodedGradient(const Plan& plan);

  struct Piece {
    GradientCodec codec;
    Slice slice;              ///< of the gradient
    std::int64_t words = 0;   ///< on the way
    std::int64_t at = 0;      ///< in the buffer that it leaves from
    std::int64_t landed = 0;  ///< in the shard's landing
    /// The piece where it leaves; its bytes are those that travel.
    Slice sent() const { return {at, at + words, 4.0 * static_cast<double>(words)}; }
  };
  const Piece& piece(std::size_t bucket, int shard = 0) const {
    return pieces_[bucket * shards_ + static_cast<std::size_t>(shard)];
  }
  /// Words of a worker's encoded pieces, and of all pieces that a shard gets of one worker.
  std::int64_t encoded() const { return encoded_; }
  std::int64_t landing(int shard) const { return landings_[static_cast<std::size_t>(shard)]; }

 private:
  std::size_t shards_;
  std::vector<Piece> pieces_;           ///< by bucket and shard
  std::vector<std::int64_t> landings_;  ///< by shard
  std::int64_t encoded_ = 0;
};

/// Adds the buffers of a worker that encodes its gradient.
void add_encoding_buffers(const Plan& plan, RoleBuffers& worker);

/// Queues the encoding of a piece.
Token queue_encoding(Backend& backend, WorkId work, const EncodedGradient::Piece& piece,
                     const After& after);

/// Queues a worker's push of a piece, encoded before where it is to be.
struct Pushed {
  Token read;  ///< the gradient may be overwritten
  Token sent;
};
Pushed queue_push(Backend& backend, WorkId work, const EncodedGradient::Piece& piece,
                  const BufferRef& landing, const After& after);

/// Queues `sum` for each piece that a server gets of a worker.
void queue_decoding(const Plan& plan, Backend& backend, const EncodedGradient& encoded,
                    Command::Decode sum);

}  // namespace paceline
