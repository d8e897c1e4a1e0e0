// SPDX-License-Identifier: MIT
/// \file
/// The common knowledge of a strategy's roles: how many take part, how the parameters are cut into
/// buckets and shards, when to stop, and how long a straggler waits. Made once for a point, read by
/// both clocks.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "models/network.hpp"
#include "training/runtime/backend.hpp"
#include "training/runtime/buffer_plan.hpp"
#include "training/runtime/observer.hpp"
#include "training/strategies/collectives/schedule.hpp"
#include "training/strategies/policies/update_policy.hpp"
#include "training/workload/input/loading.hpp"
#include "training/workload/placement.hpp"

namespace paceline {

/// A run of layers that send their gradients together, ready once `layers` have gone backward.
/// Buckets are in the order of backward: the last layers first.
struct Bucket {
  std::int32_t first_layer = 0;
  std::int32_t last_layer = 0;  ///< one past
  Slice slice;
  GradientCodec codec{};  ///< of its gradient on the way
};

/// How the flat parameters travel.
struct Cut {
  std::vector<Bucket> buckets;
  std::vector<Slice> shards;  ///< contiguous, of equal size to a parameter
};

/// The form in which gradients travel.
struct Travel {
  bool overlap = true;  ///< while backward goes on
  Bytes bucket{};       ///< the least that travels together, but for the last
  GradientCodec codec{};
  /// Items that a gradient is of, where of embeddings the rows travel that these touch; 0: whole
  /// tables.
  std::int64_t sparse_items = 0;
  Bytes first_bucket{};  ///< of at least this size; 0: as the others
};

/// Cuts the parameters for servers in `places` places. Each place gets an equal part of every
/// bucket, so that a bucket uses the links of all places: shard s is in place s modulo `places`.
/// Small buckets are joined, so that a place has at most eight shards.
std::vector<Slice> shards_of_buckets(const std::vector<Bucket>& buckets, int places,
                                     double bytes_per_parameter);

/// Buckets as `travel` says (one for all without overlap, and one for each table of which rows
/// travel) and `shards` equal shards; a parameter travels as `bytes_per_parameter` bytes. A bucket
/// ends at a layer's border.
Cut cut_network(const Network& network, const Travel& travel, int shards,
                double bytes_per_parameter);

/// The passes by which a worker validates its weights before some of its mini-batches.
struct ValidationPasses {
  std::int64_t every = 0;   ///< mini-batches of a worker; 0: there are no passes
  int passes = 0;           ///< of a validation
  int batch = 0;            ///< items of a pass
  int prefetch = 0;         ///< batches that loaders prepare ahead
  std::int64_t inputs = 0;  ///< numbers that the items of a pass consist of
  explicit operator bool() const { return every > 0; }
  bool due(std::int64_t step) const { return every > 0 && step > 0 && step % every == 0; }
};

/// The checkpoints of the weights, which the roles write that hold these.
struct CheckpointRule {
  std::int64_t every = 0;  ///< updates of the weights; 0: there are no checkpoints
  double bandwidth = 0;    ///< of the storage, bytes/s
  bool asynchronous = false;
  double arrays = 1;  ///< written, in sizes of the weights: these, and the optimizer's state
  explicit operator bool() const { return every > 0; }
  bool due(std::int64_t version) const { return every > 0 && version % every == 0; }
  /// Copies of the weights that stand for a checkpoint's bytes; the last one may be of a part.
  int copies() const { return static_cast<int>(std::ceil(arrays)); }
  double share_of(int copy) const { return std::min(1.0, arrays - copy); }
  /// The numbers of a copy that have its share of `all`.
  std::int64_t numbers_of(int copy, std::int64_t all) const {
    return static_cast<std::int64_t>(std::ceil(share_of(copy) * static_cast<double>(all)));
  }
};

inline Slice slice_of(std::int64_t begin, std::int64_t end, double bytes_per_parameter) {
  return {begin, end, static_cast<double>(end - begin) * bytes_per_parameter};
}

/// The intersection of two slices.
inline Slice overlap_of(const Slice& a, const Slice& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  const std::int64_t end = std::max(begin, std::min(a.end, b.end));
  if (end == begin) return {begin, begin, 0};
  return slice_of(begin, end, a.bytes / static_cast<double>(a.size()));
}

/// When workers die, and whether they come back.
struct Mortality {
  /// How long `worker` works in its `life`-th life (from 0); empty: it has no end.
  std::function<Seconds(RoleId worker, std::int32_t life)> lifetime;
  std::optional<Seconds> restart;  ///< until a dead worker is replaced; empty: never
};

/// The part that a worker gets of a batch for all of them, and from where.
enum class InputsOfWorkers : std::uint8_t {
  scattered,  ///< their share, from the server
  sliced,     ///< the same, from the host's memory
  whole       ///< all of it, from the host's memory
};

struct Plan {
  int workers = 1;
  int shards = 0;         ///< server roles, P..P+shards-1
  Loading input;          ///< its loaders are the roles after the servers
  bool scatters = false;  ///< one batch for all workers is loaded for the server
  /// The way of that batch's items to the workers.
  InputsOfWorkers inputs = InputsOfWorkers::scattered;
  ValidationPasses validation;
  CheckpointRule checkpoint;
  std::vector<int> processes;  ///< by role: the process that runs it; empty: one runs all
  std::vector<int> computers;  ///< by worker, of a cluster; empty: one computer
  Rule rule;
  Cut cut;
  std::vector<ServerSite> sites;  ///< by shard; empty: as the aggregation's placement says
  bool overlap = true;
  bool replicas = false;            ///< servers only sum; every worker updates its own weights
  int links_apart = 1;              ///< consecutive shards that have links of their own
  bool survives = false;            ///< the aggregation goes on when a worker has died
  bool weighs_gradients = false;    ///< the learning rate differs from gradient to gradient
  SharedSchedule schedule_of_rows;  ///< of buckets with rows of a table, among workers
  SharedSchedule schedule;          ///< of the workers; null: they need none, or a library has it
  int batch = 0;                    ///< items of a mini-batch
  bool uneven = false;              ///< mini-batches differ in size: sequences of unequal length
  std::int64_t batch_inputs = 0;    ///< numbers that a mini-batch's items consist of
  std::int64_t batch_outputs = 0;   ///< numbers that the network makes of them
  std::int64_t updates = 0;         ///< updates of the model until the run stops
  std::int64_t gradients = 0;       ///< the same in gradients, where K changes
  double optimal_loss = 0;          ///< the least that can be reached, where it is known
  std::vector<double> slowdown;     ///< by worker: multiplies its arithmetic; empty: all 1
  /// Before forward, and between forward and backward; empty: no worker is late there.
  std::function<Seconds(RoleId worker, std::int64_t step)> delay, backward_delay;
  /// Before what a worker sends after a mini-batch; empty: nothing is late.
  std::function<Seconds(RoleId worker, std::int64_t step)> link_delay;
  /// The longest of the delays of as many equal workers, of which `worker` is the first, and the
  /// same of what they send. Set where only these are to be drawn (`draws: extremes`).
  std::function<Seconds(RoleId worker, std::int64_t step, int workers)> longest_delay;
  std::function<Seconds(RoleId worker, std::int64_t step, int workers)> longest_link_delay;
  /// The buckets of a shard are fetched from the smallest of these numbers on; empty: as forward
  /// needs them.
  std::function<double(RoleId worker, std::int64_t step, std::size_t bucket)> fetch_turn;
  Mortality mortality;
  Observer* observer = nullptr;
  std::shared_ptr<Observer> observers;  ///< owns `observer` where there are several

  /// Whether workers copy their items from where loaders have left the batch.
  bool from_loaders() const { return input && inputs != InputsOfWorkers::scattered; }
  bool whole_inputs() const { return inputs == InputsOfWorkers::whole; }
  RoleId server(int shard) const { return workers + shard; }
  /// The shard that is the `turn`-th to push to and to fetch from, from 0, for worker or group
  /// `number` of `all`. Where shards have links of their own, workers begin with different ones, so
  /// that not all links to one server are busy while others are idle.
  int shard_in_turn(int number, int all, int turn) const {
    const int start = all < links_apart ? number * links_apart / all : number;
    const int first = turn / links_apart * links_apart;
    return first + (start + turn - first) % std::min(links_apart, shards - first);
  }
  /// Those with a program: workers and servers.
  int programs() const { return workers + shards; }
  /// Each of `input.loaders` loaders: one for each worker, or one for the server that scatters.
  int loader_sets() const { return !input ? 0 : scatters ? 1 : workers; }
  RoleId first_writer() const { return programs() + loader_sets() * input.loaders; }
  int roles() const { return first_writer() + (checkpoint.asynchronous ? holders() : 0); }
  /// Loader `number` of those that load for `role`.
  RoleId loader(RoleId role, int number) const {
    return programs() + (scatters ? 0 : role * input.loaders) + number;
  }
  /// The role that a loader loads for.
  RoleId role_of_loader(RoleId loader) const {
    return scatters ? server(0) : (loader - programs()) / input.loaders;
  }
  bool is_loader(RoleId role) const { return role >= programs() && role < first_writer(); }
  /// Whether batches are loaded for `role`, or it takes them from a data set that it has.
  bool takes_batches(RoleId role) const {
    if (!input.brings()) return false;
    return scatters ? role == server(0) : role < workers;
  }
  /// The roles that hold the weights, from `first_holder` on: the servers, or worker 0.
  bool held_by_servers() const { return shards > 0 && !replicas; }
  RoleId first_holder() const { return held_by_servers() ? server(0) : 0; }
  int holders() const { return held_by_servers() ? shards : 1; }
  bool holds(RoleId role) const {
    return role >= first_holder() && role < first_holder() + holders();
  }
  /// The role that writes the checkpoints of `holder` beside its work.
  RoleId writer(RoleId holder) const { return first_writer() + holder - first_holder(); }
  /// Whether of equal workers only the longest delay is to be drawn.
  bool draws_extremes() const { return longest_delay || longest_link_delay; }
  int process_of(RoleId role) const {
    return processes.empty() ? 0 : processes[static_cast<std::size_t>(role)];
  }
  int computer_of(RoleId worker) const {
    return computers.empty() ? 0 : computers[static_cast<std::size_t>(worker)];
  }
  double slowdown_of(RoleId worker) const {
    return slowdown.empty() ? 1 : slowdown[static_cast<std::size_t>(worker)];
  }
  Slice whole() const;  ///< all parameters
  /// Whether mini-batches are given up while training goes on, not only at its end.
  bool gives_up() const {
    return (rule.restart == Restart::everyone && !takes_all()) || mortality.lifetime;
  }
  /// Whether every update takes one gradient of each worker, computed at the current version.
  bool takes_all() const {
    return rule.restart == Restart::everyone && rule.gradients == workers && !rule.goes_on;
  }
  /// Whether some gradients are encoded on their way.
  bool encodes() const {
    return std::ranges::any_of(cut.buckets, [](const Bucket& one) { return bool{one.codec}; });
  }
  /// Whether servers add gradients up in a buffer of their own as they arrive, so that a worker can
  /// push its next one before the update; else the first gradient takes the others up.
  bool sums_apart() const {
    const bool one_at_a_time = rule.gradients == 1 && rule.adaptation.window == 0;
    const bool weighs = weighs_gradients && rule.local_steps == 1;  // not what is averaged
    if (encodes()) return true;  // what has landed is no gradient yet
    return !replicas && (rule.goes_on || weighs) && !one_at_a_time;
  }
  /// Versions of a server's weights at a time where each worker may still fetch another one:
  /// besides these the current one, the next, and two that were replaced as snapshots during a
  /// fetch.
  std::int32_t versions_fetched() const { return workers + 4; }
  /// Whether a strategy goes on when a worker has died: servers have the weights.
  bool survives_deaths() const { return survives; }
  /// Whether a strategy goes on when a process is lost: its workers die and are not replaced.
  bool survives_loss_of(int process) const;
};

}  // namespace paceline
