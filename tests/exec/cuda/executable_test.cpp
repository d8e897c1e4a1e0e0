// SPDX-License-Identifier: MIT
// Checks before execution whether a point can run on GPUs.
#include "exec/cuda/executable.hpp"

#include <gtest/gtest.h>

#include "training/experiment/experiment_file.hpp"

namespace paceline::cuda {
namespace {

/// `count` cards of one model.
AcceleratorFacts cards(int count, const std::string& name = "NVIDIA H200") {
  AcceleratorFacts facts;
  for (int gpu = 0; gpu < count; ++gpu) facts.gpus.push_back({name, Bytes{141e9}, 132, ""});
  return facts;
}

/// The result of not_executable() for an experiment with these lines.
std::string problem_of(const std::string& lines, const AcceleratorFacts& facts) {
  const std::string text = "name: p\nmodel: {kind: mlp, inputs: 4, hidden: [8], classes: 2}\n";
  const ExperimentFile file = load_experiment_text("p.yaml", text + lines, {});
  return not_executable(file.points.front(), facts);
}

TEST(NotExecutable, WithoutGpusTheirOwnReason) {
  AcceleratorFacts none;
  none.problem = "no NVIDIA driver on this computer";
  EXPECT_EQ(problem_of("workers: 1\n", none), none.problem);
}

TEST(NotExecutable, EachWorkerNeedsAGpu) {
  EXPECT_EQ(problem_of("workers: 2\n", cards(2)), "");
  EXPECT_EQ(problem_of("workers: 4\n", cards(1)),
            "4 workers and 1 GPU (give 'devices: {virtual: 4}')");
  EXPECT_EQ(problem_of("workers: 4\ndevices: {virtual: 4}\n", cards(1)), "");
}

TEST(NotExecutable, TheCardMustBeThere) {
  EXPECT_EQ(problem_of("devices: {gpu: 1}\n", cards(2)), "");
  EXPECT_EQ(problem_of("devices: {gpu: 2}\n", cards(2)),
            "no GPU 2 on this computer (2 GPUs, counted from 0)");
}

TEST(NotExecutable, ADescribedMachineMustBeThisOne) {
  const std::string lines = "machine: dgx1-p100\nworkers: 2\n";
  EXPECT_EQ(problem_of(lines, cards(2, "Tesla P100-SXM2-16GB")), "");
  EXPECT_EQ(problem_of(lines, cards(2)),
            "machine 'dgx1-p100' is not this machine (its GPU 0: Tesla P100 SXM2 16 GB; here: 2 x "
            "NVIDIA H200)");
}

TEST(NotExecutable, InputsValidationAndCheckpointsAreExecuted) {
  for (const char* lines :
       {"input: {kind: constant, items: 1000}\n",
        "input: {kind: pipeline, decode: {time: 1 ms, processes: true}}\n",
        "aggregation: gather\ninput: {kind: pipeline, decode: {time: 1 ms}}\n",
        "validation: {every: 2, batches: 1}\n", "checkpoint: {every: 2, bandwidth: 1 GB/s}\n"}) {
    EXPECT_EQ(problem_of(lines, cards(1)), "") << lines;
  }
}

TEST(NotExecutable, WhatNoGpuCanBe) {
  EXPECT_EQ(problem_of("stragglers: {workers: {0: {slowdown: 0.5}}}\n", cards(1)),
            "no worker can compute faster than its GPU (a slowdown below 1)");
  const std::string total = "stragglers: {compute: {kind: constant, value: 1 s, applies: total}}\n";
  EXPECT_EQ(problem_of(total, cards(1)), "")
      << "whether its arithmetic was timed is not the card's";
  EXPECT_EQ(problem_of(total + "machine: dgx1-p100\n", cards(1, "Tesla P100-SXM2-16GB")), "");
}

TEST(NotExecutable, SequencesOfUnequalLengthAreExecuted) {
  const ExperimentFile file =
      load_experiment_text("p.yaml",
                           "name: p\nmodel: lstm_imdb\nworkers: 1\n"
                           "lengths: {distribution: {kind: uniform, low: 5, high: 90}}\n",
                           {});
  EXPECT_EQ(not_executable(file.points.front(), cards(1)), "");
}

}  // namespace
}  // namespace paceline::cuda
