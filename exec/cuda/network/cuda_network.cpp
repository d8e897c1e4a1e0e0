// SPDX-License-Identifier: MIT
#include "exec/cuda/network/cuda_network.hpp"

#include <algorithm>
#include <map>

#include <cudnn.h>

#include "exec/cuda/kernels/step_state.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/layers/toolbox.hpp"
#include "exec/cuda/network/arrays.hpp"
#include "exec/cuda/network/padded_input.hpp"
#include "exec/cuda/network/range_graphs.hpp"
#include "exec/cuda/network/working_weights.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "training/learning/arithmetic/supported_layers.hpp"
#include "training/runtime/assertion.hpp"

namespace paceline::cuda {

namespace {

/// The first cuDNN with recurrent layers in bf16 (PyTorch issue 164411).
constexpr std::size_t kRecurrentHalves = 91300;

}  // namespace

std::string uncomputable(const NetworkSetting& setting) {
  const Network& network = *setting.network;
  std::string why = unsupported(network);
  const auto layer = std::ranges::find_if_not(network.layers, has_operation);
  if (why.empty() && layer != network.layers.end()) {
    why = "layer '" + layer->name + "' of '" + network.name +
          "' has no arithmetic on GPUs (transformers train on the host, and are predicted)";
  }
  const auto is_lstm = [](const Layer& one) { return one.kind == LayerKind::lstm; };
  if (why.empty() && setting.precision == Precision::bf16 && cudnnGetVersion() < kRecurrentHalves &&
      std::ranges::any_of(network.layers, is_lstm)) {
    why = "an LSTM in bf16 needs cuDNN 9.13 or newer";
  }
  return why;
}

class CudaNetwork::Parts {
 public:
  Parts(const NetworkSetting& setting, const float* weights, float* gradient, cudaStream_t stream,
        AlgorithmCache& cache)
      : Parts(setting, nullptr, stream) {
    tools_ = std::make_shared<Toolbox>(stream, cache, setting.deterministic);
    weights_ = std::make_shared<WorkingWeights>(setting_, groups_, weights, gradient, stream);
    own_bytes_ += weights_->bytes();
    make_operations();
    prepare(nullptr);
  }
  Parts(const NetworkSetting& setting, const Parts& other) : Parts(setting, &other, other.stream_) {
    tools_ = other.tools_;
    weights_ = other.weights_;
    make_operations();
    prepare(&other);
  }

  void load(const float* inputs, const float* targets, std::span<const std::uint32_t, 2> key,
            WorkId work, const int* lengths) {
    const Tensor& to = arrays_.input();
    const InputShape shape{to.element,        to.layout == Layout::nhwc,
                           to.batch,          input_channels_,
                           to.shape.channels, to.shape.height * to.shape.width};
    load_inputs(shape, inputs, to.data, stream_);
    check(cudaMemcpyAsync(targets_.data(), targets, targets_.bytes(), cudaMemcpyDefault, stream_),
          "copying targets");
    if (setting_.uneven) {
      check(cudaMemcpyAsync(lengths_.data(), lengths, lengths_.bytes(), cudaMemcpyDefault, stream_),
            "copying lengths");
    }
    if (setting_.trains) weights_->settle(stream_);
    const auto step = static_cast<std::uint64_t>(work.step);
    write_step_state(step_.as<StepState>(),
                     {{key[0], key[1]},
                      static_cast<std::uint32_t>(work.worker),
                      {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)}},
                     stream_);
  }

  void run(const LayerRange& layers) {
    const std::size_t first = group_from(layers.first);
    const std::size_t last = group_from(layers.last);
    if (first == last) return;  // the whole range runs with later layers
    graphs_.run(layers, [this, first, last, pass = layers.pass] {
      pass == Pass::forward ? forward(first, last) : backward(first, last);
    });
  }

  void run_both(const LayerRange& layers, const DeviceEvent& border) {
    const std::size_t first = group_from(layers.first);
    const std::size_t last = group_from(layers.last);
    graphs_.run_both(
        layers, [&] { forward(first, last); }, [&] { backward(first, last); }, border);
  }

  float loss(std::int64_t step) const {
    return static_cast<const volatile float*>(losses_->as<float>())[step % kLossSlots];
  }

  std::size_t bytes() const {
    return own_bytes_ + arrays_.bytes() + targets_.bytes() + step_.bytes() + scratch_.bytes();
  }

  const LossScale* loss_scale() const { return weights_->scale(); }

  std::vector<std::string> algorithms() const {
    std::vector<std::string> lines;
    for (std::size_t g = 0; g < operations_.size(); ++g) {
      std::string line;
      for (const int layer : groups_[g].layers) {
        line += (line.empty() ? "" : "+") + network_.layers[static_cast<std::size_t>(layer)].name;
      }
      const std::string chosen = operations_[g]->algorithms();
      lines.push_back(line + ": " + (chosen.empty() ? "own kernels" : chosen));
    }
    return lines;
  }

 private:
  /// Without weights and operations yet.
  Parts(const NetworkSetting& setting, const Parts* other, cudaStream_t stream)
      : input_channels_(setting.network->input.channels),
        network_(with_padded_input(*setting.network, setting)),
        setting_(with_network(setting, network_)),
        stream_(stream),
        groups_(plan_fusion(network_)),
        reduced_(network_of(network_, groups_)),
        arrays_(setting_, reduced_, groups_, other != nullptr ? &other->arrays_ : nullptr),
        targets_(static_cast<std::size_t>(setting.batch) * sizeof(float)),
        step_(sizeof(StepState)),
        lengths_(setting.uneven ? static_cast<std::size_t>(setting.batch) * sizeof(int) : 0),
        losses_(other != nullptr && setting.trains
                    ? other->losses_
                    : std::make_shared<PinnedMemory>(kLossSlots * sizeof(float))),
        graphs_(stream, setting.graphs) {}

  static NetworkSetting with_network(NetworkSetting setting, const Network& network) {
    setting.network = &network;
    return setting;
  }

  /// The first group that runs at `layer` or after it.
  std::size_t group_from(int layer) const {
    PACELINE_ASSERT(layer >= 0 && layer <= static_cast<int>(network_.layers.size()));
    const auto found = std::partition_point(
        groups_.begin(), groups_.end(), [&](const Group& group) { return group.last() < layer; });
    return static_cast<std::size_t>(found - groups_.begin());
  }

  Wiring wiring_of(std::size_t g) const {
    const Group& group = groups_[g];
    Wiring wiring;
    wiring.layer = &reduced_.layers[g];
    wiring.index = group.first();
    wiring.relu = group.relu;
    wiring.inputs = arrays_.inputs_of(g);
    wiring.output = arrays_.value_of(g);
    wiring.gradient = arrays_.gradient_of(g);
    if (group.apart) wiring.mask = masks_.at(group.last());
    if (setting_.trains && group.apart_reader >= 0) {
      const std::size_t reader = group_from(group.apart_reader);
      wiring.kept_gradient = {arrays_.gradient_of(reader), groups_[reader].stride,
                              masks_.at(group.apart_reader)};
    }
    wiring.parameters = weights_->parameters_of(g);
    const bool makes_sums = wiring.layer->kind == LayerKind::convolution;
    wiring.sums = sums_of(makes_sums ? group.last() : group.inputs.front());
    if (group.pool >= 0) wiring.pool = &network_.layers[static_cast<std::size_t>(group.pool)];
    if (group.shortcut >= 0) {
      wiring.shortcut = {&network_.layers[static_cast<std::size_t>(group.shortcut)],
                         weights_->shortcut_of(g), sums_of(group.inputs.back())};
    }
    wiring.step = step_.as<StepState>();
    wiring.lengths = setting_.uneven ? lengths_.as<int>() : nullptr;
    wiring.precision = setting_.precision;
    return wiring;
  }

  /// Of 16-bit numbers alone: their rounding exceeds what a variance from sums of squares loses.
  void make_sums() {
    if (!setting_.trains || bytes_of(element_of(setting_.precision)) != 2) return;
    for (const Group& group : groups_) {
      const Layer& layer = network_.layers[static_cast<std::size_t>(group.first())];
      if (!group.sums || layer.kind != LayerKind::convolution) continue;
      const auto& sums = sums_[group.last()] = std::make_shared<ChannelSums>(layer.out.channels);
      own_bytes_ += sums->memory.bytes();
    }
  }

  /// Of the tensor that a layer makes; null if there are none.
  std::shared_ptr<ChannelSums> sums_of(int tensor) const {
    const auto found = sums_.find(tensor);
    return found == sums_.end() ? nullptr : found->second;
  }

  void make_operations() {
    make_sums();
    for (const Group& group : groups_) {
      if (group.apart) masks_[group.last()] = std::make_shared<DeviceMemory>();
    }
    for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
      operations_.push_back(make_operation(*tools_, wiring_of(g)));
    }
    loss_ = make_loss(wiring_of(groups_.size() - 1));
  }

  void prepare(const Parts* other) {
    std::size_t scratch = 0;
    for (const auto& operation : operations_) {
      scratch = std::max(scratch, operation->scratch_bytes());
    }
    const bool fits = other != nullptr && scratch <= other->scratch_.bytes();
    if (!fits) scratch_ = DeviceMemory(scratch);
    const DeviceMemory& lent = fits ? other->scratch_ : scratch_;
    // algorithms are timed on numbers: NaNs can change the speed
    arrays_.clear(stream_);
    if (setting_.uneven) {
      check(cudaMemsetAsync(lengths_.data(), 0, lengths_.bytes(), stream_), "clearing lengths");
    }
    weights_->pack(0, groups_.size(), stream_);
    for (const auto& operation : operations_) {
      operation->lend(lent.data(), lent.bytes());
      operation->prepare();
    }
    check(cudaStreamSynchronize(stream_), "preparing layers");
  }

  void forward(std::size_t first, std::size_t last) {
    weights_->pack(first, last, stream_);
    for (std::size_t g = first; g < last; ++g) {
      if (g < operations_.size()) {
        operations_[g]->forward(stream_);
      } else {
        loss_->forward(targets_.as<float>(), losses_->as<float>(), stream_);
      }
    }
  }

  void backward(std::size_t first, std::size_t last) {
    for (std::size_t g = last; g-- > first;) {
      if (g < operations_.size()) {
        operations_[g]->backward(stream_);
      } else {
        loss_->backward(targets_.as<float>(), weights_->scale(), stream_);
      }
    }
    weights_->unpack(first, last, stream_);
  }

  int input_channels_;  ///< of the items; the network's input may have more
  Network network_;
  NetworkSetting setting_;
  cudaStream_t stream_;
  std::vector<Group> groups_;
  Network reduced_;
  Arrays arrays_;
  std::shared_ptr<const WorkingWeights> weights_;
  std::size_t own_bytes_ = 0;  ///< of sums, and of weights where they are its own
  DeviceMemory targets_, step_, scratch_;
  DeviceMemory lengths_;                        ///< by item, where they are uneven
  std::shared_ptr<const PinnedMemory> losses_;  ///< by step mod kLossSlots
  std::shared_ptr<Toolbox> tools_;
  RangeGraphs graphs_;
  std::map<int, std::shared_ptr<DeviceMemory>> masks_;  ///< of groups that are apart, by last layer
  std::map<int, std::shared_ptr<ChannelSums>> sums_;    ///< by the last layer that makes the tensor
  std::vector<std::unique_ptr<Operation>> operations_;  ///< by group, without the loss
  std::unique_ptr<LossOperation> loss_;
};

CudaNetwork::CudaNetwork(const NetworkSetting& setting, const float* weights, float* gradient,
                         cudaStream_t stream, AlgorithmCache& cache)
    : parts_(std::make_unique<Parts>(setting, weights, gradient, stream, cache)) {}
CudaNetwork::CudaNetwork(const NetworkSetting& setting, const CudaNetwork& other)
    : parts_(std::make_unique<Parts>(setting, *other.parts_)) {}
CudaNetwork::~CudaNetwork() = default;

void CudaNetwork::load(const float* inputs, const float* targets,
                       std::span<const std::uint32_t, 2> key, WorkId work, const int* lengths) {
  parts_->load(inputs, targets, key, work, lengths);
}
void CudaNetwork::run(const LayerRange& layers) {
  parts_->run(layers);
}
void CudaNetwork::run_both(const LayerRange& layers, const DeviceEvent& border) {
  parts_->run_both(layers, border);
}
float CudaNetwork::loss(std::int64_t step) const {
  return parts_->loss(step);
}
std::size_t CudaNetwork::bytes() const {
  return parts_->bytes();
}
const LossScale* CudaNetwork::loss_scale() const {
  return parts_->loss_scale();
}
std::vector<std::string> CudaNetwork::algorithms() const {
  return parts_->algorithms();
}

}  // namespace paceline::cuda
