// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/problem.hpp"

#include "experiments/language/value.hpp"

namespace paceline::cuda {
namespace {

const char* name_of(Propagation pass) {
  switch (pass) {
    case Propagation::forward:
      return "forward";
    case Propagation::data_gradient:
      return "data gradient";
    case Propagation::weight_gradient:
      break;
  }
  return "weight gradient";
}

template <class E>
std::string word_of(E value) {
  return Value<E>::write(value).text;
}

std::string by(int first, int second) {
  return std::to_string(first) + "x" + std::to_string(second);
}

std::string text_of(Shape shape) {
  return std::to_string(shape.channels) + "x" + by(shape.height, shape.width);
}

}  // namespace

std::string text_of(const ConvolutionProblem& problem) {
  const Padding& padding = problem.padding;
  std::string text =
      std::string("convolution ") + name_of(problem.pass) + " " + word_of(problem.precision) + " " +
      word_of(problem.layout) + " " + std::to_string(problem.batch) + "x" + text_of(problem.image) +
      " to " + text_of(problem.map) + " kernel " + by(problem.kernel_height, problem.kernel_width) +
      " stride " + std::to_string(problem.stride) + " padding " + by(padding.top, padding.left);
  if (!padding.symmetric()) text += "," + by(padding.bottom, padding.right);
  if (problem.adds) text += " adds";
  if (problem.bias) text += " bias";
  if (problem.relu) text += " relu";
  if (problem.sums) text += " sums";
  if (problem.alignment < 16) text += " aligned " + std::to_string(problem.alignment);
  return text;
}

}  // namespace paceline::cuda
