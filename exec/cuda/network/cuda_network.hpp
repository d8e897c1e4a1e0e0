// SPDX-License-Identifier: MIT
/// \file
/// One worker's passes over a network on a GPU: the counterpart of training/arithmetic on a stream.
/// Every call queues and returns. Layers that a kernel does together (batch norm, add, ReLU) run
/// at the index of the last of them, both ways.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cuda/layers/tensor.hpp"
#include "training/roles/command.hpp"

namespace paceline::cuda {

class AlgorithmCache;

struct NetworkSetting {
  const Network* network = nullptr;
  int batch = 0;
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  bool graphs = true;  ///< layers that run again and again are one launch
};

/// "" or why the GPU cannot compute the network ("layer 'x': a synthetic layer has no arithmetic").
std::string uncomputable(const NetworkSetting& setting);

class CudaNetwork {
 public:
  /// On the current device, for work on `stream` alone. The network is copied. `weights` and
  /// `gradient` are whole models in the device's memory, fp32, laid out flat as
  /// Network::parameter_offsets says; both and `cache` must outlive this. Times algorithms that the
  /// cache does not know yet (which waits for the device). Throws Error.
  CudaNetwork(const NetworkSetting& setting, const float* weights, float* gradient,
              cudaStream_t stream, AlgorithmCache& cache);
  /// What was queued must have run.
  ~CudaNetwork();

  /// Queues the start of a mini-batch: what follows computes it. `inputs` ([batch x elements],
  /// fp32, row-major in channels, height, width) and `targets` (one an item) are in memory that the
  /// device reads, until this has run; `key` is of the repeat's draws.
  void load(const float* inputs, const float* targets, std::span<const std::uint32_t, 2> key,
            WorkId work);
  /// Queues layers of the mini-batch. The first time a range runs as it is; the second time its
  /// launches are captured into a graph, which every later time is one launch.
  void run(const LayerRange& layers);

  /// Mean loss of the mini-batch of a step, once its last forward layer has run; the last
  /// kLossSlots steps are kept.
  float loss(std::int64_t step) const;
  /// Bytes in the device's memory, weights and gradient not included.
  std::size_t bytes() const;
  /// How each group of layers is computed, a line each, for reports: "conv1+relu: forward: ...".
  std::vector<std::string> algorithms() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace paceline::cuda
