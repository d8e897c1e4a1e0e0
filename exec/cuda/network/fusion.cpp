// SPDX-License-Identifier: MIT
#include "exec/cuda/network/fusion.hpp"

#include <algorithm>

#include "training/runtime/assertion.hpp"

namespace paceline::cuda {
namespace {

constexpr int kNone = -1;

bool is_unpadded(const Layer& layer) {
  return layer.pad_top == 0 && layer.pad_bottom == 0 && layer.pad_left == 0 && layer.pad_right == 0;
}

class Planner {
 public:
  explicit Planner(const Network& network)
      : network_(network), readers_(network.layers.size()), taken_(network.layers.size(), false) {
    for (int i = 0; i < count(); ++i) {
      for (const int input : layer(i).inputs) {
        if (input >= 0) readers_[static_cast<std::size_t>(input)].push_back(i);
      }
    }
  }

  std::vector<Group> plan() {
    for (int i = 0; i < count(); ++i) {
      if (layer(i).kind == LayerKind::add) take_two(i);
    }
    // The batch norm that an add names first has precedence over the one that it names second.
    for (const bool second : {false, true}) {
      for (int i = 0; i < count(); ++i) {
        if (layer(i).kind == LayerKind::batch_norm && !taken(i)) take_add(i, second);
      }
    }
    for (int i = 0; i < count(); ++i) {
      if (!taken(i)) groups_.push_back(alone(i));
    }
    for (Group& group : groups_) take_activation(group);
    for (Group& group : groups_) take_pool(group);
    std::erase_if(groups_, [](const Group& group) { return group.layers.empty(); });
    std::sort(groups_.begin(), groups_.end(),
              [](const Group& a, const Group& b) { return a.last() < b.last(); });
    expect_order();
    take_sums();
    for (Group& group : groups_) {
      const bool writes_pixels =
          layer(group.first()).kind == LayerKind::batch_norm && group.pool < 0;
      if (writes_pixels) group.stride = stride_of(group.last());
    }
    for (Group& group : groups_) take_apart(group);
    return std::move(groups_);
  }

 private:
  int count() const { return static_cast<int>(network_.layers.size()); }
  const Layer& layer(int i) const { return network_.layers[static_cast<std::size_t>(i)]; }
  bool taken(int i) const { return taken_[static_cast<std::size_t>(i)]; }
  /// The only layer that reads a tensor, or kNone if the tensor is read more than once.
  int only_reader(int tensor) const {
    const std::vector<int>& readers = readers_[static_cast<std::size_t>(tensor)];
    return readers.size() == 1 ? readers.front() : kNone;
  }

  /// The group that makes a tensor; null: it is the network's input.
  Group* maker_of(int tensor) {
    const auto maker = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const Group& group) { return group.last() == tensor; });
    return maker == groups_.end() ? nullptr : &*maker;
  }

  Group alone(int i) {
    taken_[static_cast<std::size_t>(i)] = true;
    Group group;
    group.layers = {i};
    group.inputs = layer(i).inputs;
    return group;
  }

  /// Fuses an add of two batch norms with both.
  void take_two(int add) {
    const std::vector<int>& operands = layer(add).inputs;
    if (operands.size() != 2) return;
    const auto [first, second] = std::minmax(operands[0], operands[1]);
    for (const int norm : {first, second}) {
      if (norm < 0 || layer(norm).kind != LayerKind::batch_norm || only_reader(norm) != add) return;
    }
    const int other = layer(second).inputs.front();
    if (layer(first).inputs.front() == other) return;  // as in take_add()
    Group group = alone(first);
    for (const int i : {second, add}) {
      taken_[static_cast<std::size_t>(i)] = true;
      group.layers.push_back(i);
    }
    group.add = true;
    group.shortcut = second;
    group.inputs.push_back(other);
    groups_.push_back(std::move(group));
  }

  /// Fuses the add that reads a batch norm as its first (or second) operand with the batch norm.
  void take_add(int norm, bool second) {
    const int add = only_reader(norm);
    if (add == kNone || layer(add).kind != LayerKind::add || taken(add)) return;
    const std::vector<int>& operands = layer(add).inputs;
    if (operands.size() != 2 || operands[second ? 1 : 0] != norm) return;
    const int other = operands[second ? 0 : 1];
    if (other == layer(norm).inputs.front())
      return;  // one gradient would have two concurrent writers
    Group group = alone(norm);
    taken_[static_cast<std::size_t>(add)] = true;
    group.layers.push_back(add);
    group.add = true;
    group.inputs.push_back(other);
    groups_.push_back(std::move(group));
  }

  void take_activation(Group& group) {
    if (group.layers.empty()) return;
    const LayerKind kind = layer(group.first()).kind;
    if (kind != LayerKind::batch_norm && kind != LayerKind::convolution &&
        kind != LayerKind::fully_connected) {
      return;
    }
    const int reader = only_reader(group.last());
    if (reader == kNone || layer(reader).kind != LayerKind::activation) return;
    take_single(group, reader);
    group.relu = true;
  }

  /// Appends a layer that is a group so far.
  void take_single(Group& group, int reader) {
    const auto single = std::find_if(groups_.begin(), groups_.end(), [&](const Group& other) {
      return !other.layers.empty() && other.first() == reader;
    });
    single->layers.clear();
    group.layers.push_back(reader);
  }

  void take_pool(Group& group) {
    if (group.layers.empty() || !group.relu || group.shortcut != kNone) return;
    if (layer(group.first()).kind != LayerKind::batch_norm) return;
    const int reader = only_reader(group.last());
    if (reader == kNone) return;
    const Layer& pool = layer(reader);
    if (group.add ? !is_mean_of_image(pool) : !is_narrow_maximum(pool)) return;
    take_single(group, reader);
    group.pool = reader;
  }
  /// Larger windows would normalise a number more often than memory is saved.
  static bool is_narrow_maximum(const Layer& pool) {
    constexpr int kMostPlaces = 256;  // in a byte
    return pool.kind == LayerKind::max_pool &&
           std::max(pool.kernel_height, pool.kernel_width) <= 2 * pool.stride &&
           pool.kernel_height * pool.kernel_width <= kMostPlaces;
  }
  /// Not of a sequence, which has a width of 1, and may have rows that are left out.
  static bool is_mean_of_image(const Layer& pool) {
    return pool.kind == LayerKind::average_pool && pool.in.width > 1 &&
           pool.kernel_height == pool.in.height && pool.kernel_width == pool.in.width &&
           is_unpadded(pool);
  }

  /// Finds the batch norms for which a convolution may sum.
  void take_sums() {
    for (Group& norm : groups_) {
      if (layer(norm.first()).kind != LayerKind::batch_norm) continue;
      take_sums(norm, norm.inputs.front());
      if (norm.shortcut != kNone) take_sums(norm, norm.inputs.back());
    }
  }
  void take_sums(Group& norm, int input) {
    Group* const maker = maker_of(input);
    if (maker == nullptr || only_reader(input) == kNone) return;
    const Layer& made_by = layer(maker->first());
    if (made_by.kind != LayerKind::convolution || made_by.bias || maker->relu) return;
    maker->sums = norm.sums = true;
  }

  /// The stride at which all readers of a tensor read single pixels; 1: they may read all.
  int stride_of(int tensor) const {
    const std::vector<int>& readers = readers_[static_cast<std::size_t>(tensor)];
    const int stride = readers.empty() ? 1 : layer(readers.front()).stride;
    const bool alike = std::all_of(readers.begin(), readers.end(), [&](int reader) {
      const Layer& by = layer(reader);
      return by.kind == LayerKind::convolution && by.kernel_height == 1 && by.kernel_width == 1 &&
             by.stride == stride && is_unpadded(by);
    });
    return alike ? stride : 1;
  }

  /// Leaves to the second operand of an add to read the gradient of a group with a stride.
  void take_apart(Group& group) {
    if (group.stride == 1 || !group.add || !group.relu || group.shortcut != kNone) return;
    const int operand = group.inputs.back();
    Group* const maker = maker_of(operand);
    if (maker == nullptr || layer(maker->first()).kind != LayerKind::batch_norm) return;
    const bool whole = maker->stride == 1 && maker->pool == kNone;
    const bool masked = maker->add && maker->relu && maker->shortcut == kNone;
    if (!whole || !masked || maker->apart_reader != kNone || only_reader(operand) != kNone) return;
    group.apart = true;
    maker->apart_reader = group.last();
  }

  /// Asserts that all inputs of a group are computed before it, so that its readers have all run
  /// before it does in the backward pass.
  void expect_order() const {
    std::vector<bool> ready(network_.layers.size(), false);
    for (const Group& group : groups_) {
      for (const int input : group.inputs) {
        PACELINE_ASSERT(input < 0 || ready[static_cast<std::size_t>(input)]);
      }
      ready[static_cast<std::size_t>(group.last())] = true;
    }
  }

  const Network& network_;
  std::vector<std::vector<int>> readers_;  ///< of each tensor, once per read
  std::vector<bool> taken_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<Group> plan_fusion(const Network& network) {
  return Planner(network).plan();
}

Network network_of(const Network& network, const std::vector<Group>& groups) {
  Network reduced;
  reduced.name = network.name;
  reduced.item = network.item;
  reduced.input = network.input;
  reduced.classes = network.classes;
  std::vector<int> group_of(network.layers.size(), kNone);  ///< by last layer
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    group_of[static_cast<std::size_t>(group.last())] = static_cast<int>(g);
    Layer layer = network.layers[static_cast<std::size_t>(group.first())];
    layer.out = network.layers[static_cast<std::size_t>(group.last())].out;
    layer.inputs.clear();
    for (const int input : group.inputs) {
      layer.inputs.push_back(input < 0 ? input : group_of[static_cast<std::size_t>(input)]);
    }
    if (group.stride > 1) {
      layer.stride = group.stride;
      layer.out.height = (layer.out.height + group.stride - 1) / group.stride;
      layer.out.width = (layer.out.width + group.stride - 1) / group.stride;
    }
    const int maker = layer.inputs.front();
    if (maker >= 0 && groups[static_cast<std::size_t>(maker)].stride > 1) {
      layer.stride = 1;
      layer.in = reduced.layers[static_cast<std::size_t>(maker)].out;
    }
    reduced.layers.push_back(std::move(layer));
  }
  return reduced;
}

}  // namespace paceline::cuda
