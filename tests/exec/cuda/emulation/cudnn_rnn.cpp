// SPDX-License-Identifier: MIT
// cuDNN's recurrent layers: LSTMs of one layer and one direction.
#include <cstring>

#include <cudnn.h>

#include "tests/exec/cuda/emulation/cudnn_descriptors.hpp"
#include "tests/exec/cuda/emulation/lstm_cell.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"

using namespace paceline::cuda::emulation;

struct cudnnDropoutStruct {
  float rate = 0.0F;
};

struct cudnnRNNStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  LstmWeights weights;
  bool padded = false;  ///< takes sequences that are not packed
};

struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  LstmSequences sequences;
  bool packed = false;
};

namespace {

constexpr std::size_t kWorkspace = 4096;  // bytes; overwritten by every call

cudnnStatus_t legal(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x,
                    const cudnnRNNDataStruct* y) {
  if (x.type != rnn.type || (!x.packed && !rnn.padded)) return CUDNN_STATUS_BAD_PARAM;
  if (x.sequences.width != rnn.weights.inputs) return CUDNN_STATUS_BAD_PARAM;
  if (y == nullptr) return CUDNN_STATUS_SUCCESS;
  const bool fits = y->type == rnn.type && y->sequences.width == rnn.weights.units &&
                    y->packed == x.packed && y->sequences.batch_major == x.sequences.batch_major &&
                    y->sequences.lengths == x.sequences.lengths;
  return fits ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

/// Whether a state's descriptor, where it is given, says [1, batch, units].
bool is_state(const cudnnTensorStruct* tensor, const cudnnRNNStruct& rnn,
              const cudnnRNNDataStruct& x) {
  return tensor == nullptr ||
         (tensor->type == rnn.type && tensor->sizes[0] == 1 &&
          tensor->sizes[1] == x.sequences.batch && tensor->sizes[2] == rnn.weights.units &&
          tensor->strides[1] == rnn.weights.units && tensor->strides[2] == 1);
}

std::size_t weight_bytes(const cudnnRNNStruct& rnn) {
  return static_cast<std::size_t>(rnn.weights.numbers()) * bytes_of(*number_of(rnn.type));
}

std::size_t reserve_bytes(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x) {
  return static_cast<std::size_t>(LstmPass::reserve_numbers(rnn.weights, x.sequences)) *
         sizeof(float);
}

/// The memory that every pass is given.
struct Space {
  std::size_t weight_bytes;
  const void* weights;
  std::size_t work_bytes;
  void* work;
  std::size_t reserve_bytes;
  void* reserve;
};

/// Checks what is common to the passes and queues `run(pass)`.
template <class Run>
cudnnStatus_t queue(cudnnHandle_t handle, const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x,
                    const cudnnRNNDataStruct& y, const Space& space, bool trains, Run run) {
  if (const auto status = legal(rnn, x, &y); status != CUDNN_STATUS_SUCCESS) return status;
  if (space.weight_bytes < weight_bytes(rnn) || space.weights == nullptr ||
      space.work_bytes < kWorkspace || space.work == nullptr) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  if (trains && (space.reserve_bytes < reserve_bytes(rnn, x) || space.reserve == nullptr)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const LstmPass pass{rnn.weights, x.sequences, y.sequences, space.weights, space.reserve};
  return from(submit(handle->stream, {Kind::library,
                                      [=] {
                                        std::memset(space.work, 0xff, kWorkspace);
                                        run(pass);
                                      },
                                      {}}));
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
                                       cudnnDataType_t type, cudnnDataType_t math, cudnnMathType_t,
                                       std::int32_t inputs, std::int32_t units,
                                       std::int32_t projected, std::int32_t layers,
                                       cudnnDropoutDescriptor_t dropout, std::uint32_t flags) {
  if (inputs <= 0 || units <= 0 || layers <= 0) return CUDNN_STATUS_BAD_PARAM;
  if (algorithm != CUDNN_RNN_ALGO_STANDARD || cell != CUDNN_LSTM ||
      direction != CUDNN_UNIDIRECTIONAL || input != CUDNN_LINEAR_INPUT || !number_of(type) ||
      math != CUDNN_DATA_FLOAT || projected != units || layers != 1 ||
      (dropout != nullptr && dropout->rate != 0.0F)) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  const bool doubled = bias == CUDNN_RNN_DOUBLE_BIAS;
  rnn->type = type;
  rnn->weights = {inputs, units, doubled || bias == CUDNN_RNN_SINGLE_INP_BIAS,
                  doubled || bias == CUDNN_RNN_SINGLE_REC_BIAS};
  rnn->padded = (flags & CUDNN_RNN_PADDED_IO_ENABLED) != 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int steps, int batch,
                                        int width, const int lengths[], void* padding) {
  const auto number = number_of(type);
  if (!number) return CUDNN_STATUS_NOT_SUPPORTED;
  if (steps <= 0 || batch <= 0 || width <= 0) return CUDNN_STATUS_BAD_PARAM;
  for (int i = 0; i < batch; ++i) {
    if (lengths[i] <= 0 || lengths[i] > steps) return CUDNN_STATUS_BAD_PARAM;
    // packed sequences of one length lie as unpacked ones do
    if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED && lengths[i] != steps) {
      return CUDNN_STATUS_NOT_SUPPORTED;
    }
  }
  data->type = type;
  data->packed = layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
  data->sequences = {*number,
                     layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED,
                     steps,
                     batch,
                     width,
                     std::vector<int>(lengths, lengths + batch),
                     padding == nullptr ? 0.0F : Reader(padding, *number)[0]};
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
  if (layer != 0 || gate < 0 || gate >= 2 * kGates || bytes < weight_bytes(*rnn)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const auto width = static_cast<std::int64_t>(bytes_of(*number_of(rnn->type)));
  const auto address = [&](std::int64_t number) -> void* {
    if (number < 0) return nullptr;
    return const_cast<std::byte*>(static_cast<const std::byte*>(space)) + number * width;
  };
  const LstmWeights& weights = rnn->weights;
  *matrix = address(weights.matrix(gate));
  *bias = address(weights.bias(gate));
  const std::int64_t columns = gate < kGates ? weights.inputs : weights.units;
  if (matrix_shape != nullptr) {
    *matrix_shape = {
        rnn->type, {1, weights.units, columns, 1}, {weights.units * columns, columns, 1, 1}};
  }
  if (bias_shape != nullptr) {
    *bias_shape = {rnn->type, {1, weights.units, 1, 1}, {weights.units, 1, 1, 1}};
    if (*bias == nullptr) *bias_shape = {};
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x,
                                        std::size_t* work_bytes, std::size_t* keep_bytes) {
  if (const auto status = legal(*rnn, *x, nullptr); status != CUDNN_STATUS_SUCCESS) return status;
  *work_bytes = kWorkspace;
  if (keep_bytes != nullptr) {
    *keep_bytes = mode == CUDNN_FWD_MODE_TRAINING ? reserve_bytes(*rnn, *x) : 0;
  }
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
  if (!is_state(h, *rnn, *xs) || !is_state(c, *rnn, *xs)) return CUDNN_STATUS_BAD_PARAM;
  const bool trains = mode == CUDNN_FWD_MODE_TRAINING;
  return queue(handle, *rnn, *xs, *ys, {weights_bytes, weights, work_bytes, work, keep_bytes, keep},
               trains, [=](const LstmPass& pass) { pass.forward(x, y, hx, hy, cx, cy, trains); });
}

cudnnStatus_t cudnnRNNBackwardData_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const std::int32_t[],
    cudnnRNNDataDescriptor_t ys, const void*, const void* dy, cudnnRNNDataDescriptor_t xs, void* dx,
    cudnnTensorDescriptor_t h, const void*, const void* dhy, void* dhx, cudnnTensorDescriptor_t c,
    const void* cx, const void* dcy, void* dcx, std::size_t weights_bytes, const void* weights,
    std::size_t work_bytes, void* work, std::size_t keep_bytes, void* keep) {
  if (!is_state(h, *rnn, *xs) || !is_state(c, *rnn, *xs)) return CUDNN_STATUS_BAD_PARAM;
  if (dx == nullptr || dy == nullptr) return CUDNN_STATUS_BAD_PARAM;
  return queue(handle, *rnn, *xs, *ys, {weights_bytes, weights, work_bytes, work, keep_bytes, keep},
               true,
               [=](const LstmPass& pass) { pass.backward_data(dy, dhy, dx, cx, dhx, dcy, dcx); });
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t mode, const std::int32_t[],
    cudnnRNNDataDescriptor_t xs, const void* x, cudnnTensorDescriptor_t h, const void* hx,
    cudnnRNNDataDescriptor_t ys, const void* y, std::size_t weights_bytes, void* gradients,
    std::size_t work_bytes, void* work, std::size_t keep_bytes, void* keep) {
  if (mode != CUDNN_WGRAD_MODE_ADD) return CUDNN_STATUS_NOT_SUPPORTED;  // as the real one
  if (!is_state(h, *rnn, *xs)) return CUDNN_STATUS_BAD_PARAM;
  return queue(handle, *rnn, *xs, *ys,
               {weights_bytes, gradients, work_bytes, work, keep_bytes, keep}, true,
               [=](const LstmPass& pass) { pass.backward_weights(x, hx, y, gradients); });
}

}  // extern "C"
