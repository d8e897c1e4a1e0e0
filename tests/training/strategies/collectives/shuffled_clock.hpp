// SPDX-License-Identifier: MIT
/// \file
/// A clock that ends operations in any order that their dependencies permit, drawn at random, and
/// carries them out on real buffers. Throws where two operations at a time use the same parameters
/// and one of them writes.
#pragma once
#include <random>
#include <stdexcept>
#include <vector>

#include "training/learning/buffers.hpp"
#include "training/learning/host_arrays.hpp"
#include "training/runtime/op_graph.hpp"

namespace paceline {

class ShuffledClock final : public OpGraph {
 public:
  ShuffledClock(int roles, Buffers& buffers, unsigned seed)
      : OpGraph(roles, roles, nullptr), buffers_(buffers), random_(seed) {}

  /// Runs all roles to their ends. Throws std::logic_error where they wait for each other.
  void run() {
    run_ready();
    while (!running_.empty()) {
      std::uniform_int_distribution<std::size_t> any(0, running_.size() - 1);
      std::swap(running_[any(random_)], running_.back());
      const Running one = running_.back();
      running_.pop_back();
      buffers_.perform(command(one.op), work_);
      bytes_ += bytes_of(command(one.op));
      finish(one.op, Outcome::done);
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

  static double bytes_of(const Command& command) {
    const auto* copy = command.as<Command::Copy>();
    return copy != nullptr ? copy->slice.bytes : 0;
  }
  static std::vector<Use> uses_of(const Command& command) {
    if (const auto* copy = command.as<Command::Copy>()) {
      return {{copy->from, copy->slice, false}, {copy->to, copy->slice.moved(copy->shift), true}};
    }
    if (const auto* sum = command.as<Command::Reduce>()) {
      return {{sum->from, sum->slice.moved(sum->shift), false}, {sum->into, sum->slice, true}};
    }
    return {};
  }
  static bool collide(const Use& a, const Use& b) {
    return a.buffer == b.buffer && (a.writes || b.writes) && a.slice.begin < b.slice.end &&
           b.slice.begin < a.slice.end;
  }

  bool begin(OpIndex op, Stream, const Command& command) override {
    Running one{op, uses_of(command)};
    for (const Running& other : running_) {
      for (const Use& mine : one.uses) {
        for (const Use& its : other.uses) {
          if (collide(mine, its)) throw std::logic_error("two operations use the same parameters");
        }
      }
    }
    running_.push_back(std::move(one));
    return false;
  }
  void interrupt(OpIndex, const Command&) override {}
  bool is_free(Stream, const Command&) const override { return false; }
  double last_loss(RoleId) const override { return 0; }
  void decide(RoleId role) override { wake(role); }

  Buffers& buffers_;
  HostArrayWork work_;
  std::mt19937 random_;
  std::vector<Running> running_;
  double bytes_ = 0;
};

}  // namespace paceline
