// SPDX-License-Identifier: MIT
#include "exec/cuda/network/working_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/training/learning/arithmetic/graph_sketch.hpp"

namespace paceline::cuda {
namespace {

/// A network's flat weights and gradients, in memory of both the host and the device.
struct Flat {
  explicit Flat(Network whole, Precision precision, Layout layout)
      : network(std::move(whole)),
        groups(plan_fusion(network)),
        memory(2 * count() * sizeof(float)),
        working({&network, 1, precision, layout, true}, groups, weights(), gradient(),
                stream.get()) {
    for (std::size_t i = 0; i < count(); ++i) {
      weights()[i] = std::sin(static_cast<float>(i));
      gradient()[i] = static_cast<float>(i + 1);
    }
  }
  std::size_t count() const { return static_cast<std::size_t>(network.parameters() + 3) / 4 * 4; }
  float* weights() const { return memory.as<float>(); }
  float* gradient() const { return weights() + count(); }
  void wait() const { check(cudaStreamSynchronize(stream.get()), "waiting"); }

  DeviceStream stream;
  Network network;
  std::vector<Group> groups;
  PinnedMemory memory;
  WorkingWeights working;
};

/// 0: a convolution [4][3][2 x 2] with 5 - 1 biases; 1: a batch norm of 8; 2: [3][4 x 9] with
/// biases.
Network sketch() {
  GraphSketch g({3, 4, 4});
  const int a = g.batch_norm(g.convolution(GraphSketch::kInput, 4, {2, 2}));
  return g.classify(a, 3);
}

class WorkingWeightsTest : public DeviceTest {};

TEST_F(WorkingWeightsTest, AreTheFlatOnesWhereTheyAgree) {
  const Flat flat(sketch(), Precision::tf32, Layout::nchw);
  const Parameters convolution = flat.working.parameters_of(0);
  EXPECT_EQ(convolution.matrix, flat.weights());
  EXPECT_EQ(convolution.matrix_gradient, flat.gradient());
  EXPECT_EQ(convolution.vectors, flat.weights() + 48);
  EXPECT_EQ(convolution.vector_gradients, flat.gradient() + 48);
  const Parameters norm = flat.working.parameters_of(1);
  EXPECT_EQ(norm.matrix, nullptr);
  EXPECT_EQ(norm.vectors, flat.weights() + 52);
  EXPECT_EQ(norm.vector_gradients, flat.gradient() + 52);
  EXPECT_EQ(flat.working.parameters_of(2).matrix, flat.weights() + 60);
  EXPECT_EQ(flat.working.bytes(), 0u);
}

// The fast kernels load 16 bytes at a time.
TEST_F(WorkingWeightsTest, AreCopiesWhereTheFlatOnesAreNotAligned) {
  GraphSketch g({5, 1, 1});
  const Network network = g.classify(g.fully_connected(GraphSketch::kInput, 3), 3);  // 15 + 3
  const Flat flat(network, Precision::fp32, Layout::nchw);
  EXPECT_EQ(flat.working.parameters_of(0).matrix, flat.weights());
  EXPECT_NE(flat.working.parameters_of(1).matrix, flat.weights() + 18);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(flat.working.parameters_of(1).matrix) % 256, 0u);
}

TEST_F(WorkingWeightsTest, ComeBackAsGradientsOfTheirGroupsAlone) {
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
    const Flat flat(sketch(), precision, Layout::nhwc);
    const float scale = precision == Precision::fp16 ? kFirstLossScale : 1.0F;
    EXPECT_EQ(flat.working.scale() != nullptr, precision == Precision::fp16);
    flat.working.pack(0, flat.groups.size(), flat.stream.get());
    // sets the working gradients to the working weights, so that the result is known
    const auto size = static_cast<std::size_t>(bytes_of(element_of(precision)));
    for (const std::size_t g : {0, 2}) {
      const Parameters parameters = flat.working.parameters_of(g);
      check(cudaMemcpyAsync(parameters.matrix_gradient, parameters.matrix,
                            (g == 0 ? 48 : 108) * size, cudaMemcpyDefault, flat.stream.get()),
            "copying");
    }
    flat.working.unpack(1, 3, flat.stream.get());
    flat.wait();
    for (std::size_t i = 0; i < 171; ++i) {
      const float before = static_cast<float>(i + 1);
      if (i < 52) {
        EXPECT_EQ(flat.gradient()[i], before) << i;  // of another group
      } else if (i < 60 || i >= 168) {
        EXPECT_EQ(flat.gradient()[i], before / scale) << i;
      } else {
        EXPECT_NEAR(flat.gradient()[i], flat.weights()[i] / scale, 0x1p-8 / scale) << i;
      }
    }
    flat.working.unpack(0, 1, flat.stream.get());
    flat.wait();
    EXPECT_NEAR(flat.gradient()[47], flat.weights()[47] / scale, 0x1p-8 / scale);
    EXPECT_EQ(flat.gradient()[51], 52 / scale);
    EXPECT_EQ(flat.gradient()[52], 53 / scale);  // not scaled twice
  }
}

}  // namespace
}  // namespace paceline::cuda
