// SPDX-License-Identifier: MIT
#include "exec/cuda/accelerator.hpp"

#include "exec/cuda/executable.hpp"
#include "exec/cuda/facts.hpp"

namespace paceline::cuda {
namespace {

class CudaAccelerator final : public Accelerator {
 public:
  CudaAccelerator() : facts_(read_facts()) {}

  const AcceleratorFacts& facts() const override { return facts_; }
  std::string not_executable(const ExperimentPoint& point) const override {
    return cuda::not_executable(point, facts_);
  }
  Measurement execute(const Setting&, bool) override {
    Measurement failed;
    failed.status = "failed: the CUDA layer does not execute points yet";
    return failed;
  }

 private:
  AcceleratorFacts facts_;
};

}  // namespace

std::unique_ptr<Accelerator> make_accelerator() {
  return std::make_unique<CudaAccelerator>();
}

}  // namespace paceline::cuda
