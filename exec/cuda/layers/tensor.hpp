// SPDX-License-Identifier: MIT
/// \file
/// A tensor in a GPU's memory as layers see it: where it lies, in which numbers and in which order.
#pragma once
#include <cstdint>

#include "exec/cuda/kernels/element.hpp"
#include "training/experiment.hpp"

namespace paceline::cuda {

/// What activations and working weights are kept in.
constexpr Element element_of(Precision precision) {
  if (precision == Precision::fp16) return Element::fp16;
  return precision == Precision::bf16 ? Element::bf16 : Element::fp32;
}

/// `batch` items of one shape, packed: rows of pixels a channel after another (nchw), or a pixel's
/// channels side by side (nhwc). Its address is a multiple of 256 bytes.
struct Tensor {
  void* data = nullptr;  ///< null: there is no such tensor
  Element element = Element::fp32;
  Layout layout = Layout::nchw;
  int batch = 0;
  Shape shape;

  std::int64_t elements() const { return batch * shape.elements(); }
  std::int64_t bytes() const { return elements() * bytes_of(element); }
  explicit operator bool() const { return data != nullptr; }
};

}  // namespace paceline::cuda
