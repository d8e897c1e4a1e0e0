// SPDX-License-Identifier: MIT
// cuDNN's recurrent layers, as far as exec/cuda uses them: LSTMs of one layer, one direction and
// one bias per gate, with initial states of zero, on sequences of one length in the order
// [batch][time].
#include <algorithm>
#include <cstring>

#include <cudnn.h>

#include "tests/exec/cuda/emulation/cudnn_descriptors.hpp"
#include "tests/exec/cuda/emulation/lstm.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"

using namespace paceline::cuda::emulation;

struct cudnnDropoutStruct {
  float rate = 0.0F;
};

struct cudnnRNNStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::int64_t inputs = 0;
  std::int64_t units = 0;
};

struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t width = 0;
};

namespace {

constexpr std::size_t kWorkspace = 4096;  // bytes; overwritten by every call

Lstm lstm_of(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x) {
  return {*number_of(rnn.type), rnn.inputs, rnn.units, x.batch, x.steps};
}

bool fits(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x) {
  return x.type == rnn.type && x.width == rnn.inputs;
}

std::size_t weight_bytes(const cudnnRNNStruct& rnn) {
  return static_cast<std::size_t>(lstm_of(rnn, {}).weights()) * bytes_of(*number_of(rnn.type));
}

std::size_t reserve_bytes(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x) {
  return static_cast<std::size_t>(lstm_of(rnn, x).reserve()) * sizeof(float);
}

/// A state that a pass may read and one that it may write. Only states of zero are supported.
struct State {
  const cudnnTensorStruct* tensor;
  std::initializer_list<const void*> data;

  cudnnStatus_t legal(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x) const {
    if (tensor->type != rnn.type || tensor->sizes[0] != 1 || tensor->sizes[1] != x.batch ||
        tensor->sizes[2] != rnn.units || tensor->strides[1] != rnn.units) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    const bool zero = std::ranges::all_of(data, [](const void* at) { return at == nullptr; });
    return zero ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
  }
};

/// The memory that every pass needs.
struct Space {
  std::size_t weight_bytes;
  const void* weights;
  std::size_t work_bytes;
  void* work;
  std::size_t reserve_bytes;
  void* reserve;
};

/// Checks the arguments that all passes share, and queues `run(lstm, reserve)`.
template <class Run>
cudnnStatus_t queue(cudnnHandle_t handle, const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x,
                    const cudnnRNNDataStruct& y, std::initializer_list<State> states,
                    const Space& space, Run run) {
  if (!fits(rnn, x) || y.type != rnn.type || y.width != rnn.units || y.steps != x.steps ||
      y.batch != x.batch || space.weight_bytes < weight_bytes(rnn) || space.weights == nullptr ||
      space.work_bytes < kWorkspace || space.work == nullptr ||
      space.reserve_bytes < reserve_bytes(rnn, x) || space.reserve == nullptr) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  for (const State& state : states) {
    if (const auto status = state.legal(rnn, x); status != CUDNN_STATUS_SUCCESS) return status;
  }
  const auto work = [=, lstm = lstm_of(rnn, x)] {
    std::memset(space.work, 0xff, kWorkspace);
    run(lstm, static_cast<float*>(space.reserve));
  };
  return from(submit(handle->stream, {Kind::library, work, {}}));
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* dropout) {
  *dropout = new cudnnDropoutStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropout) {
  delete dropout;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t dropout, cudnnHandle_t, float rate,
                                        void*, std::size_t, unsigned long long) {
  dropout->rate = rate;
  return rate == 0.0F ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* rnn) {
  *rnn = new cudnnRNNStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t rnn) {
  delete rnn;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* data) {
  *data = new cudnnRNNDataStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t data) {
  delete data;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algorithm,
                                       cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction, cudnnRNNInputMode_t input,
                                       cudnnDataType_t type, cudnnDataType_t math,
                                       cudnnMathType_t allowed, std::int32_t inputs,
                                       std::int32_t units, std::int32_t projected,
                                       std::int32_t layers, cudnnDropoutDescriptor_t dropout,
                                       std::uint32_t flags) {
  if (inputs <= 0 || units <= 0 || layers <= 0) return CUDNN_STATUS_BAD_PARAM;
  // stricter than the library may be: tensor-core math is that of half precision
  if (allowed == CUDNN_TENSOR_OP_MATH && type != CUDNN_DATA_HALF) return CUDNN_STATUS_NOT_SUPPORTED;
  if (type == CUDNN_DATA_BFLOAT16 && cudnnGetVersion() < 91300) return CUDNN_STATUS_NOT_SUPPORTED;
  if (algorithm != CUDNN_RNN_ALGO_STANDARD || cell != CUDNN_LSTM ||
      bias != CUDNN_RNN_SINGLE_INP_BIAS || direction != CUDNN_UNIDIRECTIONAL ||
      input != CUDNN_LINEAR_INPUT || !number_of(type) || math != CUDNN_DATA_FLOAT ||
      projected != units || layers != 1 || (dropout != nullptr && dropout->rate != 0.0F) ||
      (flags & CUDNN_RNN_PADDED_IO_ENABLED) == 0) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  *rnn = {type, inputs, units};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int steps, int batch,
                                        int width, const int lengths[], void*) {
  if (steps <= 0 || batch <= 0 || width <= 0) return CUDNN_STATUS_BAD_PARAM;
  if (!number_of(type) || layout != CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED ||
      !std::all_of(lengths, lengths + batch, [=](int length) { return length == steps; })) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  *data = {type, steps, batch, width};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                         std::size_t* bytes) {
  *bytes = weight_bytes(*rnn);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t rnn, std::int32_t layer,
                                      std::size_t bytes, const void* space, std::int32_t gate,
                                      cudnnTensorDescriptor_t matrix_shape, void** matrix,
                                      cudnnTensorDescriptor_t bias_shape, void** bias) {
  if (layer != 0 || gate < 0 || gate >= 2 * Lstm::kGates || bytes < weight_bytes(*rnn)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const Lstm lstm = lstm_of(*rnn, {});
  const auto address = [&](std::int64_t offset) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(space)) +
           offset * static_cast<std::int64_t>(bytes_of(lstm.number));
  };
  const bool of_input = gate < Lstm::kGates;
  const std::int64_t columns = of_input ? rnn->inputs : rnn->units;
  *matrix = address(lstm.matrix(gate));
  *matrix_shape = {rnn->type, {1, rnn->units, columns, 1}, {rnn->units * columns, columns, 1, 1}};
  *bias = of_input ? address(lstm.bias(gate)) : nullptr;
  *bias_shape = {};
  if (of_input) *bias_shape = {rnn->type, {1, rnn->units, 1, 1}, {rnn->units, 1, 1, 1}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x,
                                        std::size_t* work_bytes, std::size_t* keep_bytes) {
  if (mode != CUDNN_FWD_MODE_TRAINING) return CUDNN_STATUS_NOT_SUPPORTED;
  if (!fits(*rnn, *x)) return CUDNN_STATUS_BAD_PARAM;
  *work_bytes = kWorkspace;
  *keep_bytes = reserve_bytes(*rnn, *x);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                              cudnnForwardMode_t mode, const std::int32_t[],
                              cudnnRNNDataDescriptor_t xs, const void* x,
                              cudnnRNNDataDescriptor_t ys, void* y, cudnnTensorDescriptor_t h,
                              const void* hx, void* hy, cudnnTensorDescriptor_t c, const void* cx,
                              void* cy, std::size_t weights_bytes, const void* weights,
                              std::size_t work_bytes, void* work, std::size_t keep_bytes,
                              void* keep) {
  if (mode != CUDNN_FWD_MODE_TRAINING) return CUDNN_STATUS_NOT_SUPPORTED;
  return queue(handle, *rnn, *xs, *ys, {{h, {hx, hy}}, {c, {cx, cy}}},
               {weights_bytes, weights, work_bytes, work, keep_bytes, keep},
               [=](const Lstm& lstm, float* reserve) { lstm.forward(weights, x, y, reserve); });
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                      const std::int32_t[], cudnnRNNDataDescriptor_t ys,
                                      const void*, const void* dy, cudnnRNNDataDescriptor_t xs,
                                      void* dx, cudnnTensorDescriptor_t h, const void* hx,
                                      const void* dhy, void* dhx, cudnnTensorDescriptor_t c,
                                      const void* cx, const void* dcy, void* dcx,
                                      std::size_t weights_bytes, const void* weights,
                                      std::size_t work_bytes, void* work, std::size_t keep_bytes,
                                      void* keep) {
  if (dx == nullptr || dy == nullptr) return CUDNN_STATUS_BAD_PARAM;
  return queue(
      handle, *rnn, *xs, *ys, {{h, {hx, dhy, dhx}}, {c, {cx, dcy, dcx}}},
      {weights_bytes, weights, work_bytes, work, keep_bytes, keep},
      [=](const Lstm& lstm, float* reserve) { lstm.backward_data(weights, dy, dx, reserve); });
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t mode, const std::int32_t[],
    cudnnRNNDataDescriptor_t xs, const void* x, cudnnTensorDescriptor_t h, const void* hx,
    cudnnRNNDataDescriptor_t ys, const void* y, std::size_t weights_bytes, void* gradients,
    std::size_t work_bytes, void* work, std::size_t keep_bytes, void* keep) {
  if (mode != CUDNN_WGRAD_MODE_ADD) return CUDNN_STATUS_NOT_SUPPORTED;  // as in the real library
  return queue(
      handle, *rnn, *xs, *ys, {{h, {hx}}},
      {weights_bytes, gradients, work_bytes, work, keep_bytes, keep},
      [=](const Lstm& lstm, float* reserve) { lstm.backward_weights(x, y, gradients, reserve); });
}

}  // extern "C"
