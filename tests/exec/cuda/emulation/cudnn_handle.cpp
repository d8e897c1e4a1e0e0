// SPDX-License-Identifier: MIT
// cuDNN: handles, errors and descriptors.
#include <cstdio>

#include <cudnn.h>

#include "tests/exec/cuda/emulation/cudnn_descriptors.hpp"
#include "tests/exec/cuda/emulation/green.hpp"
#include "tests/exec/cuda/emulation/machine.hpp"

using namespace paceline::cuda::emulation;

namespace paceline::cuda::emulation {

bool set_packed(cudnnTensorStruct& tensor, cudnnTensorFormat_t format, cudnnDataType_t type,
                std::array<int, 4> sizes) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (sizes[i] <= 0) return false;
    tensor.sizes[i] = sizes[i];
  }
  tensor.type = type;
  const auto [n, c, h, w] = tensor.sizes;
  if (format == CUDNN_TENSOR_NCHW) {
    tensor.strides = {c * h * w, h * w, w, 1};
  } else {
    tensor.strides = {c * h * w, 1, w * c, c};
  }
  return format == CUDNN_TENSOR_NCHW || format == CUDNN_TENSOR_NHWC;
}

cudnnStatus_t from(cudaError_t status) {
  return status == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

}  // namespace paceline::cuda::emulation

extern "C" {

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_STATUS_INTERNAL_ERROR";
  }
}

void cudnnGetLastErrorString(char* message, std::size_t bytes) {
  if (bytes > 0) message[0] = '\0';
}

std::size_t cudnnGetVersion() {
  return cudnn_version();
}

std::size_t cudnnGetCudartVersion() {
  return cudnn_cuda();
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = nullptr;
  if (callable(current_device()) != cudaSuccess) return CUDNN_STATUS_NOT_INITIALIZED;
  *handle = new cudnnContext;
  note_handle();
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor) {
  *tensor = new cudnnTensorStruct;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
  delete tensor;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  return set_packed(*tensor, format, type, {n, c, h, w}) ? CUDNN_STATUS_SUCCESS
                                                         : CUDNN_STATUS_BAD_PARAM;
}

/// Sets a three-dimensional tensor (a state of an LSTM) as a four-dimensional one of width 1.
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                                         int dimensions, const int sizes[], const int strides[]) {
  if (dimensions < 3 || dimensions > 4) return CUDNN_STATUS_NOT_SUPPORTED;
  *tensor = {type, {1, 1, 1, 1}, {1, 1, 1, 1}};
  for (int i = 0; i < dimensions; ++i) {
    if (sizes[i] <= 0 || strides[i] <= 0) return CUDNN_STATUS_BAD_PARAM;
    tensor->sizes[static_cast<std::size_t>(i)] = sizes[i];
    tensor->strides[static_cast<std::size_t>(i)] = strides[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* filter) {
  *filter = new cudnnFilterStruct;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
  delete filter;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  filter->format = format;
  return set_packed(*filter, format, type, {k, c, h, w}) ? CUDNN_STATUS_SUCCESS
                                                         : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* convolution) {
  *convolution = new cudnnConvolutionStruct;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution) {
  delete convolution;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution, int pad_h,
                                              int pad_w, int stride_h, int stride_w, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  if (pad_h < 0 || pad_w < 0 || stride_h <= 0 || stride_w <= 0 || dilation_h <= 0 ||
      dilation_w <= 0) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  convolution->pad = convolution->pad_after = {pad_h, pad_w};
  convolution->stride = {stride_h, stride_w};
  convolution->dilation = {dilation_h, dilation_w};
  convolution->mode = mode;
  convolution->compute = compute;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math) {
  convolution->math = math;
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
