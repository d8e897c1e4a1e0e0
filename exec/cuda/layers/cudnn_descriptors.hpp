// SPDX-License-Identifier: MIT
/// \file
/// Owning wrappers of cuDNN's descriptors, and conversions of our enumerations to cuDNN's.
#pragma once
#include <memory>
#include <type_traits>

#include <cudnn.h>

#include "exec/cuda/layers/tensor.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

/// A descriptor made by `create` and destroyed by `destroy`.
template <class Handle, auto create, auto destroy>
class CudnnDescriptor {
 public:
  CudnnDescriptor() {
    Handle handle = nullptr;
    check(create(&handle), "making a cuDNN descriptor");
    handle_.reset(handle);
  }
  Handle get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(Handle handle) const { destroy(handle); }
  };
  std::unique_ptr<std::remove_pointer_t<Handle>, Destroy> handle_;
};

using TensorDescriptor = CudnnDescriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor,
                                         cudnnDestroyTensorDescriptor>;
using FilterDescriptor = CudnnDescriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor,
                                         cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor =
    CudnnDescriptor<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
                    cudnnDestroyConvolutionDescriptor>;
using DropoutDescriptor = CudnnDescriptor<cudnnDropoutDescriptor_t, cudnnCreateDropoutDescriptor,
                                          cudnnDestroyDropoutDescriptor>;
using RecurrentDescriptor =
    CudnnDescriptor<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>;
using SequenceDescriptor = CudnnDescriptor<cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor,
                                           cudnnDestroyRNNDataDescriptor>;

constexpr cudnnDataType_t data_type_of(Element element) {
  if (element == Element::fp16) return CUDNN_DATA_HALF;
  return element == Element::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}
constexpr cudnnTensorFormat_t format_of(Layout layout) {
  return layout == Layout::nchw ? CUDNN_TENSOR_NCHW : CUDNN_TENSOR_NHWC;
}
/// FMA computes in fp32; the default would round fp32 to tf32.
constexpr cudnnMathType_t math_of(Precision precision) {
  return precision == Precision::fp32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
}

/// The same of recurrent layers, as PyTorch sets it: of fp32 with tf32 and of bf16 the default,
/// which may use tensor cores.
constexpr cudnnMathType_t recurrent_math_of(Precision precision) {
  if (precision == Precision::fp32) return CUDNN_FMA_MATH;
  return precision == Precision::fp16 ? CUDNN_TENSOR_OP_MATH : CUDNN_DEFAULT_MATH;
}

}  // namespace paceline::cuda
