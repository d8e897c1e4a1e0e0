// SPDX-License-Identifier: MIT
// The host sums a layer's norms in another order, so that updates are equal within rounding.
#include "exec/cuda/kernels/layerwise.hpp"

#include <type_traits>
#include <vector>

#include <gmock/gmock.h>

#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/kernels/device_slice.hpp"
#include "training/learning/optimizers/optimizer.hpp"

namespace paceline::cuda {
namespace {

using testing::FloatNear;
using testing::Pointwise;

using LayerwiseTest = DeviceTest;

void update_on_device(const OptimizerStep& step, const UpdateArrays& arrays, LayerMemory* memory,
                      cudaStream_t stream) {
  std::visit(
      [&](const auto& kind) {
        if constexpr (LayerwiseStep<std::decay_t<decltype(kind)>>) {
          update_layers(kind, arrays, {0.25F, nullptr}, memory, stream);
        }
      },
      step);
}

// Layers of 300, none, 7 and 1024 x 256 + 40 numbers, more than a kernel has threads; three
// updates, in place.
TEST_F(LayerwiseTest, UpdatesAsTheHostDoes) {
  constexpr std::size_t kSize = 307 + 1024 * 256 + 40;
  const std::vector<std::size_t> layers{300, 300, 307};
  std::mt19937 random(7);
  const DeviceStream stream;
  const DeviceMemory memory(sizeof(LayerMemory));
  for (const char* name : {"lamb", "lars"}) {
    SCOPED_TRACE(name);
    const Choice<Optimizer> rule(name);
    std::vector<float> weights = random_floats(kSize, random);
    OptimizerState state = rule->start(kSize);
    DeviceSlice own(weights, 1), mean(state.mean, 2), squares(state.squares, 0);
    for (int number = 1; number <= 3; ++number) {
      const std::vector<float> g = random_floats(kSize, random);
      const DeviceSlice gradient(g, 3);
      const OptimizerStep step = rule->step(0.1, number);
      update_on_device(step,
                       {own.get(), own.get(), gradient.get(), mean.get(), squares.get(), layers},
                       memory.as<LayerMemory>(), stream.get());
      check(cudaStreamSynchronize(stream.get()), "computing");
      const std::span<const float> from(weights);
      take_step(step, {from, weights, g, state.mean, state.squares, layers}, 0.25F);
      EXPECT_THAT(own.read(), Pointwise(FloatNear(1e-5F), weights));
      EXPECT_THAT(mean.read(), Pointwise(FloatNear(1e-5F), state.mean));
      EXPECT_THAT(squares.read(), Pointwise(FloatNear(1e-5F), state.squares));
    }
  }
}

}  // namespace
}  // namespace paceline::cuda
