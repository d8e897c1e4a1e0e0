// SPDX-License-Identifier: MIT
// The estimate of a transformer against a profile of its kernels: GPT of 345 M parameters, fp16, 8
// sequences of 1,024 tokens, on a V100. Nothing was fitted on it.
//
// Source: PaddlePaddle/PaddleFleetX@11abce5b docs/profiler.md, Model Summary and Operator Summary,
// and @330db42e examples/gpt/single/run_profiler.sh.
#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"
#include "sim/costs/layer_times.hpp"
#include "topology/gpu.hpp"

namespace paceline {
namespace {

constexpr double kForward = 0.17076, kBackward = 0.25811;  // s, of kernels, the loss left out

TEST(TransformerTimes, GptOnAV100IsAsProfiled) {
  const Network network = load_network(parse_yaml(
      "gpt.yaml",
      "{input: {channels: 1, height: 1024}, classes: 50304, blocks: [{kind: embedding, vocabulary: "
      "50304, features: 1024}, position-embedding, {kind: dropout, rate: 10 %}, {kind: "
      "transformer, layers: 24, heads: 16, norm: before, causal: true}, {kind: classifier, each: "
      "position, tied: true}]}"));
  StepOnGpu step;
  step.batch = 8;
  step.precision = Precision::fp16;
  Seconds forward, backward;
  const std::vector<LayerTime> times =
      layer_times(network, step, load_gpu(Tree::scalar("v100-sxm2")), nullptr);
  for (std::size_t layer = 0; layer + 1 < times.size(); ++layer) {
    forward += times[layer].forward;
    backward += times[layer].backward;
  }
  EXPECT_NEAR(forward.value(), kForward, 0.1 * kForward);
  EXPECT_NEAR(backward.value(), kBackward, 0.1 * kBackward);
}

}  // namespace
}  // namespace paceline
