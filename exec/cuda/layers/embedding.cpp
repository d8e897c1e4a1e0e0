// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/embedding.hpp"

#include "exec/cuda/layers/operations.hpp"

namespace paceline::cuda {
namespace {

class Embedding final : public Operation {
 public:
  explicit Embedding(const Wiring& wiring)
      : ids_(wiring.inputs.front().value.data),
        output_(wiring.output),
        gradient_(wiring.gradient),
        table_(wiring.parameters.matrix),
        table_gradient_(wiring.parameters.matrix_gradient) {
    shape_ = {wiring.inputs.front().value.element,
              output_.element,
              output_.layout == Layout::nhwc,
              output_.batch,
              output_.shape.height * output_.shape.width,
              output_.shape.channels,
              wiring.layer->vocabulary};
  }

  std::size_t scratch_bytes() const override { return shape_.scratch_bytes(); }
  void lend(void* scratch, std::size_t /*bytes*/) override { scratch_ = scratch; }

  void forward(cudaStream_t stream) override { embed(shape_, ids_, table_, output_.data, stream); }
  void backward(cudaStream_t stream) override {
    embed_backward(shape_, ids_, gradient_.data, table_gradient_, scratch_, stream);
  }

 private:
  const void* ids_;
  Tensor output_, gradient_;
  const void* table_;
  void* table_gradient_;
  EmbeddingShape shape_;
  void* scratch_ = nullptr;
};

}  // namespace

std::unique_ptr<Operation> make_embedding(const Wiring& wiring) {
  return std::make_unique<Embedding>(wiring);
}

}  // namespace paceline::cuda
