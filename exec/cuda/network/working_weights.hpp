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

class WorkingWeights {
 public:
  /// `weights` and `gradient` as for CudaNetwork. Throws Error.
  WorkingWeights(const NetworkSetting& setting, const std::vector<Group>& groups,
                 const float* weights, float* gradient, cudaStream_t stream);

  Parameters parameters_of(std::size_t group) const { return parameters_[group]; }
  /// Of the group's second batch norm, where it has one.
  Parameters shortcut_of(std::size_t group) const { return shortcuts_[group]; }
  /// Updates the copies of the groups [first, last) from the flat weights; at most one launch.
  void pack(std::size_t first, std::size_t last, cudaStream_t stream) const;
  /// Writes the flat gradients of the groups [first, last) from those of backward, divided by the
  /// loss scale; at most one launch, and a second one if there is a loss scale.
  void unpack(std::size_t first, std::size_t last, cudaStream_t stream) const;

  /// The scale of the loss, in device memory; null: it is not scaled.
  const LossScale* scale() const { return scale_.as<LossScale>(); }
  /// Chooses the scale of the next step.
  void settle(cudaStream_t stream) const;

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
  /// Adds a layer's vectors, of which the first is at the flat offset `at`, to its parameters.
  void add_vectors(Parameters& parameters, std::int64_t at, std::int64_t count);
  void copy_tables(cudaStream_t stream);

  const float* weights_;
  float* gradient_;
  WorkingFormat format_;
  DeviceMemory scale_;                              ///< in fp16: a LossScale
  std::int64_t copied_ = 0;                         ///< total elements of the copies
  std::vector<Parameters> parameters_, shortcuts_;  ///< by group
  std::vector<std::int64_t> copy_at_;  ///< by group: offset in elements, or -1 if in place
  Table matrices_;                     ///< with copies
  Table vectors_;                      ///< in place, to be unscaled; empty without a loss scale
  DeviceMemory copies_, gradients_, table_;
};

}  // namespace paceline::cuda
