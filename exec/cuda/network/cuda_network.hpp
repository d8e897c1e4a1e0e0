// SPDX-License-Identifier: MIT
/// \file
/// One worker's passes over a network on a GPU: the counterpart of training/learning/arithmetic on
/// a stream. Every call queues work and returns. Fused layers (batch norm, add, ReLU) run at the
/// index of the last of them, in both passes.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/loss_scale.hpp"
#include "exec/cuda/layers/tensor.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "training/runtime/command.hpp"

namespace paceline::cuda {

class AlgorithmCache;

struct NetworkSetting {
  const Network* network = nullptr;
  int batch = 0;
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  bool graphs = true;                  ///< launches repeated ranges of layers as one graph
  bool trains = true;                  ///< false: only forward passes, without gradients
  bool uneven = false;                 ///< of sequences that may be shorter than the network's
  bool deterministic = false;          ///< repeats to the bit
  float loss_scale = kFirstLossScale;  ///< of the first step in fp16
};

/// "", or the reason why the GPU cannot compute the network ("layer 'x': a synthetic layer has no
/// arithmetic").
std::string uncomputable(const NetworkSetting& setting);

class CudaNetwork {
 public:
  /// For the current device and for work on `stream` only. Copies the network. `weights` and
  /// `gradient` are whole models in device memory, fp32, in the flat layout of
  /// Network::parameter_offsets; both and `cache` must outlive this. Times algorithms that the
  /// cache lacks, which synchronises with the device. Throws Error.
  CudaNetwork(const NetworkSetting& setting, const float* weights, float* gradient,
              cudaStream_t stream, AlgorithmCache& cache);
  /// The same network for mini-batches of another size or length, or for forward passes alone, with
  /// the weights and the stream of `other`, which must outlive this. A mini-batch of one must have
  /// ended before one of the other begins: they share memory, and the losses if both train.
  CudaNetwork(const NetworkSetting& setting, const CudaNetwork& other);
  /// Requires that all queued work has run.
  ~CudaNetwork();

  /// Queues the start of a mini-batch for the following run() calls. `inputs` ([batch x elements],
  /// fp32, in the order channels, height, width) and `targets` (one per item) must be readable by
  /// the device until this work has run, as must `lengths`, where sequences are uneven; `key` seeds
  /// the draws of the repeat.
  void load(const float* inputs, const float* targets, std::span<const std::uint32_t, 2> key,
            WorkId work, const int* lengths = nullptr);
  /// Queues layers of the mini-batch. A range runs directly the first time; the second time its
  /// launches are captured in a graph, which is launched from then on.
  void run(const LayerRange& layers);
  /// The same of the forward pass through a range of layers and then the backward pass, as one
  /// graph, in which `border` is recorded between the two: until all of it has run the event must
  /// not be queried.
  void run_both(const LayerRange& layers, const DeviceEvent& border);

  /// Mean loss of a step's mini-batch. Requires that its last forward layer has run; the last
  /// kLossSlots steps are kept.
  float loss(std::int64_t step) const;
  /// Bytes of device memory of its own, without weights and gradient.
  std::size_t bytes() const;
  /// The loss scale in device memory; null but in fp16.
  const LossScale* loss_scale() const;
  /// The algorithms of each group of layers, one line each, for reports: "conv1+relu: forward:
  /// ...".
  std::vector<std::string> algorithms() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace paceline::cuda
