// SPDX-License-Identifier: MIT
/// \file
/// The commands of a role to a machine, as plain data: work on a layer range, a delay, a copy, a
/// sum, an update. A backend, simulated or real, gives each its meaning and its time.
#pragma once
#include <cstdint>

#include "training/runtime/gradient_codec.hpp"
#include "training/runtime/instant.hpp"
#include "training/runtime/one_of.hpp"
#include "training/runtime/operation.hpp"

namespace paceline {

/// A role of the strategy: workers are 0..P-1, server shards P..P+S-1. Loaders, which follow, and
/// the writers of checkpoints after them have streams and buffers and no program: others queue
/// their work.
using RoleId = std::int32_t;

/// The in-order queues of a role's place, independent of each other.
enum class StreamKind : std::uint8_t { compute, push, fetch, input };
inline constexpr int kStreamKinds = 4;
struct Stream {
  RoleId role = 0;
  StreamKind kind = StreamKind::compute;
};

/// A handle to queued work; trivially destructible, cheap to copy. The default one is complete.
/// One number, so that it is written and read as a whole: a processor waits for a read that covers
/// two writes.
class Token {
 public:
  constexpr Token() = default;
  constexpr Token(std::uint32_t slot, std::uint32_t generation)
      : bits_(std::uint64_t{generation} << 32 | slot) {}
  constexpr std::uint32_t slot() const { return static_cast<std::uint32_t>(bits_); }
  constexpr std::uint32_t generation() const { return static_cast<std::uint32_t>(bits_ >> 32); }
  friend constexpr bool operator==(Token, Token) = default;

 private:
  std::uint64_t bits_ = 0;
};

/// Work that may be cancelled as a whole: one mini-batch of one worker. The default is none.
struct WorkId {
  RoleId worker = -1;
  std::int64_t step = 0;
};

/// How queued work ended.
enum class Outcome : std::uint8_t { done, cancelled, failed };

/// A range of the flat parameters. `bytes` is what a transfer of it weighs; of a ring's chunk it is
/// the exact share, which need not be a whole number of parameters.
struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  double bytes = 0;
  std::int64_t size() const { return end - begin; }
  /// The same number of parameters, `by` later.
  Slice moved(std::int64_t by) const { return {begin + by, end + by, bytes}; }
};

/// The buffers that a role may keep (buffer_plan.hpp).
enum class Buffer : std::uint8_t {
  weights,   ///< of a worker: what it computes on; of a server shard: the master copy
  gradient,  ///< of a worker: slot 0 as computed, 1 and 2 accrued; of a server: the sum under way
  landing,   ///< of a server or a ring neighbour: where a gradient arrives, slots per sender
  snapshot,  ///< of a server: the weights as last published for a worker (slot)
  incoming,  ///< of a worker: weights that arrive while it computes on others
  encoded,   ///< of a worker: its gradient as it travels, in words (gradient_codec.hpp)
  residual,  ///< of a worker: the part of earlier gradients that their encoding left out
  batch,     ///< of a loader: items as it has prepared them; of a worker: those that it trains on
  dataset,   ///< of a worker: all items, of which its mini-batches are slices
  validation_batch,  ///< the same of items that a worker validates on
};

/// One buffer of some role.
struct BufferRef {
  RoleId role = 0;
  Buffer buffer = Buffer::weights;
  std::int32_t slot = 0;
  friend bool operator==(const BufferRef&, const BufferRef&) = default;
};

/// A validation pass goes forward through items that nothing is trained on.
enum class Pass : std::uint8_t { forward, backward, validation };

/// Layers [first, last) in one pass; backward runs them from last - 1 down to first.
struct LayerRange {
  Pass pass = Pass::forward;
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t count() const { return last - first; }
};

/// The layer of a range that is the n-th to run, from 0: forward upwards, backward downwards.
constexpr std::int32_t nth_layer(const LayerRange& layers, std::int32_t n) {
  return layers.pass == Pass::backward ? layers.last - 1 - n : layers.first + n;
}

/// Arithmetic of a mini-batch, or of the validation before it.
struct LayerWork {
  LayerRange layers;
  std::int64_t number = 0;  ///< of a validation pass: that of its batch, among the worker's
};

/// The worker that computed a gradient, and by how many versions it is stale: what a learning rate
/// may depend on.
struct GradientAge {
  RoleId worker = -1;  ///< -1: several workers
  float staleness = 0;
  double rounds = 0;  ///< of training before its update
};

/// The figures of an update that its rule depends on.
struct UpdateMoment {
  float scale = 1;           ///< 1 / number of gradients summed
  float mean_staleness = 0;  ///< over all its gradients
  std::int64_t version = 0;  ///< that it makes; 0: a worker's own update, no version of the model
  GradientAge age;           ///< of the gradient given, and how far training is
};

/// One of the structs below, to be carried out at the place of the stream that it is queued in. A
/// command that has two buffers is about the same slice of both, but for its `shift`.
struct Command {
  using Compute = LayerWork;
  /// A straggler's delay, or a timer where `work` is none.
  struct Delay {
    std::int64_t ps = 0;
  };
  struct Copy {
    BufferRef from, to;
    Slice slice{};           ///< of `from`
    bool announced = false;  ///< `to.role` may wait for its arrival
    /// Outside the order of its stream, as if on a stream of its own: it begins once its tokens
    /// permit it, and commands after it do not wait for it.
    bool beside = false;
    std::int64_t shift = 0;  ///< parameters by which the slice begins later in `to`
  };
  /// into += from, or into = from.
  struct Reduce {
    BufferRef into, from;
    Slice slice{};           ///< of `into`
    GradientAge age{};       ///< of the gradient in `from`
    bool fresh = false;      ///< what `into` held is overwritten
    std::int64_t shift = 0;  ///< parameters by which the slice begins later in `from`
    bool halves = false;     ///< both are words of two halves, and `slice` counts words
    /// Whether gradients of one worker are added up: a part of its own arithmetic.
    bool of_one_worker() const {
      return into.role == from.role && into.buffer == Buffer::gradient &&
             from.buffer == Buffer::gradient;
    }
  };
  /// into = `slice` of gradient (and of the same worker's residual), encoded, from word `at` on.
  struct Encode {
    BufferRef into, gradient;
    Slice slice{};  ///< of `gradient`
    std::int64_t at = 0;
    GradientCodec codec{};
  };
  /// into += the gradient encoded in `from` from word `at` on, or into = it.
  struct Decode {
    BufferRef into, from;
    Slice slice{};  ///< of `into`
    std::int64_t at = 0;
    GradientCodec codec{};
    GradientAge age{};   ///< of the gradient in `from`
    bool fresh = false;  ///< what `into` held is overwritten
  };
  /// The next version of `weights`, by the optimizer from `gradient`.
  struct Update {
    BufferRef weights, gradient;
    Slice slice{};
    UpdateMoment moment{};
  };
  /// weights = scale x from: weights are averaged or adopted.
  struct Assign {
    BufferRef weights, from;
    Slice slice{};
    std::int64_t version = 0;  ///< as in UpdateMoment
    float scale = 1;
  };
  /// The current weights of `server` become the snapshot that `worker` may fetch.
  struct Publish {
    RoleId server = 0;
    RoleId worker = 0;
  };
  /// A place in the stream's order to wait for. The time between the two about a worker's input is
  /// what its mini-batch waits for items, that between the two about a checkpoint what it costs.
  struct Mark {
    enum class About : std::uint8_t {
      nothing,
      wants_input,
      has_input,
      begins_checkpoint,
      ends_checkpoint
    };
    About about = About::nothing;
  };
  /// Records from the storage of the role's computer, or a checkpoint to that of its checkpoints.
  /// Either takes this long alone and serves one request after another; the answer is `latency_ps`
  /// longer on its way.
  struct StorageRequest {
    std::int64_t ps = 0;
    bool writes = false;
    std::int64_t latency_ps = 0;
  };
  /// Items made of records, into `slice` of a loader's batch: time of one of the host's cores.
  struct Prepare {
    BufferRef into;
    Slice slice{};
    std::int64_t ps = 0;
  };
  /// An operation on `slice` of the gradients of ranks 0..ranks-1 by the machine's own library.
  struct Collective {
    Slice slice{};
    std::int32_t ranks = 0;
    Operation operation = Operation::all_reduce;
    bool halves = false;  ///< of the encoded gradients, and `slice` counts their words
  };

  using Kinds = OneOf<Compute, Delay, Copy, Reduce, Update, Assign, Publish, Mark, Collective,
                      Encode, Decode, StorageRequest, Prepare>;

  WorkId work;
  Kinds what;

  /// The value of `what.index()` for a struct.
  template <class What>
  static constexpr std::size_t number_of() {
    return Kinds::number_of<What>();
  }
  template <class What>
  bool is() const {
    return what.as<What>() != nullptr;
  }
  /// Null where the command is another.
  template <class What>
  const What* as() const {
    return what.as<What>();
  }
  /// A delay that no mini-batch stands behind: a lifetime, a restart.
  bool is_timer() const { return work.worker < 0 && is<Delay>(); }
};

/// Whether a command is a straggler's delay of a worker's arithmetic. Delays on other streams, such
/// as timers and the delays of pushes, are no part of the worker's own time.
inline bool delays_arithmetic(Stream stream, const Command& command) {
  return stream.kind == StreamKind::compute && command.is<Command::Delay>();
}

}  // namespace paceline
