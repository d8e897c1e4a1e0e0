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
  explicit Planner(const Network& network) : network_(network), readers_(network.layers.size()) {
    plan_.steps.resize(network.layers.size());
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      for (const int tensor : network.layers[i].inputs) {
        if (tensor != kInput) ++readers_[static_cast<std::size_t>(tensor)];
      }
    }
  }

  ArrayPlan plan() {
    plan_values();
    plan_gradients();
    return std::move(plan_);
  }

 private:
  const Layer& layer(int i) const { return network_.layers[static_cast<std::size_t>(i)]; }
  ArrayPlan::Step& step(int i) { return plan_.steps[static_cast<std::size_t>(i)]; }

  bool read_once(int tensor) const {
    return tensor != kInput && readers_[static_cast<std::size_t>(tensor)] == 1;
  }
  /// Whether a layer of `kind` may overwrite the value of what it reads. An activation's backward
  /// looks at the sign of its own value, which dropout leaves or makes 0, as it does the gradient;
  /// an LSTM's looks at all of it.
  bool may_overwrite(LayerKind kind, int tensor) {
    if (!read_once(tensor) || layer(tensor).kind == LayerKind::lstm) return false;
    if (kind == LayerKind::dropout) return true;
    if (kind != LayerKind::activation && kind != LayerKind::add) return false;
    const int array = step(tensor).value;
    while (tensor != kInput && step(tensor).value == array) {
      if (layer(tensor).kind == LayerKind::activation) return false;
      if (layer(tensor).kind != LayerKind::dropout) return true;
      tensor = layer(tensor).inputs.front();
    }
    return true;
  }

  void plan_values() {
    plan_.value_sizes.push_back(network_.input.elements());
    for (int i = 0; i < static_cast<int>(network_.layers.size()); ++i) {
      const LayerKind kind = layer(i).kind;
      int own = ArrayPlan::kNone;
      for (const int tensor : layer(i).inputs) {
        const int value = tensor == kInput ? 0 : step(tensor).value;
        step(i).inputs.push_back({value, ArrayPlan::kNone, ArrayPlan::kNone});
        if (own == ArrayPlan::kNone && may_overwrite(kind, tensor)) own = value;
      }
      if (is_loss(kind)) continue;
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
      const LayerKind kind = layer(i).kind;
      // These compute their input's gradient element by element, so in the output's array.
      bool may_hand_down = kind == LayerKind::activation || kind == LayerKind::add ||
                           kind == LayerKind::batch_norm || kind == LayerKind::dropout;
      bool handed_down = false;
      std::vector<int> landings;
      for (std::size_t k = 0; k < step(i).inputs.size(); ++k) {
        const int tensor = layer(i).inputs[k];
        if (tensor == kInput) continue;
        ArrayPlan::Input& input = step(i).inputs[k];
        int& gradient = step(tensor).gradient;
        const std::int64_t size = layer(tensor).out.elements();
        if (gradient != ArrayPlan::kNone) {
          input.landing = pool.take(size);
          landings.push_back(input.landing);
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
  std::vector<int> readers_;  ///< how often each tensor is read
  ArrayPlan plan_;
};

}  // namespace

ArrayPlan plan_arrays(const Network& network) {
  return Planner(network).plan();
}

}  // namespace paceline
