// SPDX-License-Identifier: MIT
/// \file
/// The window of a convolution or a pooling layer: size, stride and padding, and the resulting
/// output size.
#pragma once
#include <span>

#include "experiments/language/value.hpp"

namespace paceline {

/// Height x width of a window: `3` or `1x7` in YAML.
struct KernelSize {
  int height = 1;
  int width = 1;
  friend bool operator==(KernelSize, KernelSize) = default;
};

template <>
struct Value<KernelSize> {
  static TypeInfo type();
  static bool read(KernelSize& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const KernelSize& kernel);
};

enum class Padding {
  same,       ///< output = ceil(input / stride); odd padding adds the extra row after
  valid,      ///< no padding
  symmetric,  ///< (kernel - 1) / 2 on each side for any stride, as in ResNets
};
std::span<const EnumName<Padding>> enum_names(const Padding*);

struct Window {
  KernelSize kernel;
  int stride = 1;
  Padding padding = Padding::same;
};

/// The padding before and after one dimension of the input, and the output size, which is below 1
/// if the window does not fit.
struct Extent {
  int before = 0;
  int after = 0;
  int output = 0;
};
Extent lay(int input, int kernel, int stride, Padding padding);

}  // namespace paceline
