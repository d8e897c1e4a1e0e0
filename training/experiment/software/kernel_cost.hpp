// SPDX-License-Identifier: MIT
/// \file
/// The kernels that a software stack launches on a GPU: which functions have one of their own,
/// which are composed of several, and on which numbers they work.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/language/description.hpp"

namespace paceline {

/// A function of whole tensors.
enum class TensorFunction : std::uint8_t {
  layer_norm,
  gelu,
  scores,   ///< attention: the scores' scale and mask
  softmax,  ///< attention: of the scores, with the dropout behind it where a stack keeps fp32
  loss,     ///< a softmax with its cross-entropy
};
std::span<const EnumName<TensorFunction>> enum_names(const TensorFunction*);

/// The numbers that a mini-batch in 16 bits casts.
enum class Casts : std::uint8_t {
  none,
  weights,  ///< rounds the fp32 weights and widens their gradients
  all,      ///< those, and what lies between functions in fp32 and products
};
std::span<const EnumName<Casts>> enum_names(const Casts*);

/// One pass of a function by several kernels.
struct ComposedPass {
  int operations = 0;  ///< kernels
  double passes = 0;   ///< over the function's output, read or written
  static void describe(Description<ComposedPass>& d);
};

/// A function for which the stack has no kernel of its own.
struct ComposedFunction {
  TensorFunction function = TensorFunction::gelu;
  ComposedPass forward, backward;
  static void describe(Description<ComposedFunction>& d);
};

struct KernelCost {
  Seconds launch;  ///< from the end of a kernel to the begin of the next
  /// Of the host, for each kernel; 0: it starts the kernels of a layer together, in `dispatch` of
  /// the software.
  Seconds dispatch;
  bool fused = false;            ///< biases, ReLUs and adds are parts of the kernels before them
  bool fused_attention = false;  ///< one kernel a pass, which keeps the scores on the chip
  bool separate_projections = false;  ///< queries, keys and values are products of their own
  bool tuned_passes = false;          ///< kernels that move data are as fast as a copy
  /// Kernels of its own that move data load one number at a time.
  bool single_loads = false;
  /// Rows of matrices that would begin at multiples of fewer bytes are padded to 16, for tensor
  /// cores; 0: none.
  Bytes pads_rows;
  Casts casts = Casts::none;
  /// In 16 bits, these, and adds of what layer norms write, still read and write fp32.
  std::vector<TensorFunction> fp32_functions;
  std::vector<ComposedFunction> composed;
  /// Kernels for each tensor of an update, and of a sum of its gradients, in line with the layers'
  /// kernels of the same GPU; 0: one for all tensors, beside the layers.
  int of_update = 0;
  /// In fp32 and NHWC, what the library's kernels of convolutions and batch norms read is
  /// transposed to NCHW, and what they write is transposed back.
  bool transposes = false;

  bool in_fp32(TensorFunction function) const;
  /// The bytes of bandwidth that a number of this size takes in the stack's own kernels.
  Bytes loaded(Bytes element) const;
  /// Null if the stack has a kernel of its own.
  const ComposedFunction* composition_of(TensorFunction function) const;
  static void describe(Description<KernelCost>& d);
};

}  // namespace paceline
