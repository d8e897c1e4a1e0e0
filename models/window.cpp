// SPDX-License-Identifier: MIT
#include "models/window.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "models/limits.hpp"

namespace paceline {
namespace {

/// Reads one side of a window from the front of `text` and removes it; false if there is no number
/// within the bounds.
bool read_side(int& side, std::string_view& text) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, side);
  if (error != std::errc{} || side < 1 || side > kMostPixels) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return true;
}

}  // namespace

TypeInfo Value<KernelSize>::type() {
  TypeInfo info;
  info.name = "window (3 or 1x7: height x width)";
  return info;
}

bool Value<KernelSize>::read(KernelSize& out, const Tree& tree, Diagnostics& diagnostics) {
  KernelSize kernel;
  std::string_view text = tree.text;
  bool good = tree.is_scalar() && read_side(kernel.height, text);
  kernel.width = kernel.height;
  if (good && text.starts_with('x')) {
    text.remove_prefix(1);
    good = read_side(kernel.width, text);
  }
  if (!good || !text.empty()) {
    diagnostics.error(tree.at, "'" + to_flow(tree) + "' is not a window (write 3 or 1x7, sides " +
                                   "from 1 to " + std::to_string(kMostPixels) + ")");
    return false;
  }
  out = kernel;
  return true;
}

Tree Value<KernelSize>::write(const KernelSize& kernel) {
  const std::string height = std::to_string(kernel.height);
  if (kernel.height == kernel.width) return Tree::scalar(height);
  return Tree::scalar(height + "x" + std::to_string(kernel.width));
}

std::span<const EnumName<Padding>> enum_names(const Padding*) {
  static constexpr std::array<EnumName<Padding>, 3> kNames{{
      {"same", Padding::same},
      {"valid", Padding::valid},
      {"symmetric", Padding::symmetric},
  }};
  return kNames;
}

Extent lay(int input, int kernel, int stride, Padding padding) {
  Extent extent;
  if (padding == Padding::same) {
    extent.output = (input - 1) / stride + 1;
    const int total = std::max((extent.output - 1) * stride + kernel - input, 0);
    extent.before = total / 2;
    extent.after = total - extent.before;
    return extent;
  }
  if (padding == Padding::symmetric) extent.before = extent.after = (kernel - 1) / 2;
  const int room = input + extent.before + extent.after - kernel;
  extent.output = room < 0 ? 0 : room / stride + 1;
  return extent;
}

}  // namespace paceline
