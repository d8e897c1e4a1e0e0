// SPDX-License-Identifier: MIT
/// \file
/// A clock that ends operations in any order that their dependencies permit, drawn at random, and
/// carries them out on real buffers. Throws where two operations at a time use the same parameters
/// and one of them writes.
#pragma once
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "training/learning/learning.hpp"
#include "training/runtime/op_graph.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

class ShuffledClock final : public OpGraph {
 public:
  /// Of roles without arithmetic, on a device that keeps `order`.
  ShuffledClock(int roles, Buffers& buffers, unsigned seed,
                DeviceOrder order = DeviceOrder::nothing)
      : OpGraph(roles, roles, nullptr, order), buffers_(buffers), random_(seed) {}
  /// Of the roles of `plan`.
  ShuffledClock(const Plan& plan, Learning& learning, DeviceOrder order, unsigned seed)
      : OpGraph(plan.roles(), plan.workers, plan.observer, order),
        plan_(&plan),
        learning_(&learning),
        buffers_(learning.buffers()),
        random_(seed) {}

  /// Runs all roles to their ends. Throws std::logic_error where they wait for each other.
  void run() {
    run_ready();
    while (!busy_.empty()) {
      std::uniform_int_distribution<std::size_t> any(0, busy_.size() - 1);
      std::swap(busy_[any(random_)], busy_.back());
      const OpIndex op = busy_.back().op;
      busy_.pop_back();
      const Stream stream = stream_of(op);
      const Outcome outcome = is_cancelled(command(op).work) ? Outcome::cancelled : Outcome::done;
      if (outcome == Outcome::done) carry_out(command(op));
      finish(op, outcome);
      let_next_run(stream);
      run_ready();
    }
    if (!all_roles_done()) throw std::logic_error(deadlock());
  }
  /// Copied from role to role.
  double bytes() const { return bytes_; }

  Instant now() const override { return {}; }
  std::string cause_of_death(RoleId) const override { return ""; }

 private:
  struct Use {
    BufferRef buffer;
    Slice slice;
    bool writes = false;
  };
  struct Running {
    OpIndex op = 0;
    std::vector<Use> uses;
  };

  void carry_out(const Command& command) {
    static const std::function<bool()> kNever = [] { return false; };
    if (const auto* compute = command.as<Command::Compute>()) {
      if (compute->layers.pass == Pass::validation) {
        learning_->validate(command.work.worker, *compute, kNever);
      } else {
        learning_->compute(command.work, compute->layers, kNever);
      }
    } else {
      buffers_.perform(command, work_);
    }
    if (const auto* copy = command.as<Command::Copy>()) bytes_ += copy->slice.bytes;
  }

  std::vector<Use> uses_of(const Command& command) const {
    return command.what.visit([&](const auto& what) -> std::vector<Use> {
      if constexpr (requires { uses(what); }) return uses(what);
      if constexpr (requires { uses(what, command.work); }) return uses(what, command.work);
      return {};
    });
  }
  static std::vector<Use> uses(const Command::Copy& copy) {
    return {{copy.from, copy.slice, false}, {copy.to, copy.slice.moved(copy.shift), true}};
  }
  static std::vector<Use> uses(const Command::Reduce& sum) {
    return {{sum.from, sum.slice.moved(sum.shift), false}, {sum.into, sum.slice, true}};
  }
  static Slice words(std::int64_t at, const GradientCodec& codec, const Slice& slice) {
    return {at, at + codec.words(slice.size()), 0};
  }
  static std::vector<Use> uses(const Command::Encode& encode) {
    const BufferRef residual{encode.gradient.role, Buffer::residual};
    return {{encode.gradient, encode.slice, false},
            {encode.into, words(encode.at, encode.codec, encode.slice), true},
            {residual, encode.slice, true}};
  }
  static std::vector<Use> uses(const Command::Decode& decode) {
    return {{decode.from, words(decode.at, decode.codec, decode.slice), false},
            {decode.into, decode.slice, true}};
  }
  static std::vector<Use> uses(const Command::Update& update) {
    return {{update.gradient, update.slice, false}, {update.weights, update.slice, true}};
  }
  static std::vector<Use> uses(const Command::Assign& assign) {
    return {{assign.from, assign.slice, false}, {assign.weights, assign.slice, true}};
  }
  static std::vector<Use> uses(const Command::Prepare& prepare) {
    return {{prepare.into, prepare.slice, true}};
  }
  std::vector<Use> uses(const Command::Compute& compute, WorkId work) const {
    std::vector<Use> all;
    if (plan_->takes_batches(work.worker)) {
      const bool validates = compute.layers.pass == Pass::validation;
      const std::int64_t number = validates ? compute.number : work.step;
      const auto slot = static_cast<std::int32_t>(number % (plan_->input.staging + 1));
      all.push_back({{work.worker, validates ? Buffer::validation_batch : Buffer::batch, slot},
                     {0, validates ? plan_->validation.inputs : plan_->batch_inputs, 0},
                     false});
    }
    const bool backward = compute.layers.pass == Pass::backward;
    for (const Bucket& bucket : plan_->cut.buckets) {
      if (bucket.first_layer >= compute.layers.last || bucket.last_layer <= compute.layers.first)
        continue;
      all.push_back({{work.worker, Buffer::weights}, bucket.slice, false});
      if (backward) all.push_back({{work.worker, Buffer::gradient}, bucket.slice, true});
    }
    return all;
  }
  static bool collide(const Use& a, const Use& b) {
    return a.buffer == b.buffer && (a.writes || b.writes) && a.slice.begin < b.slice.end &&
           b.slice.begin < a.slice.end;
  }

  /// A stream's operations run one after another, also where the device keeps their order.
  bool begin(OpIndex op, Stream stream, const Command&) override {
    std::deque<OpIndex>& line = line_of(stream);
    line.push_back(op);
    if (line.size() == 1) let_run(op);
    return false;
  }
  void let_next_run(Stream stream) {
    std::deque<OpIndex>& line = line_of(stream);
    line.pop_front();
    if (!line.empty()) let_run(line.front());
  }
  void let_run(OpIndex op) {
    Running one{op, uses_of(command(op))};
    for (const Running& other : busy_) {
      for (const Use& mine : one.uses) {
        for (const Use& its : other.uses) {
          if (!collide(mine, its)) continue;
          throw std::logic_error("two operations use the same parameters: " + name_of(op, mine) +
                                 ", " + name_of(other.op, its));
        }
      }
    }
    busy_.push_back(std::move(one));
  }
  std::string name_of(OpIndex op, const Use& use) const {
    static constexpr const char* kCommands[] = {
        "compute", "delay",      "copy",   "reduce", "update", "assign", "publish",
        "mark",    "collective", "encode", "decode", "read",   "prepare"};
    static constexpr const char* kBuffers[] = {
        "weights", "gradient", "landing", "snapshot", "incoming",
        "encoded", "residual", "batch",   "data set", "validation batch"};
    const auto* compute = command(op).as<Command::Compute>();
    const std::string pass = compute != nullptr
                                 ? " " + std::to_string(static_cast<int>(compute->layers.pass)) +
                                       " of mini-batch " + std::to_string(command(op).work.step)
                                 : "";
    return std::string(kCommands[command(op).what.index()]) + pass + " of role " +
           std::to_string(stream_of(op).role) + (use.writes ? " writes " : " reads ") +
           kBuffers[static_cast<std::size_t>(use.buffer.buffer)] + " of role " +
           std::to_string(use.buffer.role);
  }
  std::deque<OpIndex>& line_of(Stream stream) {
    const auto place = static_cast<std::size_t>(stream.role) * kStreamKinds +
                       static_cast<std::size_t>(stream.kind);
    if (lines_.size() <= place) lines_.resize(place + 1);
    return lines_[place];
  }

  void interrupt(OpIndex, const Command&) override {}  // it ends when its turn has come
  bool is_free(Stream, const Command& command) const override {
    const auto* delay = command.as<Command::Delay>();
    return delay != nullptr && delay->ps == 0;
  }
  double last_loss(RoleId worker) const override {
    return learning_ != nullptr ? learning_->last_loss(worker) : 0;
  }
  void decide(RoleId role) override { wake(role); }

  const Plan* plan_ = nullptr;
  Learning* learning_ = nullptr;
  Buffers& buffers_;
  HostArrayWork work_;
  std::mt19937 random_;
  std::vector<std::deque<OpIndex>> lines_;  ///< by stream: begun, the first of them runs
  std::vector<Running> busy_;
  double bytes_ = 0;
};

}  // namespace paceline
