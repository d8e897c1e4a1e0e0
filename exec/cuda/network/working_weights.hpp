// SPDX-License-Identifier: MIT
/// \file
/// The weights that a network computes with, and the gradients that it computes, against the flat
/// fp32 ones that roles exchange: in place where they agree, copies in the working element and
/// layout where not.
#pragma once
#include <vector>

#include "exec/cuda/kernels/convert.hpp"
#include "exec/cuda/layers/operation.hpp"
#include "exec/cuda/network/cuda_network.hpp"
#include "exec/cuda/network/fusion.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

/// By what the gradient of the loss is multiplied before it goes backward, and divided at the end:
/// fp16 has nothing below 6e-8, where most gradients of activations are. 1024 brings them in range
/// with room above (Micikevicius et al., "Mixed precision training", ICLR 2018, used 8 to 32 K; and
/// constant factors of 1024 are usual since). 1 for all others.
float loss_scale(Precision precision);

class WorkingWeights {
 public:
  /// `weights` and `gradient` as CudaNetwork has them. Throws Error.
  WorkingWeights(const NetworkSetting& setting, const std::vector<Group>& groups,
                 const float* weights, float* gradient, cudaStream_t stream);

  Parameters parameters_of(std::size_t group) const { return parameters_[group]; }
  /// The copies of the groups [first, last) from the weights; at most one launch.
  void pack(std::size_t first, std::size_t last, cudaStream_t stream) const;
  /// The flat gradients of the groups [first, last) from what backward wrote, by the loss scale; at
  /// most one launch, and one more where that is not 1.
  void unpack(std::size_t first, std::size_t last, cudaStream_t stream) const;

  std::size_t bytes() const { return copies_.bytes() + gradients_.bytes() + table_.bytes(); }

 private:
  /// Parts of the model as convert.hpp wants them, and how many of them come before each group.
  struct Table {
    std::vector<PackedMatrix> host;
    const PackedMatrix* device = nullptr;
    std::vector<std::size_t> before{0};
    MatrixRange range(std::size_t first, std::size_t last) const;
  };
  void add_group(const Layer& layer, std::int64_t offset);
  void copy_tables(cudaStream_t stream);

  const float* weights_;
  float* gradient_;
  WorkingFormat format_;
  float unscale_;            ///< 1 / loss scale
  std::int64_t copied_ = 0;  ///< elements of the copies
  std::vector<Parameters> parameters_;
  std::vector<std::int64_t> copy_at_;  ///< by group: element, or -1: in place
  Table matrices_;                     ///< those that have copies
  Table vectors_;                      ///< in place, to be unscaled; empty without a loss scale
  DeviceMemory copies_, gradients_, table_;
};

}  // namespace paceline::cuda
