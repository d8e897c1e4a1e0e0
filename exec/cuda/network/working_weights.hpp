// SPDX-License-Identifier: MIT
/// \file
/// The weights that a network computes with, and its gradients, in relation to the flat fp32 ones
/// that roles exchange: the same memory if element and layout agree, else copies.
#pragma once
#include <vector>

#include "exec/cuda/kernels/convert.hpp"
#include "exec/cuda/layers/operation.hpp"
#include "exec/cuda/network/cuda_network.hpp"
#include "exec/cuda/network/fusion.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

/// The factor by which the gradient of the loss is multiplied before the backward pass, and by
/// which the results are divided: most gradients of activations are below 6e-8, the smallest number
/// of fp16. 1024 brings them into range with room above (Micikevicius et al., "Mixed precision
/// training", ICLR 2018, used 8 to 32 K; constant factors of 1024 are usual since then). 1 for all
/// other precisions.
float loss_scale(Precision precision);

class WorkingWeights {
 public:
  /// `weights` and `gradient` as for CudaNetwork. Throws Error.
  WorkingWeights(const NetworkSetting& setting, const std::vector<Group>& groups,
                 const float* weights, float* gradient, cudaStream_t stream);

  Parameters parameters_of(std::size_t group) const { return parameters_[group]; }
  /// Updates the copies of the groups [first, last) from the flat weights; at most one launch.
  void pack(std::size_t first, std::size_t last, cudaStream_t stream) const;
  /// Writes the flat gradients of the groups [first, last) from those of backward, divided by the
  /// loss scale; at most one launch, and a second one if the loss scale is not 1.
  void unpack(std::size_t first, std::size_t last, cudaStream_t stream) const;

  std::size_t bytes() const { return copies_.bytes() + gradients_.bytes() + table_.bytes(); }

 private:
  /// Matrices in convert.hpp's format, and the number of them before each group.
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
  std::int64_t copied_ = 0;  ///< total elements of the copies
  std::vector<Parameters> parameters_;
  std::vector<std::int64_t> copy_at_;  ///< by group: offset in elements, or -1 if in place
  Table matrices_;                     ///< with copies
  Table vectors_;                      ///< in place, to be unscaled; empty if the loss scale is 1
  DeviceMemory copies_, gradients_, table_;
};

}  // namespace paceline::cuda
