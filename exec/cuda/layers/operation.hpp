// SPDX-License-Identifier: MIT
/// \file
/// One layer's (or a few fused layers') work on a GPU, and what it is wired to. All addresses are
/// known when it is made and stay, so that its launches can be captured into a graph. Nothing here
/// waits for the device or allocates once made.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/step_state.hpp"
#include "exec/cuda/layers/tensor.hpp"

namespace paceline::cuda {

class Toolbox;

/// One input of an operation.
struct Input {
  Tensor value;
  Tensor gradient;    ///< none: nobody below learns, so backward leaves it out
  bool adds = false;  ///< backward adds to `gradient`, where another reader has written already
};

/// A layer's trainable scalars and their gradients. The matrix (weights of a convolution, a fully
/// connected layer, an LSTM, an embedding) is in the working element and layout: [out][in] for
/// nchw, and with the input's channels innermost, [out][height x width][channel], for nhwc. What
/// follows the matrix in the flat layout (biases; scale and shift of a batch norm) is in fp32, in
/// place. Backward overwrites gradients.
struct Parameters {
  const void* matrix = nullptr;
  void* matrix_gradient = nullptr;
  Element element = Element::fp32;
  const float* vectors = nullptr;
  float* vector_gradients = nullptr;
};

/// What an operation is made of. A fused group of layers is wired as one: `layer` is its first
/// (the batch norm or the convolution), the output that of its last.
struct Wiring {
  const Layer* layer = nullptr;
  int index = 0;              ///< of `layer` in the network: keys its draws
  bool relu = false;          ///< a ReLU follows within
  std::vector<Input> inputs;  ///< of an add within: the other operand is the last
  Tensor output;
  Tensor gradient;  ///< of the output; backward may overwrite it
  Parameters parameters;
  const StepState* step = nullptr;
  Precision precision = Precision::fp32;
};

/// See the file's comment. Scratch memory is lent to all operations of a stream in turn.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Bytes of scratch memory that forward or backward wants.
  virtual std::size_t scratch_bytes() const { return 0; }
  /// The scratch memory, at least so many bytes; comes before the first pass.
  virtual void lend(void* /*scratch*/, std::size_t /*bytes*/) {}
  /// Comes after lend() and before the first pass: tries what libraries are to do at the real
  /// addresses. May write wherever a pass writes, and waits for the device. Throws Error naming the
  /// layer where nothing works.
  virtual void prepare() {}
  /// What libraries were told to do, for reports ("forward: legacy 1 math 3; ..."); "" where there
  /// was nothing to choose. Known after prepare().
  virtual std::string algorithms() const { return {}; }
  virtual void forward(cudaStream_t stream) = 0;
  /// Writes the gradients of the parameters and of the inputs.
  virtual void backward(cudaStream_t stream) = 0;
};

}  // namespace paceline::cuda
