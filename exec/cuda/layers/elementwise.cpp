// SPDX-License-Identifier: MIT
// Elementwise layers: activation, add and dropout.
#include "exec/cuda/kernels/elementwise.hpp"

#include <algorithm>
#include <utility>

#include "exec/cuda/kernels/dropout.hpp"
#include "exec/cuda/layers/operations.hpp"

namespace paceline::cuda {
namespace {

/// ReLU(sum of the inputs), or the sum alone; an activation is a sum of one input.
class Sum final : public Operation {
 public:
  Sum(const Wiring& wiring, bool relu)
      : inputs_(wiring.inputs), output_(wiring.output), gradient_(wiring.gradient), relu_(relu) {
    // An input that shares its memory with the output comes first, so that it is read before the
    // output is written.
    for (Input& input : inputs_) {
      if (input.value.data == output_.data) std::swap(input, inputs_.front());
    }
  }

  void forward(cudaStream_t stream) override {
    std::size_t next = 0;
    while (next < inputs_.size()) {
      Terms terms{};
      if (next > 0) terms.values[terms.count++] = output_.data;  // the partial sum
      while (next < inputs_.size() && terms.count < kMostTerms) {
        terms.values[terms.count++] = inputs_[next++].value.data;
      }
      sum_tensors(terms, output_.data, relu_ && next == inputs_.size(), output_.element,
                  output_.elements(), stream);
    }
  }

  void backward(cudaStream_t stream) override {
    Receivers receivers{};
    const auto pass = [&] {
      if (receivers.count == 0) return;
      pass_gradient(gradient_.data, relu_ ? output_.data : nullptr, receivers, output_.element,
                    output_.elements(), stream);
      receivers.count = 0;
    };
    for (const Input& input : inputs_) {
      if (!input.gradient) continue;
      if (!relu_ && input.gradient.data == gradient_.data)
        continue;  // the same memory: nothing to copy
      receivers.gradients[receivers.count] = input.gradient.data;
      receivers.adds[receivers.count++] = input.adds;
      if (receivers.count == kMostTerms) pass();
    }
    pass();
  }

 private:
  std::vector<Input> inputs_;
  Tensor output_, gradient_;
  bool relu_;
};

class Dropout final : public Operation {
 public:
  explicit Dropout(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        output_(wiring.output),
        gradient_(wiring.gradient),
        keys_{wiring.step->key, &wiring.step->worker, wiring.step->step} {
    const Tensor& x = input_.value;
    shape_ = {x.element,
              x.layout == Layout::nhwc,
              x.batch,
              x.shape.channels,
              x.shape.height * x.shape.width,
              wiring.layer->dropout_rate,
              static_cast<std::uint32_t>(wiring.index)};
  }

  void forward(cudaStream_t stream) override {
    drop_out(shape_, input_.value.data, output_.data, false, keys_, stream);
  }
  void backward(cudaStream_t stream) override {
    if (!input_.gradient) return;
    drop_out(shape_, gradient_.data, input_.gradient.data, input_.adds, keys_, stream);
  }

 private:
  Input input_;
  Tensor output_, gradient_;
  DropoutShape shape_;
  DrawKeys keys_;
};

}  // namespace

std::unique_ptr<Operation> make_activation(const Wiring& wiring) {
  return std::make_unique<Sum>(wiring, true);
}

std::unique_ptr<Operation> make_add(const Wiring& wiring) {
  return std::make_unique<Sum>(wiring, wiring.relu);
}

std::unique_ptr<Operation> make_dropout(const Wiring& wiring) {
  return std::make_unique<Dropout>(wiring);
}

}  // namespace paceline::cuda
