// SPDX-License-Identifier: MIT
// Keys that change nothing are noted at their place; with any effect in any point they are not.
#include "training/experiment/idle_keys.hpp"

#include <gmock/gmock.h>

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> notes(const std::string& rest) {
  return notes_on_idle_keys(
      load_experiment_text("idle.yaml",
                           "name: idle\nmodel: {kind: synthetic, compute: 1 ms}\nmachine: ideal\n"
                           "steps: 90\nwarmup: 10\n" +
                               rest,
                           {}));
}

TEST(IdleKeys, ACheckpointAfterTheEndOfTheRunIsNone) {
  const std::string at = "checkpoint: {every: 20000, bandwidth: 1 GB/s}\n";
  EXPECT_THAT(notes("workers: 4\n" + at),
              ElementsAre("idle.yaml:7:21: note: 'checkpoint.every' has no effect: a run of 100 "
                          "rounds (warmup and steps) has 100 updates"));
  EXPECT_THAT(notes("workers: 4\nupdate: async\ncheckpoint: {every: 400, bandwidth: 1 GB/s}\n"),
              IsEmpty())
      << "each gradient is an update";
  EXPECT_THAT(notes("workers: 4\ncheckpoint: {every: 100, bandwidth: 1 GB/s}\n"), IsEmpty());
}

TEST(IdleKeys, AValidationAfterTheEndOfTheRunIsNone) {
  EXPECT_THAT(notes("validation: {every: 101, batches: 1}\n"),
              ElementsAre("idle.yaml:6:21: note: 'validation.every' has no effect: a run of 100 "
                          "rounds (warmup and steps) has 100 mini-batches of a worker"));
  EXPECT_THAT(notes("validation: {every: 100, batches: 1}\n"), IsEmpty());
}

TEST(IdleKeys, LearningRatesWithoutTraining) {
  EXPECT_THAT(notes("optimizer: {kind: sgd, learning_rate: 0.2, staleness: average}\n"),
              ElementsAre("idle.yaml:6:55: note: 'optimizer.staleness' has no effect: it changes "
                          "the loss, and nothing is trained without 'train'"));
}

TEST(IdleKeys, FiguresOfALibraryThatIsNotCalled) {
  const std::string library = "software: {collective: {model: rings, launch: 1 ms}}\n";
  const std::string ring = "aggregation: {kind: allreduce, algorithm: ring}\n";
  EXPECT_THAT(notes("workers: 4\n" + ring + library),
              ElementsAre("idle.yaml:8:24: note: 'software.collective' has no effect: no "
                          "all-reduce is the library's own (algorithm: nccl)"));
  EXPECT_THAT(
      notes("workers: 4\naggregation: {kind: allreduce, algorithm: [ring, nccl]}\n" + library),
      IsEmpty())
      << "one point calls it";
}

TEST(IdleKeys, FunctionsInFp32WhereAllAre) {
  const std::string functions = "software: {kernels: {fp32_functions: [scores]}}\n";
  const std::string head = "name: idle\nmodel: bert_base\nmachine: h200\nbatch: 2\n";
  const auto of = [&](const std::string& rest) {
    return notes_on_idle_keys(load_experiment_text("idle.yaml", head + rest + functions, {}));
  };
  EXPECT_THAT(of(""), ElementsAre("idle.yaml:5:38: note: 'software.kernels.fp32_functions' has no "
                                  "effect: with this precision every function is in fp32"));
  EXPECT_THAT(of("precision: fp16\n"), IsEmpty());
}

/// Notes on a file with vgg16 on a machine with eight GPUs.
std::vector<std::string> notes_on_gpus(const std::string& rest) {
  return notes_on_idle_keys(load_experiment_text(
      "idle.yaml", "name: idle\nmodel: vgg16\nmachine: dgx1-p100\nbatch: 8\n" + rest, {}));
}

std::string idle(const std::string& place, const std::string& key, const std::string& why) {
  return "idle.yaml:" + place + ": note: '" + key + "' has no effect: " + why;
}

TEST(IdleKeys, BucketsOfWhatTravelsTogether) {
  const std::string together = "all layers travel together (overlap: false)";
  EXPECT_THAT(
      notes_on_gpus("workers: 2\naggregation: {kind: parameter-server, overlap: false, bucket: 1 "
                    "MB, fetch: random}\n"),
      ElementsAre(idle("6:76", "aggregation.fetch", together),
                  idle("6:63", "aggregation.bucket", together)));
  EXPECT_THAT(notes_on_gpus("workers: 2\naggregation: {kind: parameter-server, overlap: [false, "
                            "true], bucket: 1 MB}\n"),
              IsEmpty())
      << "one point has buckets";
}

TEST(IdleKeys, ExchangeOfOneWorker) {
  const std::string alone = "one worker has no other to exchange gradients with";
  EXPECT_THAT(
      notes_on_gpus("aggregation: {kind: allreduce, algorithm: nccl, overlap: true, bucket: "
                    "1 MB}\n"),
      ElementsAre(idle("5:43", "aggregation.algorithm", "there is one worker"),
                  idle("5:58", "aggregation.overlap", alone),
                  idle("5:72", "aggregation.bucket", alone)));
  EXPECT_THAT(notes_on_gpus("workers: [1, 2]\naggregation: {kind: allreduce, bucket: 1 MB}\n"),
              IsEmpty());
  EXPECT_THAT(notes_on_gpus("aggregation: {kind: parameter-server, bucket: 1 MB}\n"), IsEmpty())
      << "a server is another place";
  EXPECT_THAT(notes_on_gpus("aggregation: {kind: distributed-replicated, gpus_per_worker: 4}\n"),
              ElementsAre(idle("5:62", "aggregation.gpus_per_worker", "there is one worker")));
  EXPECT_THAT(
      notes_on_gpus("aggregation: {kind: parameter-server, placement: sharded-gpus, divide: "
                    "in-turn}\n"),
      ElementsAre(idle("5:72", "aggregation.divide", "there is one worker")));
}

TEST(IdleKeys, PlacesThatAreTheSame) {
  EXPECT_THAT(notes_on_gpus("workers: 2\naggregation: {kind: replicated, placement: hosts}\n"),
              ElementsAre(idle("6:44", "aggregation.placement",
                               "on one computer and in one process 'hosts' is 'cpu'")));
  EXPECT_THAT(
      notes_on_gpus("workers: 2\naggregation: {kind: parameter-server, variables: "
                    "{fully-connected: "
                    "cpu}}\n"),
      ElementsAre(idle("6:50", "aggregation.variables", "all variables are there without it")));
  EXPECT_THAT(notes_on_gpus("workers: 2\naggregation: {kind: parameter-server, placement: gpu, "
                            "variables: {fully-connected: cpu}}\n"),
              IsEmpty());
  EXPECT_THAT(
      notes_on_gpus("workers: 2\naggregation: {kind: concatenated, placement: gpu, "
                    "optimizer: first-gpu}\n"),
      ElementsAre(idle("6:62", "aggregation.optimizer",
                       "the weights are on the first GPU, and the optimizer is with them")));
}

TEST(IdleKeys, LinksOfOneProcess) {
  EXPECT_THAT(
      notes("processes: {bandwidth: 1 GB/s, cores: own}\n"),
      ElementsAre(idle("6:24", "processes.bandwidth", "there is one process (processes.count)"),
                  idle("6:39", "processes.cores", "there is one process (processes.count)")));
}

TEST(IdleKeys, WaysOfInput) {
  EXPECT_THAT(notes_on_gpus("input: {kind: pipeline, decode: {time: 1 ms, each: share}}\n"),
              ElementsAre(idle("5:52", "input.decode.each", "one thread decodes the whole batch")));
  EXPECT_THAT(
      notes_on_gpus("input: {kind: pipeline, decode: {time: 1 ms, each: share, workers: 2}}\n"),
      IsEmpty());
  const std::string free = "copies take no time on machine 'ideal'";
  EXPECT_THAT(notes("input: {kind: pipeline, decode: {time: 1 ms}, batch: concat}\n"),
              ElementsAre(idle("6:54", "input.batch", free)));
  EXPECT_THAT(notes("workers: 2\naggregation: {kind: parameter-server, bucket: 1 MB}\n"),
              ElementsAre(idle("7:47", "aggregation.bucket", free)));
}

}  // namespace
}  // namespace paceline
