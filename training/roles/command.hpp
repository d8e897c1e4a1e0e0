// SPDX-License-Identifier: MIT
/// \file
/// What a role may ask of a machine, as plain data: work on a layer range, a delay, a copy, a sum,
/// an update. A backend, simulated or real, gives each its meaning and its time.
#pragma once
#include <cstdint>

#include "training/roles/instant.hpp"

namespace paceline {

/// A role of the strategy: workers are 0..P-1, server shards P..P+S-1.
using RoleId = std::int32_t;

/// The in-order queues of a role's place, independent of each other.
enum class StreamKind : std::uint8_t { compute, push, fetch, input };
inline constexpr int kStreamKinds = 4;
struct Stream {
  RoleId role = 0;
  StreamKind kind = StreamKind::compute;
};

/// A handle to queued work; trivially destructible, cheap to copy. The default one is complete.
struct Token {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  friend bool operator==(Token, Token) = default;
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
};

/// The buffers that a role keeps.
enum class Buffer : std::uint8_t {
  weights,   ///< of a worker: what it computes on; of a server shard: the master copy
  gradient,  ///< of a worker: slot 0 as computed, 1 and 2 accrued; of a server: the sum under way
  landing,   ///< of a server or a ring neighbour: where a gradient arrives, slots per sender
  snapshot,  ///< of a server: the weights as last published for a worker (slot)
  incoming,  ///< of a worker: weights that arrive while it computes on others
};

/// A part of some role's buffer.
struct BufferRef {
  RoleId role = 0;
  Buffer buffer = Buffer::weights;
  std::int32_t slot = 0;
  Slice slice;
};

enum class Pass : std::uint8_t { forward, backward };

/// Layers [first, last) in one pass; backward runs them from last - 1 down to first.
struct LayerRange {
  Pass pass = Pass::forward;
  std::int32_t first = 0;
  std::int32_t last = 0;
};

/// Whose gradient it is, and by how many versions it is stale: what a learning rate may depend on.
struct GradientAge {
  RoleId worker = -1;  ///< -1: nobody's in particular
  float staleness = 0;
  double rounds = 0;  ///< of training before its update
};

/// What to do. Which fields count depends on `kind`.
struct Command {
  enum class Kind : std::uint8_t {
    compute,
    delay,
    copy,
    reduce,   ///< to += from (or to = from): a gradient is summed
    update,   ///< the next version of `to` by the optimizer from the gradient `from`
    assign,   ///< to = scale x from: weights are averaged or adopted
    publish,  ///< the weights `to` become the snapshot that worker `to.slot` may fetch
    collective,
    send
  };
  Kind kind = Kind::compute;
  bool fresh = false;  ///< reduce: what `to` held is overwritten
  float scale = 1;     ///< update: 1 / number of gradients summed; assign
  WorkId work;
  LayerRange layers;          ///< compute
  std::int32_t channel = -1;  ///< copy: the channel told of its arrival
  std::int64_t delay_ps = 0;  ///< delay
  BufferRef from;             ///< copy, reduce, assign; update: the gradient
  BufferRef to;               ///< copy, reduce, assign (into), update and publish: the weights
  std::int64_t version = 0;   ///< update, assign: the version it makes; 0: none of the model's
  GradientAge age;            ///< reduce, update: of the gradient in `from`
  float mean_staleness = 0;   ///< update: over all its gradients
  std::int32_t group = 0;     ///< collective: number of ranks, 0..group-1
};

/// A control message between roles: small, plain, delivered in order.
struct Message {
  enum class Kind : std::uint8_t {
    gradient,  ///< a gradient has wholly arrived
    accepted,  ///< shard 0 to the others: it took this gradient
    weights,   ///< a shard has weights (or a sum) for the receiver
    go_on,     ///< a shard has taken the receiver's gradient; it may start another mini-batch
    fetch,     ///< a worker asks for the current weights
    done,      ///< to oneself: what was queued has ended
    died,      ///< to oneself: the worker is gone, its mini-batch lost
    lost,      ///< a worker to shard 0, which tells the others: it has died
    back,      ///< to oneself, then to shard 0: the worker has been replaced
    stop
  };
  Kind kind = Kind::gradient;
  bool used : 1 = false;   ///< weights: the receiver's last gradient was among the accepted
  bool last : 1 = false;   ///< accepted: it completes the update
  std::uint16_t life = 0;  ///< of the worker: how often it has been replaced
  RoleId from = 0;
  RoleId worker = 0;         ///< whose gradient, who died
  float loss = 0;            ///< gradient: mean loss of the mini-batch, known once it has arrived
  std::int64_t version = 0;  ///< computed at (gradient), reached (weights)
  std::int64_t step = 0;
};

}  // namespace paceline
