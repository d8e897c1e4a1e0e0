// SPDX-License-Identifier: MIT
#include "training/learning/arithmetic/dropout.hpp"

#include <algorithm>

#include "training/learning/arithmetic/onednn/operations.hpp"

namespace paceline {
namespace {

/// Passes all elements through while there is no draw. Backward repeats the draw of forward.
class Dropout final : public LayerOperation {
 public:
  explicit Dropout(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        value_(wiring.value),
        gradient_(wiring.gradient),
        index_(static_cast<std::uint32_t>(wiring.index)),
        rate_(wiring.layer.dropout_rate),
        draw_(*wiring.dropout) {}

  void forward(const float* /*weights*/) override { pass(input_.value, value_); }

  void backward(const float* /*weights*/, float* /*gradient*/) override {
    if (!input_.gradient) return;
    pass(gradient_, input_.landing);
    input_.land();
  }

 private:
  void pass(const dnnl::memory& from, const dnnl::memory& to) const {
    const std::span<const float> input(floats(from), count_floats(from));
    const std::span<float> output(floats(to), count_floats(to));
    if (draw_) {
      DropoutDraw mine = *draw_;
      mine.layer = index_;
      drop(input, mine, rate_, output);
    } else if (input.data() != output.data()) {
      std::copy(input.begin(), input.end(), output.begin());
    }
  }

  InputTensors input_;
  dnnl::memory value_, gradient_;
  std::uint32_t index_;
  double rate_;
  const std::optional<DropoutDraw>& draw_;
};

}  // namespace

std::unique_ptr<LayerOperation> make_dropout(const Wiring& wiring) {
  return std::make_unique<Dropout>(wiring);
}

}  // namespace paceline
