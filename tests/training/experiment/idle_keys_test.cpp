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

}  // namespace
}  // namespace paceline
