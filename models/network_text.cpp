// SPDX-License-Identifier: MIT
//
// The structured bindings name every member: a new member does not compile until it is written
// here.
#include "models/network_text.hpp"

#include "experiments/language/tree.hpp"
#include "experiments/language/value.hpp"

namespace paceline {
namespace {

class Text {
 public:
  Text& add(const std::string& word) {
    text_ += to_flow(Tree::scalar(word)) + ' ';
    return *this;
  }
  Text& add(double number) {
    text_ += print_number(number) + ' ';
    return *this;
  }
  Text& add(const Shape& shape) {
    const auto& [channels, height, width] = shape;
    return add(channels).add(height).add(width);
  }
  Text& add(const Layer& layer) {
    const auto& [name, kind, inputs, in, out, kernel_height, kernel_width, stride, pad_top,
                 pad_bottom, pad_left, pad_right, bias, scale, vocabulary, parameters, tensors,
                 macs, dropout_rate, norm_size, norm_alpha, norm_beta, heads, causal,
                 loop_operations, tied, synthetic_forward, synthetic_backward] = layer;
    text_ += "\n";
    add(name).add(static_cast<double>(kind)).add(static_cast<double>(inputs.size()));
    for (const int input : inputs) add(input);
    add(in).add(out).add(kernel_height).add(kernel_width).add(stride);
    add(pad_top).add(pad_bottom).add(pad_left).add(pad_right);
    add(bias ? 1 : 0).add(scale ? 1 : 0).add(vocabulary);
    add(static_cast<double>(parameters)).add(tensors).add(static_cast<double>(macs));
    add(dropout_rate).add(norm_size).add(norm_alpha).add(norm_beta);
    if (heads > 0) add(heads).add(causal ? 1 : 0);  // absent before there was attention
    if (tied > 0) add(static_cast<double>(tied));
    if (loop_operations > 0) add(static_cast<double>(loop_operations));
    return add(synthetic_forward.value()).add(synthetic_backward.value());
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string canonical_text(const Network& network) {
  const auto& [name, item, source, input, classes, layers] = network;
  Text text;
  text.add(name).add(item).add(source).add(input).add(classes);
  for (const Layer& layer : layers) text.add(layer);
  return text.take();
}

}  // namespace paceline
