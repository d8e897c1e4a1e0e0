// SPDX-License-Identifier: MIT
/// \file
/// The window that a convolution or a pool slides over its input: size, stride and padding, and
/// the size of the output that follows.
#pragma once
#include <span>

#include "experiments/value.hpp"

namespace paceline {

/// Height x width of a window: `3` or `1x7` in YAML.
struct Kernel {
  int height = 1;
  int width = 1;
  friend bool operator==(Kernel, Kernel) = default;
};

template <>
struct Value<Kernel> {
  static TypeInfo type();
  static bool read(Kernel& out, const Tree& tree, Diagnostics& diagnostics);
  static Tree write(const Kernel& kernel);
};

enum class Padding {
  same,       ///< output = ceil(input / stride); the odd row of padding goes below
  valid,      ///< none
  symmetric,  ///< (kernel - 1) / 2 on each side, whatever the stride, as ResNets have it
};
std::span<const EnumName<Padding>> enum_names(const Padding*);

struct Window {
  Kernel kernel;
  int stride = 1;
  Padding padding = Padding::same;
};

/// One dimension of a window laid over an input: padding before and after, and the output's size,
/// which is below 1 when the window does not fit.
struct Extent {
  int before = 0;
  int after = 0;
  int output = 0;
};
Extent lay(int input, int kernel, int stride, Padding padding);

}  // namespace paceline
