// SPDX-License-Identifier: MIT
// A tensor is named by the layer that made it; kInput is what the network reads.
#include "training/arithmetic/convolutional/array_plan.hpp"

#include <algorithm>

#include "training/arithmetic/loss.hpp"

namespace paceline {
namespace {

constexpr int kInput = -1;

/// Arrays that are lent and given back.
class Pool {
 public:
  explicit Pool(std::vector<std::int64_t>& sizes) : sizes_(sizes) {}
  int take(std::int64_t size) {
    // The one given back last is the likeliest to be in the cache.
    for (auto free = free_.rbegin(); free != free_.rend(); ++free) {
      const int array = *free;
      if (sizes_[static_cast<std::size_t>(array)] < size) continue;
      free_.erase(std::next(free).base());
      return array;
    }
    sizes_.push_back(size);
    return static_cast<int>(sizes_.size()) - 1;
  }
  void give_back(int array) { free_.push_back(array); }

 private:
  std::vector<std::int64_t>& sizes_;
  std::vector<int> free_;
};

class Planner {
 public:
  Planner(const Network& network, std::span<const ArrayUse> uses, bool landings)
      : network_(network), uses_(uses), landings_(landings), readers_(network.layers.size()) {
    plan_.steps.resize(network.layers.size());
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const Layer& layer = network.layers[i];
      std::vector<int> tensors;
      tensors.reserve(layer.inputs.size());
      for (const int input : layer.inputs) tensors.push_back(source_of(input));
      if (!uses_[i].passes_through) {
        for (const int tensor : tensors) {
          if (tensor != kInput) ++readers_[static_cast<std::size_t>(tensor)];
        }
      }
      tensors_.push_back(std::move(tensors));
    }
  }

  ArrayPlan plan() {
    plan_values();
    plan_gradients();
    return std::move(plan_);
  }

 private:
  const Layer& layer(int i) const { return network_.layers[static_cast<std::size_t>(i)]; }
  const ArrayUse& use(int i) const { return uses_[static_cast<std::size_t>(i)]; }
  ArrayPlan::Step& step(int i) { return plan_.steps[static_cast<std::size_t>(i)]; }

  int source_of(int tensor) const {
    while (tensor != kInput && use(tensor).passes_through) {
      tensor = layer(tensor).inputs.front();
    }
    return tensor;
  }
  bool read_once(int tensor) const {
    return tensor != kInput && readers_[static_cast<std::size_t>(tensor)] == 1;
  }
  /// Whether the value may be overwritten by its reader.
  bool spare(int tensor) const { return read_once(tensor) && !use(tensor).keeps; }

  void plan_values() {
    plan_.value_sizes.push_back(network_.input.elements());
    for (int i = 0; i < static_cast<int>(network_.layers.size()); ++i) {
      int own = ArrayPlan::kNone;
      for (const int tensor : tensors_[static_cast<std::size_t>(i)]) {
        const int value = tensor == kInput ? 0 : step(tensor).value;
        ArrayPlan::Input input;
        input.value = value;
        step(i).inputs.push_back(input);
        if (use(i).overwrites && own == ArrayPlan::kNone && spare(tensor)) own = value;
      }
      if (use(i).passes_through || is_loss(layer(i).kind)) continue;
      if (own == ArrayPlan::kNone) {
        own = static_cast<int>(plan_.value_sizes.size());
        plan_.value_sizes.push_back(layer(i).out.elements());
      }
      step(i).value = own;
    }
  }

  void plan_gradients() {
    Pool pool(plan_.gradient_sizes);
    for (int i = static_cast<int>(network_.layers.size()) - 1; i >= 0; --i) {
      if (use(i).passes_through) continue;
      bool may_hand_down = use(i).hands_down;
      bool handed_down = false;
      std::vector<int> landings;
      for (std::size_t k = 0; k < step(i).inputs.size(); ++k) {
        const int tensor = tensors_[static_cast<std::size_t>(i)][k];
        if (tensor == kInput) continue;
        ArrayPlan::Input& input = step(i).inputs[k];
        int& gradient = step(tensor).gradient;
        const std::int64_t size = layer(tensor).out.elements();
        if (gradient != ArrayPlan::kNone) {
          input.adds = true;
          input.landing = gradient;
          if (landings_) {
            input.landing = pool.take(size);
            landings.push_back(input.landing);
          }
        } else if (may_hand_down && read_once(tensor)) {
          gradient = input.landing = step(i).gradient;
          handed_down = true;
          may_hand_down = false;
        } else {
          gradient = input.landing = pool.take(size);
        }
        input.gradient = gradient;
      }
      for (const int landing : landings) pool.give_back(landing);
      if (!handed_down && step(i).gradient != ArrayPlan::kNone) pool.give_back(step(i).gradient);
    }
  }

  const Network& network_;
  std::span<const ArrayUse> uses_;  ///< by layer
  bool landings_;
  std::vector<int> readers_;               ///< how often each tensor is read
  std::vector<std::vector<int>> tensors_;  ///< what each layer reads, dropout seen through
  ArrayPlan plan_;
};

}  // namespace

ArrayPlan plan_arrays(const Network& network) {
  std::vector<ArrayUse> uses;
  for (const Layer& layer : network.layers) {
    const bool activation = layer.kind == LayerKind::activation;
    const bool add = layer.kind == LayerKind::add;
    ArrayUse use;
    use.passes_through = layer.kind == LayerKind::dropout;
    use.overwrites = activation || add;
    use.keeps = activation || layer.kind == LayerKind::lstm;
    // these compute their input's gradient element by element
    use.hands_down = activation || add || layer.kind == LayerKind::batch_norm;
    uses.push_back(use);
  }
  return Planner(network, uses, true).plan();
}

ArrayPlan plan_arrays(const Network& network, std::span<const ArrayUse> uses) {
  return Planner(network, uses, false).plan();
}

}  // namespace paceline
