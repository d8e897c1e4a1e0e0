// SPDX-License-Identifier: MIT
#include "training/strategies/aggregations/aggregation.hpp"
#include "training/strategies/compressions/compression.hpp"
#include "training/strategies/encoded_gradient.hpp"
#include "training/strategies/own_weights.hpp"

namespace paceline {
namespace {

/// Every worker has the weights, and the workers sum the gradients among themselves.
class AmongWorkers : public Aggregation {
 public:
  int shards(int, int) const override { return 0; }
  bool replicas() const override { return true; }
  bool serves(const UpdatePolicy& policy) const override {
    return policy.takes_all_workers() &&
           ((!codec() && !sparse()) || policy.rule(1).local_steps == 1);
  }
  RoleBuffers buffers(const Plan& plan, RoleId) const override {
    RoleBuffers buffers = worker_buffers(plan, true);
    add_encoding_buffers(plan, buffers);
    const std::int64_t landing = landing_size(*all_reduce(), plan);
    if (landing > 0) buffers.slots.push_back({Buffer::landing, 1, landing});
    return buffers;
  }
  bool runs_alike(const Plan& plan) const override {
    const bool whole = plan.schedule != nullptr && all_reduce()->whole();
    return (whole || all_reduce()->native()) && !plan.encodes();
  }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    return all_reduce_worker(plan, *all_reduce(), backend, role);
  }
};

/// Bytes sent per worker: those of the algorithm, for a ring 2(P-1)/P n (docs/model.md).
class Allreduce final : public AmongWorkers {
 public:
  Choice<AllReduce> algorithm_key{"ring"};
  bool overlap_key = true;
  Choice<Compression> compression_key{"none"};
  bool sparse_key = false;
  Bytes bucket_key{25.0 * 1048576};
  Bytes first_bucket_key;

  GradientCodec codec() const override { return compression_key->codec(); }
  bool sparse() const override { return sparse_key; }
  const AllReduce* all_reduce() const override { return algorithm_key.part().get(); }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  Bytes first_bucket() const override { return first_bucket_key; }
  std::string invalid() const {
    if (const Operation operation = all_reduce()->operation(); operation != Operation::all_reduce)
      return "training needs an all-reduce, and this program is an " +
             Value<Operation>::write(operation).text;
    if (!codec() || codec().adds()) return "";
    return "an all-reduce adds gradients on their way, and '" + compression_key.kind() +
           "' cannot be added (use fp16, peer-to-peer or parameter-server)";
  }
  static void describe(Description<Allreduce>& d) {
    d.optional("algorithm", &Allreduce::algorithm_key, "all-reduce algorithm");
    d.optional("compression", &Allreduce::compression_key, kCompressionHelp);
    d.optional("sparse", &Allreduce::sparse_key, kSparseHelp);
    describe_travel(d);
    d.optional("first_bucket", &Allreduce::first_bucket_key, kFirstBucketHelp).at_least(Bytes{0});
  }
};

/// Bytes sent per worker: (P-1) n.
class PeerToPeer final : public AmongWorkers {
 public:
  bool overlap_key = true;
  Choice<Compression> compression_key{"none"};
  bool sparse_key = false;
  Bytes bucket_key{25.0 * 1048576};

  GradientCodec codec() const override { return compression_key->codec(); }
  bool sparse() const override { return sparse_key; }
  const AllReduce* all_reduce() const override { return exchange_.part().get(); }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  static void describe(Description<PeerToPeer>& d) {
    d.optional("compression", &PeerToPeer::compression_key, kCompressionHelp);
    d.optional("sparse", &PeerToPeer::sparse_key, kSparseHelp);
    describe_travel(d);
  }

 private:
  Choice<AllReduce> exchange_{"peer-to-peer"};
};

}  // namespace

Variant<Aggregation> allreduce_aggregation() {
  return variant<Allreduce, Aggregation>("allreduce", "the workers sum gradients among themselves");
}

Variant<Aggregation> peer_to_peer_aggregation() {
  return variant<PeerToPeer, Aggregation>("peer-to-peer",
                                          "every worker sends its gradient to every other");
}

}  // namespace paceline
