// SPDX-License-Identifier: MIT
#include "training/strategies/optimizer_on_first_gpu.hpp"

#include <utility>
#include <vector>

#include "training/strategies/message_ends.hpp"
#include "training/strategies/own_weights.hpp"
#include "training/strategies/scattered_mini_batch.hpp"

namespace paceline {
namespace {

constexpr RoleId kOptimizing = 0;  ///< the worker that has the optimizer

/// From a worker to the server: its gradient of a bucket has arrived.
struct Pushed {
  std::int32_t bucket = 0;
};
/// From the server to the first worker: the sum of a bucket is there.
struct Summed {
  std::int32_t bucket = 0;
};
/// From the first worker to the server: the new weights have arrived.
struct Updated {};
using grouped::Losses;
using grouped::Outputs;
using grouped::Weights;
using Kinds = MessageKinds<Pushed, Summed, Updated, Weights, Outputs, Losses>;

struct Ends {
  MessageEnds ends;
  bool has(std::int32_t bucket) const {
    return bucket >= 0 && static_cast<std::size_t>(bucket) < ends.plan.cut.buckets.size();
  }
  bool operator()(const Pushed& pushed) const {
    return ends.from_worker_to_shard() && has(pushed.bucket);
  }
  bool operator()(const Summed& summed) const {
    return ends.from_shard_to_worker() && ends.to == kOptimizing && has(summed.bucket);
  }
  bool operator()(const Updated&) const {
    return ends.from_worker_to_shard() && ends.from == kOptimizing;
  }
  bool operator()(const Weights&) const { return ends.from_shard_to_worker(); }
  bool operator()(const Outputs&) const { return ends.from_worker_to_shard(); }
  bool operator()(const Losses&) const { return ends.from_shard_to_worker(); }
};

class Worker {
 public:
  Worker(const Plan& plan, Backend& backend, RoleId me)
      : plan_(plan), backend_(backend), me_(me), buckets_(plan.cut.buckets.size()) {}

  Task<> run() {
    MiniBatches mini_batches(plan_, backend_, me_);
    Token sent_before;
    for (std::int64_t update = 0; update < plan_.updates; ++update) {
      co_await backend_.receive(me_);  // the weights are there
      fetch_weights();
      const Task<> mini_batch = scattered_mini_batch<Kinds>(plan_, LossPlacement::server, backend_,
                                                            {me_, update}, mini_batches, buckets_);
      co_await mini_batch;
      push_gradients({me_, update});
      if (me_ == kOptimizing) {
        const Task<> optimized = optimize(update);
        co_await optimized;
      }
      // one update is queued ahead, so that the device does not wait for the host
      co_await backend_.finished(me_, std::exchange(sent_before, sent_));
    }
    co_await backend_.finished(me_, sent_);
  }

 private:
  RoleId server() const { return plan_.server(0); }

  void fetch_weights() {
    for (std::size_t i = buckets_.size(); i-- > 0;) {  // as forward needs them
      backend_.copy({me_, StreamKind::fetch},
                    {{server(), Buffer::weights}, {me_, Buffer::weights}, slice(i)}, {}, sent_);
    }
  }

  void push_gradients(WorkId work) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const Token gradient = buckets_[i].gradient;
      const Token ready = i == 0 ? queue_link_delay(plan_, backend_, work, gradient) : gradient;
      sent_ = backend_.copy({me_, StreamKind::push},
                            {{me_, Buffer::gradient}, {server(), Buffer::landing, me_}, slice(i)},
                            {}, ready);
      buckets_[i].pushed = sent_;
      const Pushed pushed{static_cast<std::int32_t>(i)};
      backend_.send(server(), Kinds::make(me_, pushed), sent_);
    }
  }

  /// Fetches the sums as they come, in place of the worker's own gradient, updates once all are
  /// there, and returns the weights in place of the sums.
  Task<> optimize(std::int64_t version) {
    Token fetched;
    for (std::size_t come = 0; come < buckets_.size(); ++come) {
      const Message message = co_await backend_.receive(me_);
      Summed summed;
      Kinds::read(message, [&](const auto& kind) {
        if constexpr (std::is_same_v<std::decay_t<decltype(kind)>, Summed>) summed = kind;
      });
      fetched =
          backend_.copy({me_, StreamKind::fetch}, {{server(), Buffer::landing, kOptimizing},
                                                   {me_, Buffer::gradient},
                                                   slice(static_cast<std::size_t>(summed.bucket))});
    }
    Command::Update update{{me_, Buffer::weights}, {me_, Buffer::gradient}, plan_.whole(), {}};
    update.moment.scale = 1.0F / static_cast<float>(plan_.workers);
    update.moment.age.rounds = static_cast<double>(version);
    const Token updated = backend_.update({me_, StreamKind::compute}, update, fetched);
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      sent_ = backend_.copy(
          {me_, StreamKind::push},
          {{me_, Buffer::weights}, {server(), Buffer::landing, kOptimizing}, slice(i)}, {},
          updated);
    }
    backend_.send(server(), Kinds::make(me_, Updated{}), sent_);
  }

  const Slice& slice(std::size_t bucket) const { return plan_.cut.buckets[bucket].slice; }

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  std::vector<BucketTokens> buckets_;
  Token sent_;  ///< the last copy to the server: nothing of the mini-batch reads the weights after
};

class Server {
 public:
  Server(const Plan& plan, Backend& backend)
      : plan_(plan),
        backend_(backend),
        me_(plan.server(0)),
        input_(plan, backend, me_),
        pushed_(plan.cut.buckets.size()),
        last_push_(static_cast<std::size_t>(plan.workers)) {}

  bool done() const { return version_ >= plan_.updates; }

  void offer(Token updated) {
    updated = input_.queue_wait({-1, version_}, updated);
    for (RoleId worker = 0; worker < plan_.workers; ++worker)
      backend_.send(worker, Kinds::make(me_, Weights{version_}), updated);
  }

  /// Sums in the order of the workers, which all clocks have, not in that of their arrival.
  void on(const Pushed& pushed, const Message& message) {
    last_push_[static_cast<std::size_t>(message.from)] = backend_.now();
    int& workers = pushed_[static_cast<std::size_t>(pushed.bucket)];
    if (++workers < plan_.workers) return;
    workers = 0;
    Token sum;
    const Slice& slice = plan_.cut.buckets[static_cast<std::size_t>(pushed.bucket)].slice;
    for (RoleId worker = 1; worker < plan_.workers; ++worker) {
      sum = backend_.reduce(compute(),
                            {{me_, Buffer::landing}, {me_, Buffer::landing, worker}, slice});
    }
    backend_.send(kOptimizing, Kinds::make(me_, Summed{pushed.bucket}), sum);
    if (++summed_ < pushed_.size()) return;
    summed_ = 0;
    if (plan_.observer != nullptr) report();
  }

  void on(const Outputs&, const Message&) {
    if (++outputs_ < plan_.workers) return;
    outputs_ = 0;
    for (RoleId worker = 0; worker < plan_.workers; ++worker)
      backend_.send(worker, Kinds::make(me_, Losses{}));
  }

  void on(const Updated&, const Message&) {
    const Token updated = backend_.assign(
        compute(),
        {{me_, Buffer::weights}, {me_, Buffer::landing, kOptimizing}, plan_.whole(), ++version_});
    if (!done()) offer(updated);
  }

 private:
  Stream compute() const { return {me_, StreamKind::compute}; }

  void report() const {
    for (RoleId worker = 0; worker < plan_.workers; ++worker) {
      plan_.observer->accepted(worker, version_, version_, version_);
      const Instant came = last_push_[static_cast<std::size_t>(worker)];
      if (came == backend_.now()) continue;
      plan_.observer->span({worker, version_}, Activity::wait, came, backend_.now());
    }
  }

  const Plan& plan_;
  Backend& backend_;
  RoleId me_;
  WorkerInput input_;
  std::int64_t version_ = 0;
  int outputs_ = 0;                 ///< workers with outputs that have come
  std::size_t summed_ = 0;          ///< buckets of this update
  std::vector<int> pushed_;         ///< by bucket: the workers with gradients that have come
  std::vector<Instant> last_push_;  ///< by worker
};

}  // namespace

Task<> worker_of_distant_weights(const Plan& plan, Backend& backend, RoleId me) {
  Worker worker(plan, backend, me);
  const Task<> own = worker.run();
  co_await own;
}

Task<> server_without_optimizer(const Plan& plan, Backend& backend) {
  Server server(plan, backend);
  server.offer({});
  while (!server.done()) {
    const Message message = co_await backend.receive(plan.server(0));
    deliver_to<Kinds>(server, message);
  }
}

RoleBuffers buffers_of_distant_weights(const Plan& plan, RoleId role) {
  if (role < plan.workers) {
    RoleBuffers buffers = worker_buffers(plan, role == kOptimizing);
    buffers.slots.push_back({Buffer::landing, 1, ScatteredBatch::share(plan)});
    return buffers;
  }
  return {plan.whole(),
          {{Buffer::landing, plan.workers},
           {Buffer::weights},
           {Buffer::gradient, 1, ScatteredBatch::whole(plan)}}};
}

bool is_message_of_distant_weights(const Plan& plan, RoleId to, const Message& message) {
  return is_sound_between<Kinds, Ends>(plan, to, message);
}

}  // namespace paceline
