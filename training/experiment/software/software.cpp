// SPDX-License-Identifier: MIT
#include "training/experiment/software/software.hpp"

#include <array>

#include "experiments/language/changed_document.hpp"

namespace paceline {

std::span<const EnumName<RingOrder>> enum_names(const RingOrder*) {
  static constexpr std::array<EnumName<RingOrder>, 2> kNames{
      {{"searched", RingOrder::searched}, {"by-rank", RingOrder::by_rank}}};
  return kNames;
}

std::span<const EnumName<LibraryKind>> enum_names(const LibraryKind*) {
  static constexpr std::array<EnumName<LibraryKind>, 2> kNames{
      {{"rings", LibraryKind::rings}, {"nccl", LibraryKind::nccl}}};
  return kNames;
}

std::span<const EnumName<Dispatchers>> enum_names(const Dispatchers*) {
  static constexpr std::array<EnumName<Dispatchers>, 2> kNames{
      {{"computer", Dispatchers::computer}, {"gpu", Dispatchers::gpu}}};
  return kNames;
}

void CollectiveCost::describe(Description<CollectiveCost>& d) {
  d.optional("model", &CollectiveCost::model,
             "rings with the figures below, or NCCL 2 by size and interconnect");
  d.optional("efficiency", &CollectiveCost::efficiency, "share of a link's bandwidth it reaches")
      .above(Percent{0})
      .at_most(Percent{1});
  d.optional("staged_efficiency", &CollectiveCost::staged_efficiency,
             "share of a link's bandwidth it reaches through host memory, without peer access")
      .above(Percent{0})
      .at_most(Percent{1});
  d.optional("step_latency", &CollectiveCost::step_latency,
             "latency of each of the ring's 2(P-1) steps")
      .at_least(Seconds{0});
  d.optional("launch", &CollectiveCost::launch, "time to launch one call").at_least(Seconds{0});
  d.optional("rings", &CollectiveCost::rings,
             "over the fastest links, or one in the order of the ranks");
  d.optional(
       "tcp_channels", &CollectiveCost::tcp_channels,
       "channels of NCCL for a network card whose link has a `connection` bound, each with the "
       "link's `sockets`")
      .at_least(1)
      .at_most(32);
  d.optional("contention", &CollectiveCost::contention,
             "share of its speed that a GPU's arithmetic loses during an all-reduce")
      .at_least(Percent{0})
      .below(Percent{1});
}

void ComposedUpdate::describe(Description<ComposedUpdate>& d) {
  d.required("operations", &ComposedUpdate::operations,
             "kernels for each tensor, one after another")
      .at_least(1)
      .at_most(1000);
  d.required("passes", &ComposedUpdate::passes,
             "arrays of the size of the parameters that they read and write")
      .at_least(3)
      .at_most(1000);
}

void GradientBuckets::describe(Description<GradientBuckets>& d) {
  d.optional("size", &GradientBuckets::size,
             "least size of a bucket where the file has no `aggregation.bucket` (0 B: its default)")
      .at_least(Bytes{0});
  d.optional("first", &GradientBuckets::first,
             "least size of the first bucket, which holds the last layers, where the file has no "
             "`aggregation.first_bucket` (0 B: as the others)")
      .at_least(Bytes{0});
  d.optional("passes", &GradientBuckets::passes,
             "times that gradients are read or written on a GPU to copy them into buckets and back")
      .at_least(0)
      .at_most(100);
}

void Software::describe(Description<Software>& d) {
  d.optional("kernels", &Software::kernels, "the kernels that it launches on a GPU");
  d.optional(
      "lamb", &Software::lamb,
      "the operations of which it composes an update by LAMB (default: it has kernels for it)");
  d.optional("dispatch", &Software::dispatch,
             "time to launch one layer's kernels (0 s: the machine's figure)")
      .at_least(Seconds{0});
  d.optional(
      "dispatchers", &Software::dispatchers,
      "threads that launch kernels: one for all GPUs of a computer, or one for each GPU, in a "
      "process of its own or not");
  d.optional("decision_latency", &Software::decision_latency,
             "time from an event to the host's response (0 s: the machine's figure)")
      .at_least(Seconds{0});
  d.optional("gpu_variation", &Software::gpu_variation,
             "deviation of the times of GPUs of one model / their mean")
      .at_least(Percent{0})
      .at_most(Percent{0.2});
  d.optional("step_variation", &Software::step_variation,
             "deviation of a worker's arithmetic from step to step / its mean")
      .at_least(Percent{0})
      .at_most(Percent{0.5});
  d.optional("server_bandwidth", &Software::server_bandwidth,
             "memory traffic of a server's arithmetic on a CPU (0 B/s: the machine's memory)")
      .at_least(BytesPerSecond{0});
  d.optional(
      "sums_at_once", &Software::sums_at_once,
      "a server reads each gradient of an update once and writes their sum (default: it adds "
      "them one by one)");
  d.optional(
      "all_reduces", &Software::all_reduces,
      "gradients are all-reduced where the experiment has no `aggregation`: by the machine's "
      "own library if every worker has a GPU, else in a ring (default: a parameter server)");
  d.optional(
      "overlap", &Software::overlap,
      "gradients travel during the backward pass where the file has no `aggregation.overlap`; "
      "false for a stack that runs the backward pass as one compiled graph");
  d.optional("buckets", &Software::buckets, "the buckets in which it sends gradients");
  d.optional("batch_norm_wait", &Software::batch_norm_wait,
             "in fp16 or bf16 with batch norms, share of its backward pass that a worker waits for "
             "calls of the machine's own all-reduce beside it, for each doubling of the workers of "
             "a computer")
      .at_least(Percent{0})
      .at_most(Percent{5});
  d.optional("collective", &Software::collective, "the machine's own all-reduce library");
  d.optional("sources", &Software::sources, "sources of the figures, by key");
  d.optional("fitted", &Software::fitted, "keys with fitted values");
}

namespace {

/// The figures of a ring are no part of NCCL's model, which has its own.
void refuse_unused_figures(const Tree& software, Diagnostics& diagnostics) {
  const Tree* collective = software.find("collective");
  if (collective == nullptr) return;
  for (const char* key :
       {"efficiency", "staged_efficiency", "step_latency", "launch", "rings", "contention"}) {
    if (const Tree* figure = collective->find(key)) {
      diagnostics.error(figure->at, "'" + std::string(key) +
                                        "' has no effect with model nccl, which takes its "
                                        "figures from the machine's interconnect");
    }
  }
}

}  // namespace

Software load_software(const Tree& value) {
  const Tree tree = load_changed(value, "software", embedded_software());
  Diagnostics diagnostics;
  Software software = read<Software>(tree, diagnostics);
  if (software.collective.model == LibraryKind::nccl) refuse_unused_figures(tree, diagnostics);
  diagnostics.throw_if_any();
  return software;
}

}  // namespace paceline
