// SPDX-License-Identifier: MIT
/// \file
/// The work of one layer (or of a few fused layers) on a GPU, and its operands. All addresses are
/// fixed at construction, so that launches can be captured in a graph. After construction nothing
/// here allocates or synchronises with the device, except prepare().
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/step_state.hpp"
#include "exec/cuda/layers/tensor.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

class Toolbox;

/// One input of an operation.
struct Input {
  Tensor value;
  /// None: no layer below is trained, or it takes the gradient from elsewhere, so backward omits
  /// it.
  Tensor gradient;
  bool adds = false;  ///< backward adds to `gradient`, since another reader has already written it
};

/// A layer's trainable parameters and their gradients. The matrix (weights of a convolution, a
/// fully connected layer, an LSTM or an embedding) is in the working element and layout: [out][in]
/// for nchw, and [out][height x width][channel] for nhwc. The vectors that follow the matrix in the
/// flat layout (biases; scale and shift of a batch norm) are in fp32, in place. Backward overwrites
/// gradients.
struct Parameters {
  const void* matrix = nullptr;
  void* matrix_gradient = nullptr;
  Element element = Element::fp32;
  const float* vectors = nullptr;
  float* vector_gradients = nullptr;
};

/// The sums of a convolution's output by channel, then those of the squares, for the batch norm
/// that alone reads it.
struct ChannelSums {
  explicit ChannelSums(int channels)
      : memory(2 * sizeof(float) * static_cast<std::size_t>(channels)) {}
  float* data() const { return memory.as<float>(); }

  DeviceMemory memory;
  bool written = false;  ///< the convolution's algorithm writes them; valid after its prepare()
};

/// The batch norm of a residual unit's shortcut, where the group computes it too.
struct ShortcutLayer {
  const Layer* layer = nullptr;  ///< null: there is none
  Parameters parameters;
  std::shared_ptr<ChannelSums> sums;  ///< of the second input; may be null
};

/// A part of the gradient of a batch norm's output: that of the output of a group with a stride and
/// a ReLU that adds it, of every stride-th row and column.
struct KeptGradient {
  Tensor gradient;  ///< none: there is no such part
  int stride = 1;
  std::shared_ptr<const DeviceMemory> mask;  ///< of the other group's ReLU
};

/// The arguments of an operation. For a fused group of layers, `layer` is the first one (the batch
/// norm or the convolution), and the output is that of the last one.
struct Wiring {
  const Layer* layer = nullptr;
  int index = 0;              ///< of `layer` in the network; keys its draws
  bool relu = false;          ///< a ReLU is fused
  std::vector<Input> inputs;  ///< the second operand of a fused add comes last
  Tensor output;
  Tensor gradient;                     ///< of the output; backward may overwrite it
  KeptGradient kept_gradient;          ///< is added to `gradient`
  std::shared_ptr<DeviceMemory> mask;  ///< for that of a ReLU that others read; may be null
  Parameters parameters;
  std::shared_ptr<ChannelSums> sums;  ///< of a convolution and the batch norm after it; may be null
  ShortcutLayer shortcut;             ///< its input is the second one
  const Layer* pool = nullptr;        ///< a pool that ends a batch norm's group; null: none
  const StepState* step = nullptr;
  const int* lengths = nullptr;  ///< of sequences, by item; null: all are of the network's length
  Precision precision = Precision::fp32;
};

/// See the file's comment. All operations of a stream share the scratch memory in turn.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Bytes of scratch memory that forward or backward needs.
  virtual std::size_t scratch_bytes() const { return 0; }
  /// Sets the scratch memory, of at least scratch_bytes(); call it before the first pass.
  virtual void lend(void* /*scratch*/, std::size_t /*bytes*/) {}
  /// Call it after lend() and before the first pass: tries the library calls at the real addresses.
  /// It may write everything that a pass writes, and synchronises with the device. Throws Error
  /// with the layer's name if nothing works.
  virtual void prepare() {}
  /// The library algorithms, for reports ("forward: legacy 1 math 3; ..."); "" if there was no
  /// choice. Valid after prepare().
  virtual std::string algorithms() const { return {}; }
  virtual void forward(cudaStream_t stream) = 0;
  /// Writes the gradients of the parameters and of the inputs.
  virtual void backward(cudaStream_t stream) = 0;
};

}  // namespace paceline::cuda
