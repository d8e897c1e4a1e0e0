// SPDX-License-Identifier: MIT
#include "exec/cuda/network/resident_batches.hpp"

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

/// More than one, so that a loss of 0 on a memorised mini-batch is not mistaken for an error in the
/// loss; few, since each is large at ImageNet's size.
constexpr int kBatches = 2;

std::int64_t up_to_64(std::int64_t floats) {  // addresses are multiples of 256 bytes
  return (floats + 63) / 64 * 64;
}

}  // namespace

ResidentBatches::ResidentBatches(const BatchSetting& setting, cudaStream_t stream) {
  targets_at_ = up_to_64(setting.input_floats());
  stride_ = targets_at_ + up_to_64(setting.batch);
  const auto bytes = static_cast<std::size_t>(stride_) * kBatches * sizeof(float);
  memory_ = DeviceMemory(bytes);
  const PinnedMemory drawn(bytes);
  for (int i = 0; i < kBatches; ++i) {
    float* inputs = drawn.as<float>() + i * stride_;
    setting.draw(i, inputs, inputs + targets_at_);
  }
  check(cudaMemcpyAsync(memory_.data(), drawn.data(), bytes, cudaMemcpyDefault, stream),
        "copying mini-batches");
  check(cudaStreamSynchronize(stream), "copying mini-batches");
}

Batch ResidentBatches::begin(std::int64_t step) {
  const float* inputs = memory_.as<float>() + step % kBatches * stride_;
  return {inputs, inputs + targets_at_};
}

}  // namespace paceline::cuda
