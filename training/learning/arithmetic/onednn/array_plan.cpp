// SPDX-License-Identifier: MIT
// A tensor is identified by the layer that made it; kInput is the network's input.
#include "training/learning/arithmetic/onednn/array_plan.hpp"

#include <algorithm>

#include "training/learning/losses/loss.hpp"

namespace paceline {
namespace {

constexpr int kInput = -1;

/// Arrays that are taken for a time and given back.
class Pool {
 public:
  explicit Pool(std::vector<std::int64_t>& sizes) : sizes_(sizes) {}
  int take(std::int64_t size) {
    // The array given back last is the most likely to be in the cache.
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
    for (const Layer& layer : network.layers) {
      for (const int tensor : layer.inputs) {
        if (tensor != kInput) ++readers_[static_cast<std::size_t>(tensor)];
      }
    }
  }

  ArrayPlan plan() {
    plan_values();
    plan_gradients();
    return std::move(plan_);
  }
  ArrayPlan plan_forward() {
    plan_reused_values();
    return std::move(plan_);
  }

 private:
  const Layer& layer(int i) const { return network_.layers[static_cast<std::size_t>(i)]; }
  const ArrayUse& use(int i) const { return uses_[static_cast<std::size_t>(i)]; }
  ArrayPlan::Step& step(int i) { return plan_.steps[static_cast<std::size_t>(i)]; }

  bool read_once(int tensor) const {
    return tensor != kInput && readers_[static_cast<std::size_t>(tensor)] == 1;
  }
  /// The layer that wrote the array of `tensor` before the tensor's own layer did; kInput: none.
  int written_before(int tensor) {
    const int array = step(tensor).value;
    for (const int input : layer(tensor).inputs) {
      if (input != kInput && step(input).value == array) return input;
    }
    return kInput;
  }
  /// Whether layer `i` may overwrite its input, and all earlier values in the same array.
  bool may_overwrite(int i, int tensor) {
    if (!use(i).overwrites || !read_once(tensor)) return false;
    for (int at = tensor; at != kInput; at = written_before(at)) {
      const ArrayUse::Looks keeps = use(at).keeps;
      if (keeps == ArrayUse::Looks::at_all) return false;
      if (keeps == ArrayUse::Looks::at_the_sign && !use(i).leaves_the_sign) return false;
    }
    return true;
  }

  void plan_values() {
    plan_.value_sizes.push_back(network_.input.elements());
    for (int i = 0; i < static_cast<int>(network_.layers.size()); ++i) {
      int own = ArrayPlan::kNone;
      for (const int tensor : layer(i).inputs) {
        const int value = tensor == kInput ? 0 : step(tensor).value;
        ArrayPlan::Input input;
        input.value = value;
        step(i).inputs.push_back(input);
        if (own == ArrayPlan::kNone && may_overwrite(i, tensor)) own = value;
      }
      if (is_loss(layer(i).kind)) continue;
      if (own == ArrayPlan::kNone) {
        own = static_cast<int>(plan_.value_sizes.size());
        plan_.value_sizes.push_back(layer(i).out.elements());
      }
      step(i).value = own;
    }
  }

  void plan_reused_values() {
    plan_.value_sizes.push_back(network_.input.elements());
    Pool pool(plan_.value_sizes);
    for (int i = 0; i < static_cast<int>(network_.layers.size()); ++i) {
      int own = ArrayPlan::kNone;
      std::vector<int> read;
      for (const int tensor : layer(i).inputs) {
        ArrayPlan::Input input;
        input.value = tensor == kInput ? 0 : step(tensor).value;
        step(i).inputs.push_back(input);
        if (tensor == kInput || --readers_[static_cast<std::size_t>(tensor)] > 0) continue;
        if (own == ArrayPlan::kNone && use(i).overwrites) {
          own = input.value;
        } else {
          read.push_back(input.value);
        }
      }
      if (!is_loss(layer(i).kind)) {
        step(i).value = own == ArrayPlan::kNone ? pool.take(layer(i).out.elements()) : own;
      }
      for (const int array : read) pool.give_back(array);
    }
  }

  void plan_gradients() {
    Pool pool(plan_.gradient_sizes);
    for (int i = static_cast<int>(network_.layers.size()) - 1; i >= 0; --i) {
      bool may_hand_down = use(i).hands_down;
      bool handed_down = false;
      std::vector<int> landings;
      for (std::size_t k = 0; k < step(i).inputs.size(); ++k) {
        const int tensor = layer(i).inputs[k];
        if (tensor == kInput || use(i).apart == static_cast<int>(k)) continue;
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
      const bool read_later = handed_down || use(i).apart >= 0;
      if (!read_later && step(i).gradient != ArrayPlan::kNone) pool.give_back(step(i).gradient);
    }
  }

  const Network& network_;
  std::span<const ArrayUse> uses_;  ///< by layer
  bool landings_;
  std::vector<int> readers_;  ///< how often each tensor is read, from here on in a forward plan
  ArrayPlan plan_;
};

}  // namespace

ArrayPlan plan_arrays(const Network& network) {
  std::vector<ArrayUse> uses;
  for (const Layer& layer : network.layers) {
    const bool activation = layer.kind == LayerKind::activation;
    const bool add = layer.kind == LayerKind::add;
    const bool dropout = layer.kind == LayerKind::dropout;
    ArrayUse use;
    use.overwrites = activation || add || dropout;
    use.leaves_the_sign = dropout;
    if (activation) use.keeps = ArrayUse::Looks::at_the_sign;
    if (layer.kind == LayerKind::lstm) use.keeps = ArrayUse::Looks::at_all;
    // These layers compute their input's gradient element by element.
    use.hands_down = activation || add || dropout || layer.kind == LayerKind::batch_norm;
    uses.push_back(use);
  }
  return Planner(network, uses, true).plan();
}

ArrayPlan plan_arrays(const Network& network, std::span<const ArrayUse> uses) {
  return Planner(network, uses, false).plan();
}

ArrayPlan plan_forward_arrays(const Network& network, std::span<const ArrayUse> uses) {
  return Planner(network, uses, false).plan_forward();
}

}  // namespace paceline
