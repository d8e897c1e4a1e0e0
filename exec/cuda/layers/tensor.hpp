// SPDX-License-Identifier: MIT
/// \file
/// A tensor in GPU memory as layers use it: address, number format and layout.
#pragma once
#include <cstdint>

#include "exec/cuda/kernels/element.hpp"
#include "training/experiment/experiment.hpp"

namespace paceline::cuda {

/// The number format of activations and working weights.
constexpr Element element_of(Precision precision) {
  if (precision == Precision::fp16) return Element::fp16;
  return precision == Precision::bf16 ? Element::bf16 : Element::fp32;
}

/// `batch` packed items of one shape, channel by channel (nchw) or with each pixel's channels
/// together (nhwc). The address is a multiple of 256 bytes.
struct Tensor {
  void* data = nullptr;  ///< null: no tensor
  Element element = Element::fp32;
  Layout layout = Layout::nchw;
  int batch = 0;
  Shape shape;

  std::int64_t elements() const { return batch * shape.elements(); }
  std::int64_t bytes() const { return elements() * bytes_of(element); }
  explicit operator bool() const { return data != nullptr; }
};

}  // namespace paceline::cuda
