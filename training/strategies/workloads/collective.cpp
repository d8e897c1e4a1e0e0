// SPDX-License-Identifier: MIT
#include <cmath>

#include "experiments/language/unit_table.hpp"
#include "training/strategies/collectives/repeat_collective.hpp"
#include "training/strategies/workloads/workload_kind.hpp"
#include "training/workload/precision.hpp"

namespace paceline {
namespace {

constexpr double kLargest = 1e12;  // bytes

/// One collective, repeated.
class CollectiveAlone final : public WorkloadKind {
 public:
  Operation op = Operation::all_reduce;
  Bytes size_key{1048576};
  std::optional<Choice<AllReduce>> algorithm;
  std::string against;

  std::string name() const override {
    const std::string operation = Value<Operation>::write(op).text;
    if (algorithm) return operation + " by " + algorithm->kind();
    return op == Operation::all_reduce ? operation + " by ring" : operation;
  }
  Operation operation() const override { return op; }
  Network network() const override;
  Choice<Aggregation> aggregation() const override;
  Bytes size() const override { return size_key; }
  const std::string& log() const override { return against; }
  std::string invalid() const {
    if (std::fmod(size_key.value(), kBytesPerParameter) != 0)
      return "'size' must be a multiple of 4 B, the size of a float";
    if (!algorithm || (*algorithm)->native() || (*algorithm)->operation() == op) return "";
    if (const Operation other = (*algorithm)->operation(); other != Operation::all_reduce)
      return "the program is an " + Value<Operation>::write(other).text + " (op is " +
             Value<Operation>::write(op).text + ")";
    return "'algorithm' of op " + Value<Operation>::write(op).text +
           " is nccl, a program of msccl, or left out for its one schedule";
  }
  static void describe(Description<CollectiveAlone>& d) {
    d.optional("op", &CollectiveAlone::op, "the operation");
    d.optional("size", &CollectiveAlone::size_key,
               "bytes of the whole buffer on a rank, as nccl-tests counts them")
        .at_least(Bytes{kBytesPerParameter})
        .at_most(Bytes{kLargest});
    d.optional("algorithm", &CollectiveAlone::algorithm,
               "all-reduce algorithm (default: ring); nccl of every op, msccl of the program's");
    d.optional("against", &CollectiveAlone::against,
               "output of nccl-tests to compare with; its path is relative to this file");
  }
};

/// The program of its ranks.
class CollectiveRanks final : public Aggregation {
 public:
  Operation op = Operation::all_reduce;
  Choice<AllReduce> algorithm{"ring"};

  int shards(int, int) const override { return 0; }
  bool replicas() const override { return true; }
  bool serves(const UpdatePolicy&) const override { return false; }
  const AllReduce* all_reduce() const override {
    const bool does = algorithm->native() || algorithm->operation() == op;
    return does ? algorithm.part().get() : nullptr;
  }
  SharedSchedule schedule(const Plan& plan) const override {
    return all_reduce() != nullptr ? Aggregation::schedule(plan) : usual_schedule(op, plan.workers);
  }
  RoleBuffers buffers(const Plan& plan, RoleId) const override {
    RoleBuffers buffers{plan.whole(), {{Buffer::gradient}}};
    if (plan.schedule != nullptr && plan.schedule->landings() > 0) {
      const CollectiveCall call = whole_call(plan, 0, slices(plan));
      buffers.slots.push_back({Buffer::landing, 1, landing_size(call)});
    } else if (op == Operation::all_to_all && plan.workers > 1) {
      buffers.slots.push_back(
          {Buffer::landing});  // a library's result cannot replace what it sends
    }
    return buffers;
  }
  bool runs_alike(const Plan& plan) const override {
    const bool library = all_reduce() != nullptr && all_reduce()->native();
    return library || (plan.schedule != nullptr && slices(plan) == 1);
  }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    return repeat_collective(plan, op, slices(plan), backend, role);
  }
  int slices(const Plan& plan) const {
    return all_reduce() != nullptr ? algorithm->slices(plan.whole().bytes, plan.workers) : 1;
  }
  static void describe(Description<CollectiveRanks>& d) {
    d.optional("op", &CollectiveRanks::op, "the operation");
    d.optional("algorithm", &CollectiveRanks::algorithm, "all-reduce algorithm");
  }
};

Network CollectiveAlone::network() const {
  Network network;
  network.name = Value<Operation>::write(op).text;
  network.item = "bytes";
  Layer& buffer = network.layers.emplace_back();
  buffer.name = "buffer";
  buffer.kind = LayerKind::synthetic;
  buffer.parameters = std::llround(size_key.value() / kBytesPerParameter);
  buffer.tensors = 1;
  return network;
}

Choice<Aggregation> CollectiveAlone::aggregation() const {
  static const Variant<Aggregation> row =
      variant<CollectiveRanks, Aggregation>("collective", "a collective alone");
  auto ranks = std::make_shared<CollectiveRanks>();
  ranks->op = op;
  if (algorithm) ranks->algorithm = *algorithm;
  return {&row, ranks};
}

}  // namespace

Variant<WorkloadKind> collective_workload() {
  return variant<CollectiveAlone, WorkloadKind>("collective",
                                                "one collective operation on a buffer, repeated");
}

}  // namespace paceline
