// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "experiments/language/containers.hpp"
#include "training/workload/input/input_source.hpp"

namespace paceline {
namespace {

/// The part of a mini-batch that a loader works on at a time.
enum class Portion : std::uint8_t { batch, share };
std::span<const EnumName<Portion>> enum_names(const Portion*) {
  static constexpr EnumName<Portion> kNames[] = {{"batch", Portion::batch},
                                                 {"share", Portion::share}};
  return kNames;
}

enum class Batching : std::uint8_t { stack, concat };
std::span<const EnumName<Batching>> enum_names(const Batching*) {
  static constexpr EnumName<Batching> kNames[] = {{"stack", Batching::stack},
                                                  {"concat", Batching::concat}};
  return kNames;
}

constexpr int kAhead = 2;          // batches, as prefetch_factor of PyTorch's DataLoader
constexpr Seconds kLongest{3600};  // of an item: beyond it a unit is wrong

struct Reading {
  Bytes size;
  BytesPerSecond bandwidth;
  Seconds latency;
  std::optional<double> requests_per_second;

  /// The time in which the storage serves no other request.
  Seconds service() const {
    const Seconds transfer = size / bandwidth;
    return requests_per_second ? std::max(transfer, Seconds{1 / *requests_per_second}) : transfer;
  }
  static void describe(Description<Reading>& d) {
    d.required("size", &Reading::size, "of an item's record").above(Bytes{0}).at_most(Bytes{1e12});
    d.required("bandwidth", &Reading::bandwidth,
               "of a computer's storage, which serves one loader after another")
        .above(BytesPerSecond{0});
    d.optional("latency", &Reading::latency,
               "of a request: a loader waits for one record after another, and the storage serves "
               "other loaders meanwhile")
        .at_least(Seconds{0})
        .at_most(kLongest);
    d.optional("requests_per_second", &Reading::requests_per_second,
               "that the storage serves at most, of any size; a record is one (default: as its "
               "bandwidth allows)")
        .above(0)
        .at_most(1e9);
  }
};

struct Decoding {
  int workers = 1;
  Portion each = Portion::batch;
  bool processes = false;
  std::optional<Seconds> time;
  std::optional<Bytes> size;
  std::optional<BytesPerSecond> rate;

  std::string invalid() const {
    if (time ? size || rate : !(size && rate))
      return "'decode' needs either 'time', or 'size' with 'rate'";
    if (processes && each == Portion::share)
      return "'processes' make whole batches (use each: batch, or threads)";
    return "";
  }
  Seconds item() const { return time ? *time : *size / *rate; }
  static void describe(Description<Decoding>& d) {
    d.optional("workers", &Decoding::workers, "threads of each worker that read and decode")
        .at_least(1)
        .at_most(64);
    d.optional("each", &Decoding::each,
               "what a thread decodes: a batch of its own, as PyTorch's loaders do, or its share "
               "of every batch, as a parallel map of tf.data does");
    d.optional(
        "processes", &Decoding::processes,
        "workers are processes, as PyTorch's: one thread of the trainer copies their batches "
        "out of shared memory into pinned memory");
    d.optional("time", &Decoding::time, "of an item, on one core")
        .at_least(Seconds{0})
        .at_most(kLongest);
    d.optional("size", &Decoding::size, "of an item before it is decoded, instead of time")
        .above(Bytes{0})
        .at_most(Bytes{1e12});
    d.optional("rate", &Decoding::rate, "at which one core decodes, with size")
        .above(BytesPerSecond{0});
  }
};

/// Records that loaders read from storage and decode on cores of the host.
class Pipeline final : public InputSource {
 public:
  std::optional<Reading> read;
  Decoding decode;
  Seconds augment;
  Batching batching = Batching::stack;
  bool pinned = true;
  std::optional<int> prefetch;
  int staging = 0;
  std::map<std::string, std::string> sources;  ///< of the figures, by key

  std::string invalid() const {
    const std::string why = decode.invalid();
    if (!why.empty()) return why;
    const Loading all = loading();
    if (all.read > kLongest || all.prepare > kLongest) return "an item must take at most 1 h";
    if (staging > 0 && prefetch == 0)
      return "'staging' copies ahead what is prefetched (use prefetch: 1 or more)";
    if (decode.processes && !pinned)
      return "batches of 'processes' are pinned (leave 'pinned' out, or use threads)";
    return "";
  }
  Loading loading() const override {
    Loading all;
    all.loaders = decode.workers;
    all.shared = decode.each == Portion::share && decode.workers > 1;
    all.gathers = batching == Batching::concat;
    all.pins = decode.processes;
    all.pageable = !pinned;
    all.prefetch = prefetch.value_or(all.shared ? kAhead : kAhead * decode.workers);
    all.staging = staging;
    if (read) {
      all.read = read->service();
      all.latency = read->latency;
    }
    all.prepare = decode.item() + augment;
    return all;
  }
  static void describe(Description<Pipeline>& d) {
    d.optional("read", &Pipeline::read, "records from storage (default: they are in memory)");
    d.required("decode", &Pipeline::decode, "items from records");
    d.optional("augment", &Pipeline::augment, "of an item, on the core that has decoded it")
        .at_least(Seconds{0})
        .at_most(kLongest);
    d.optional("batch", &Pipeline::batching,
               "stack: each item is decoded into its place in the batch; concat: items are copied "
               "together when all are ready");
    d.optional("pinned", &Pipeline::pinned,
               "batches are copied to a GPU from pinned memory; false: from pageable memory, at "
               "the host's `pageable_bandwidth`, as arrays of NumPy");
    d.optional(
         "prefetch", &Pipeline::prefetch,
         "batches that are decoded ahead (0: when the worker wants one; default: 2, and where "
         "each thread decodes a batch of its own 2 a thread, as PyTorch's loaders do)")
        .at_least(0)
        .at_most(64);
    d.optional("staging", &Pipeline::staging,
               "batches that are copied to the worker ahead (0: when it wants one)")
        .at_least(0)
        .at_most(16);
    d.optional("sources", &Pipeline::sources, "of the figures, by key");
  }
};

}  // namespace

Variant<InputSource> pipeline_input() {
  return variant<Pipeline, InputSource>(
      "pipeline", "records are read, decoded and augmented by threads of the host");
}

}  // namespace paceline
