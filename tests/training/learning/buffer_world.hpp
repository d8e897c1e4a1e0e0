// SPDX-License-Identifier: MIT
/// \file
/// Buffers of a few workers and servers, and the commands of a training run on them. Work may be
/// done at once or later, as on a GPU.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/language/yaml.hpp"
#include "training/learning/buffers.hpp"
#include "training/learning/host_arrays.hpp"

namespace paceline {

inline Choice<Optimizer> optimizer(const std::string& yaml) {
  Diagnostics diagnostics;
  Choice<Optimizer> choice;
  Value<Choice<Optimizer>>::read(choice, parse_yaml("optimizer", yaml), diagnostics);
  diagnostics.throw_if_any();
  return choice;
}

/// Counts its allocations.
class CountingStore final : public ArrayStore {
 public:
  explicit CountingStore(bool ahead) : ahead_(ahead) {}
  SharedArray allocate(RoleId owner, std::size_t floats) override {
    ++allocations_;
    return host_.allocate(owner, floats);
  }
  void write(std::span<const float> from, const Array& to) override { host_.write(from, to); }
  std::vector<float> read(std::span<const float> from) const override { return host_.read(from); }
  bool allocates_ahead() const override { return ahead_; }
  int allocations() const { return allocations_; }

 private:
  HostArrays host_;
  bool ahead_;
  int allocations_ = 0;
};

/// Records the work and does it in run().
class LaterWork final : public ArrayWork {
 public:
  void copy(std::span<float> to, std::span<const float> from) override {
    later_.emplace_back([=, this] { host_.copy(to, from); });
  }
  void assign(std::span<float> to, std::span<const float> from, float scale) override {
    later_.emplace_back([=, this] { host_.assign(to, from, scale); });
  }
  void accumulate(std::span<float> into, std::span<const float> from, const Factor& factor,
                  bool fresh) override {
    later_.emplace_back([=, this] { host_.accumulate(into, from, factor, fresh); });
  }
  void encode(const GradientCodec& codec, std::span<float> words, std::span<const float> numbers,
              std::span<float> residual) override {
    later_.emplace_back([=, this] { host_.encode(codec, words, numbers, residual); });
  }
  void decode(const GradientCodec& codec, std::span<float> into, std::span<const float> words,
              const Factor& factor, bool fresh) override {
    later_.emplace_back([=, this] { host_.decode(codec, into, words, factor, fresh); });
  }
  void add_halves(std::span<float> into, std::span<const float> from) override {
    later_.emplace_back([=, this] { host_.add_halves(into, from); });
  }
  void update(const Optimizer& optimizer, double rate, std::int64_t update,
              const UpdateArrays& arrays, const Factor& factor) override {
    later_.emplace_back(
        [=, this, &optimizer] { host_.update(optimizer, rate, update, arrays, factor); });
  }
  void run() {
    for (const auto& one : later_) one();
    later_.clear();
  }

 private:
  HostArrayWork host_;
  std::vector<std::function<void()>> later_;
};

/// A few workers and shards of a model of as many parameters as `initial` has.
class World {
 public:
  struct Shape {
    int workers = 1;
    int shards = 1;  ///< 0: the workers update replicas
    int gradients = 1;
    std::string staleness = "none";
    std::string kind = "sgd";
    std::int64_t keep_every = 0;
    bool ahead = false;
  };
  /// One slice of a buffer.
  struct Part {
    BufferRef buffer;
    Slice slice;
  };

  World(const Shape& shape, const std::vector<float>& initial)
      : shape_(shape),
        store_(shape.ahead),
        optimizer_(optimizer("{kind: " + shape.kind +
                             ", learning_rate: 0.5, staleness: " + shape.staleness + "}")),
        parameters_(static_cast<std::int64_t>(initial.size())) {
    BufferPlan plan;
    plan.updates = 5;
    for (int worker = 0; worker < shape.workers; ++worker) {
      plan.roles.push_back(
          {whole(), {{Buffer::weights}, {Buffer::gradient, 3}, {Buffer::incoming}}, true});
    }
    for (int shard = 0; shard < shape.shards; ++shard) {
      plan.model.push_back(shape.workers + shard);
      plan.roles.push_back({slice(shard),
                            {{Buffer::landing, 2 * shape.workers},
                             {Buffer::weights, shape.workers + 4},
                             {Buffer::snapshot, shape.workers},
                             {Buffer::gradient}},
                            true});
    }
    if (shape.shards == 0) plan.model = {0};
    UpdateRule update;
    update.optimizer = optimizer_.part().get();
    update.workers = shape.workers;
    update.per_update = shape.gradients;
    buffers_.emplace(plan, update, initial, shape.keep_every, store_);
  }

  Buffers& buffers() { return *buffers_; }
  Slice whole() const { return {0, parameters_, 4.0 * static_cast<double>(parameters_)}; }
  Slice slice(int shard) const {
    const std::int64_t begin = parameters_ * shard / shape_.shards;
    const std::int64_t end = parameters_ * (shard + 1) / shape_.shards;
    return {begin, end, 4.0 * static_cast<double>(end - begin)};
  }
  Part at(int shard, Buffer buffer, int slot = 0) const {
    return {{shape_.workers + shard, buffer, slot}, slice(shard)};
  }
  Part of(RoleId worker, Buffer buffer, int slot = 0) const {
    return {{worker, buffer, slot}, whole()};
  }
  void compute(RoleId worker, const std::vector<float>& gradient) {
    std::copy(gradient.begin(), gradient.end(), buffers().gradient(worker).begin());
  }
  int allocations() const { return store_.allocations(); }

  Held copy(const Part& from, const Part& to) { return copy(from, to, work_); }
  Held copy(const Part& from, const Part& to, ArrayWork& work) {
    return perform(Command::Copy{from.buffer, to.buffer, from.slice}, work);
  }
  /// Copies a worker's result to every shard.
  void push(RoleId worker, int slot, Buffer source = Buffer::gradient, int source_slot = 0) {
    for (int shard = 0; shard < shape_.shards; ++shard) {
      copy({{worker, source, source_slot}, slice(shard)}, at(shard, Buffer::landing, slot));
    }
  }
  void reduce(const Part& into, const Part& from, bool fresh = false, GradientAge age = {}) {
    perform(Command::Reduce{into.buffer, from.buffer, into.slice, age, fresh}, work_);
  }
  void update(const Part& weights, const Part& gradient, float scale, std::int64_t version,
              GradientAge age = {}, float mean_staleness = 0) {
    update(weights, gradient, scale, version, age, mean_staleness, work_);
  }
  Held update(const Part& weights, const Part& gradient, float scale, std::int64_t version,
              GradientAge age, float mean_staleness, ArrayWork& work) {
    return perform(Command::Update{weights.buffer, gradient.buffer, weights.slice,
                                   UpdateMoment{scale, mean_staleness, version, age}},
                   work);
  }
  void assign(const Part& weights, const Part& from, float scale, std::int64_t version) {
    perform(Command::Assign{weights.buffer, from.buffer, weights.slice, version, scale}, work_);
  }
  void publish(int shard, RoleId worker) {
    perform(Command::Publish{shape_.workers + shard, worker}, work_);
  }
  /// One worker's gradient makes the next version, in place.
  void step(std::int64_t version, const std::vector<float>& gradient) {
    compute(0, gradient);
    push(0, 0);
    for (int shard = 0; shard < shape_.shards; ++shard) {
      update(at(shard, Buffer::weights), at(shard, Buffer::landing), 1, version);
    }
  }

 private:
  template <class What>
  Held perform(const What& what, ArrayWork& work) {
    return buffers().perform({{}, what}, work);
  }

  const Shape shape_;
  CountingStore store_;
  HostArrayWork work_;
  Choice<Optimizer> optimizer_;
  std::int64_t parameters_;
  std::optional<Buffers> buffers_;
};

}  // namespace paceline
