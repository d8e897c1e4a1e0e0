// SPDX-License-Identifier: MIT
// With n = (x - mean) / deviation over the C channels of a position, g the scale and b the shift:
//   forward   y = g n + b
//   backward  dg = sum of dy n, db = sum of dy;  with d = g dy,
//             dx = (d - mean of d - n x mean of d n) / deviation
#include <cmath>

#include <Eigen/Core>

#include "training/learning/arithmetic/onednn/operations.hpp"

namespace paceline {
namespace {

using Row = Eigen::Map<Eigen::ArrayXf>;
using Given = Eigen::Map<const Eigen::ArrayXf>;

constexpr float kEpsilon = 1e-5F;  // torch.nn.LayerNorm

class LayerNorm final : public LayerOperation {
 public:
  explicit LayerNorm(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        value_(wiring.value),
        gradient_(wiring.gradient),
        channels_(wiring.layer.in.channels),
        positions_(static_cast<Eigen::Index>(count_floats(wiring.value)) / channels_) {}

  void forward(const float* weights) override {
    const Given scale(weights, channels_), shift(weights + channels_, channels_);
    for (Eigen::Index at = 0; at < positions_; ++at) {
      row(value_, at) = normalised(at) * scale + shift;
    }
  }

  void backward(const float* weights, float* gradient) override {
    const Given scale(weights, channels_);
    Row of_scale(gradient, channels_), of_shift(gradient + channels_, channels_);
    of_scale.setZero();
    of_shift.setZero();
    for (Eigen::Index at = 0; at < positions_; ++at) {
      const Row above = row(gradient_, at);
      const Eigen::ArrayXf normal = normalised(at);
      of_scale += above * normal;
      of_shift += above;
      if (!input_.gradient) continue;
      const Eigen::ArrayXf scaled = scale * above;
      row(input_.landing, at) =
          (scaled - scaled.mean() - normal * (scaled * normal).mean()) / deviation_;
    }
    if (input_.gradient) input_.land();
  }

 private:
  Row row(const dnnl::memory& tensor, Eigen::Index at) const {
    return {floats(tensor) + at * channels_, channels_};
  }
  /// A position's input, normalised; keeps its deviation.
  Eigen::ArrayXf normalised(Eigen::Index at) {
    const Row x = row(input_.value, at);
    const Eigen::ArrayXf centred = x - x.mean();
    deviation_ = std::sqrt(centred.square().mean() + kEpsilon);
    return centred / deviation_;
  }

  InputTensors input_;
  dnnl::memory value_, gradient_;
  Eigen::Index channels_, positions_;
  float deviation_ = 1;
};

}  // namespace

std::unique_ptr<LayerOperation> make_layer_norm(const Wiring& wiring) {
  return std::make_unique<LayerNorm>(wiring);
}

}  // namespace paceline
