// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/cuda_arrays.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "exec/cuda/kernels/encoding_scratch.hpp"
#include "exec/cuda/kernels/flat.hpp"
#include "exec/cuda/kernels/halves.hpp"
#include "exec/cuda/kernels/largest.hpp"
#include "exec/cuda/kernels/layerwise.hpp"
#include "exec/cuda/kernels/rows.hpp"
#include "exec/cuda/kernels/signs.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/stream.hpp"

namespace paceline::cuda {
namespace {

template <class Memory>
class ArrayIn final : public Array {
 public:
  explicit ArrayIn(Memory memory)
      : Array({memory.template as<float>(), memory.bytes() / sizeof(float)}),
        memory_(std::move(memory)) {}

 private:
  Memory memory_;
};

/// Makes a device current for the lifetime of the object.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_), "querying the device");
    check(cudaSetDevice(device), "choosing a device");
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

void decode_by_kernels(const GradientCodec& codec, std::span<float> into,
                       std::span<const float> words, const KernelFactor& factor, bool fresh,
                       cudaStream_t stream) {
  switch (codec.kind) {
    case GradientCodec::Kind::fp16:
      return decode_halves(into, words, factor, fresh, stream);
    case GradientCodec::Kind::top_k:
      return decode_largest(into, words, factor, fresh, stream);
    case GradientCodec::Kind::one_bit:
      return decode_signs(into, words, factor, fresh, stream);
    case GradientCodec::Kind::rows:
      return decode_rows(codec, into, words, factor, fresh, stream);
    case GradientCodec::Kind::none:
      break;
  }
}

}  // namespace

SharedArray CudaArrayStore::allocate(RoleId owner, std::size_t floats) {
  const int device = devices_[static_cast<std::size_t>(owner)];
  const std::size_t bytes = floats * sizeof(float);
  if (device == kOnHost) {
    return std::make_shared<ArrayIn<PinnedMemory>>(
        PinnedMemory(bytes));  // pinned memory is cleared at allocation
  }
  const OnDevice here(device);
  DeviceMemory memory(bytes);
  if (bytes > 0) {
    const DeviceStream stream;
    check(cudaMemsetAsync(memory.data(), 0, bytes, stream.get()), "clearing an array");
    check(cudaStreamSynchronize(stream.get()), "clearing an array");
  }
  return std::make_shared<ArrayIn<DeviceMemory>>(std::move(memory));
}

void CudaArrayStore::write(std::span<const float> from, const Array& to) {
  if (from.empty()) return;
  copy_now(to.floats().data(), from.data(), from.size_bytes(), "writing an array");
}

std::vector<float> CudaArrayStore::read(std::span<const float> from) const {
  std::vector<float> floats(from.size());
  if (from.empty()) return floats;
  copy_now(floats.data(), from.data(), from.size_bytes(), "reading an array");
  return floats;
}

/// A ring of factors that are computed while the stream runs.
class StreamArrayWork::DeferredFactors {
 public:
  explicit DeferredFactors(cudaStream_t stream)
      : stream_(stream),
        partials_(kSquarePartials * sizeof(double)),
        numbers_(kMostDeferred * sizeof(Numbers)) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].numbers = numbers_.as<Numbers>() + i;
    }
  }

  /// Queues the computation of the factor, clipped for `gradient` if `clips` is given. Queue the
  /// kernels that use the factor next, and then call done().
  KernelFactor begin(const Factor& factor, const Optimizer* clips,
                     std::span<const float> gradient) {
    Slot& slot = slots_[next_];
    if (slot.in_use) check(cudaEventSynchronize(slot.used.get()), "computing");
    slot.in_use = true;
    slot.factor = factor;
    slot.clips = clips;
    auto* partials = partials_.as<double>();
    if (factor.needs_distance()) {
      square_of_distance(factor.now, factor.then, partials, &slot.numbers->distance, stream_);
    }
    if (clips != nullptr) square_of_norm(gradient, partials, &slot.numbers->norm, stream_);
    check(cudaLaunchHostFunc(stream_, &work_out, &slot), "queueing a call");
    return {1, &slot.numbers->factor};
  }

  void done() {
    slots_[next_].used.record(stream_);
    next_ = (next_ + 1) % kMostDeferred;
  }

 private:
  /// In pinned memory: both the host and the device access it.
  struct Numbers {
    double distance, norm;  ///< squared
    float factor;
  };
  struct Slot {
    Numbers* numbers = nullptr;
    Factor factor;
    const Optimizer* clips = nullptr;
    DeviceEvent used;  ///< recorded after the last reader of the numbers
    bool in_use = false;
  };

  /// Runs on a thread of the CUDA runtime.
  static void CUDART_CB work_out(void* data) {
    const Slot& slot = *static_cast<const Slot*>(data);
    Numbers& numbers = *slot.numbers;
    const float factor = slot.factor.at(slot.factor.needs_distance() ? numbers.distance : 0);
    numbers.factor = slot.clips != nullptr ? slot.clips->clipped(factor, numbers.norm) : factor;
  }

  cudaStream_t stream_;
  DeviceMemory partials_;
  PinnedMemory numbers_;
  std::array<Slot, kMostDeferred> slots_;
  std::size_t next_ = 0;
};

StreamArrayWork::StreamArrayWork(cudaStream_t stream)
    : stream_(stream),
      deferred_(std::make_unique<DeferredFactors>(stream)),
      scratch_(kEncodingScratch) {}

StreamArrayWork::~StreamArrayWork() {
  cudaStreamSynchronize(stream_);  // queued work uses the ring
}

void StreamArrayWork::copy(std::span<float> to, std::span<const float> from) {
  if (from.empty()) return;
  check(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyDefault, stream_),
        "queueing a copy");
}

void StreamArrayWork::assign(std::span<float> to, std::span<const float> from, float scale) {
  cuda::assign(to, from, scale, stream_);
}

void StreamArrayWork::accumulate(std::span<float> into, std::span<const float> from,
                                 const Factor& factor, bool fresh) {
  if (!factor.needs_distance()) {
    return cuda::accumulate(into, from, {factor.at(0), nullptr}, fresh, stream_);
  }
  const KernelFactor later = deferred_->begin(factor, nullptr, {});
  cuda::accumulate(into, from, later, fresh, stream_);
  deferred_->done();
}

void StreamArrayWork::encode(const GradientCodec& codec, std::span<float> words,
                             std::span<const float> numbers, std::span<float> residual) {
  switch (codec.kind) {
    case GradientCodec::Kind::fp16:
      return encode_halves(words, numbers, stream_);
    case GradientCodec::Kind::top_k:
      return encode_largest(words, numbers, residual, scratch_.data(), stream_);
    case GradientCodec::Kind::one_bit:
      return encode_signs(words, numbers, residual, scratch_.data(), stream_);
    case GradientCodec::Kind::rows:
      return encode_rows(codec, words, numbers, stream_);
    case GradientCodec::Kind::none:
      break;
  }
}

void StreamArrayWork::decode(const GradientCodec& codec, std::span<float> into,
                             std::span<const float> words, const Factor& factor, bool fresh) {
  if (!factor.needs_distance()) {
    return decode_by_kernels(codec, into, words, {factor.at(0), nullptr}, fresh, stream_);
  }
  const KernelFactor later = deferred_->begin(factor, nullptr, {});
  decode_by_kernels(codec, into, words, later, fresh, stream_);
  deferred_->done();
}

void StreamArrayWork::add_halves(std::span<float> into, std::span<const float> from) {
  cuda::add_halves(into, from, stream_);
}

void StreamArrayWork::update(const Optimizer& optimizer, double rate, std::int64_t update,
                             const UpdateArrays& arrays, const Factor& factor) {
  const bool deferred = factor.needs_distance() || optimizer.clip;
  const KernelFactor scale =
      deferred ? deferred_->begin(factor, optimizer.clip ? &optimizer : nullptr, arrays.gradient)
               : KernelFactor{factor.at(0), nullptr};
  std::visit(
      [&](const auto& step) {
        if constexpr (LayerwiseStep<std::decay_t<decltype(step)>>) {
          if (layers_.bytes() == 0) layers_ = DeviceMemory(sizeof(LayerMemory));
          update_layers(step, arrays, scale, layers_.as<LayerMemory>(), stream_);
        } else {
          cuda::update(step, arrays, scale, stream_);
        }
      },
      optimizer.step(rate, update));
  if (deferred) deferred_->done();
}

}  // namespace paceline::cuda
