// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/loss.hpp"

#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {
namespace {

/// The part that both losses share.
class Loss : public LossOperation {
 public:
  explicit Loss(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        shape_{input_.value.element, input_.value.batch,
               static_cast<int>(input_.value.shape.elements())},
        step_(std::data(wiring.step->step)) {}

 protected:
  LossSlot slot(float* losses) const { return {losses, kLossSlots, step_}; }
  float share() const { return 1.0F / static_cast<float>(shape_.rows); }

  Input input_;
  LossShape shape_;

 private:
  const std::uint32_t* step_;
};

class CrossEntropyLoss final : public Loss {
 public:
  explicit CrossEntropyLoss(const Wiring& wiring)
      : Loss(wiring), memory_(static_cast<std::size_t>(cross_entropy_bytes(shape_.rows))) {}

  void forward(const float* targets, float* losses, cudaStream_t stream) override {
    cross_entropy_forward(shape_, input_.value.data, targets, memory_.as<float>(), slot(losses),
                          stream);
  }
  void backward(const float* targets, const LossScale* scale, cudaStream_t stream) override {
    if (!input_.gradient) return;
    cross_entropy_backward(shape_, input_.value.data, targets, memory_.as<float>(), share(), scale,
                           input_.gradient.data, input_.adds, stream);
  }

 private:
  DeviceMemory memory_;
};

class SquaredErrorLoss final : public Loss {
 public:
  explicit SquaredErrorLoss(const Wiring& wiring) : Loss(wiring) {
    if (shape_.classes != 1) throw Error("a squared error of more than one value an item", false);
  }

  void forward(const float* targets, float* losses, cudaStream_t stream) override {
    squared_error_forward(shape_, input_.value.data, targets, slot(losses), stream);
  }
  void backward(const float* targets, const LossScale* scale, cudaStream_t stream) override {
    if (!input_.gradient) return;
    squared_error_backward(shape_, input_.value.data, targets, share(), scale, input_.gradient.data,
                           input_.adds, stream);
  }
};

}  // namespace

std::unique_ptr<LossOperation> make_loss(const Wiring& wiring) {
  if (wiring.layer->kind == LayerKind::squared_error) {
    return std::make_unique<SquaredErrorLoss>(wiring);
  }
  return std::make_unique<CrossEntropyLoss>(wiring);
}

}  // namespace paceline::cuda
