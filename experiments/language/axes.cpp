// SPDX-License-Identifier: MIT
#include "experiments/language/axes.hpp"

#include <algorithm>

#include "experiments/language/family.hpp"
#include "experiments/language/zip.hpp"

namespace paceline {
namespace {

/// The known keys of `map`. A family's keys depend on its kind: the keys of the given kind, of each
/// swept kind, or of all kinds if none is given (a reader may supply one).
std::vector<KeyInfo> keys_in(const Tree& map, const TypeInfo& type) {
  if (!type.variants) {
    const auto& keys = type.fields ? type.fields : type.within;
    return keys ? keys() : std::vector<KeyInfo>();
  }
  std::vector<KeyInfo> keys;
  const Tree* kind = map.find("kind");
  for (const VariantInfo& variant : type.variants()) {
    const auto named = [&variant](const Tree& name) { return name.text == variant.name; };
    if (kind == nullptr || named(*kind) ||
        std::any_of(kind->items.begin(), kind->items.end(), named)) {
      keys.insert(keys.end(), variant.keys.begin(), variant.keys.end());
    }
  }
  return keys;
}

/// The types of a map's members in their order; null where unknown.
std::vector<std::shared_ptr<const TypeInfo>> member_types(const Tree& map, const TypeInfo* type) {
  std::vector<std::shared_ptr<const TypeInfo>> types(map.members.size());
  if (type == nullptr || type->list) return types;
  if (type->element) {  // a mapping from names: all values have one type
    std::fill(types.begin(), types.end(), type->element);
    return types;
  }
  for (const KeyInfo& key : keys_in(map, *type)) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (map.members[i].key == key.name) types[i] = std::make_shared<const TypeInfo>(key.type);
    }
  }
  return types;
}

/// True if an item of a list is a name that stands for a whole list and not for an element.
bool is_whole_list(const Tree& item, const TypeInfo& list) {
  const auto names = [&item](const TypeInfo* type) {
    return type != nullptr && std::ranges::find(type->choices, item.text) != type->choices.end();
  };
  return item.is_scalar() && names(&list) && !names(list.element.get());
}

/// Where a single value is expected, any list is a sweep; where a list is expected, only a list of
/// lists is, or of names that stand for a whole list.
bool is_sweep(const Tree& tree, const TypeInfo* type) {
  if (!tree.is_list()) return false;
  if (type == nullptr || !type->list) return true;
  return std::any_of(tree.items.begin(), tree.items.end(), [type](const Tree& item) {
    return is_whole_list(item, *type) || is_sweep(item, type->element.get());
  });
}

/// Collects the axes of one document, or of one choice of an axis.
class AxisFinder {
 public:
  AxisFinder(bool whole_document, Diagnostics& diagnostics)
      : zip_at_top_(whole_document), diagnostics_(diagnostics) {}

  std::vector<Axis> find(const Tree& root, const TypeInfo* type) {
    visit(root, type);
    return std::move(axes_);
  }

 private:
  void visit(const Tree& node, const TypeInfo* type) {
    if (node.is_list()) {
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        enter(i, std::to_string(i),
              [&] { visit(node.items[i], type != nullptr ? type->element.get() : nullptr); });
      }
    }
    if (!node.is_map()) return;
    const auto types = member_types(node, type);
    for (std::size_t i = 0; i < node.members.size(); ++i) {
      const Member& member = node.members[i];
      enter(i, member.key, [&] {
        if (zip_at_top_ && keys_.size() == 1 && member.key == "zip") {
          check_rows(member.value, diagnostics_);
          axes_.push_back({member.key, steps_, &member.value, *type, true});
        } else if (is_sweep(member.value, types[i].get())) {
          add_sweep(member.value, types[i].get());
        } else {
          visit(member.value, types[i].get());
        }
      });
    }
  }

  template <class Inside>
  void enter(std::size_t step, const std::string& key, Inside inside) {
    steps_.push_back(step);
    keys_.push_back(key);
    inside();
    keys_.pop_back();
    steps_.pop_back();
  }

  void add_sweep(const Tree& list, const TypeInfo* type) {
    const std::string path = to_string(keys_);
    if (list.items.empty()) {
      diagnostics_.error(list.at,
                         "the sweep of '" + path + "' is empty (write at least one value)");
    }
    axes_.push_back({path, steps_, &list, type != nullptr ? std::optional(*type) : std::nullopt});
  }

  bool zip_at_top_;
  Diagnostics& diagnostics_;
  std::vector<Axis> axes_;
  Steps steps_;
  KeyPath keys_;
};

}  // namespace

const TypeInfo* known_type(const Axis& axis) {
  return axis.type ? &*axis.type : nullptr;
}

Tree& node_at(Tree& root, const Steps& steps) {
  Tree* node = &root;
  for (const std::size_t step : steps) {
    node = node->is_list() ? &node->items[step] : &node->members[step].value;
  }
  return *node;
}

std::vector<Axis> find_axes(const Tree& node, const TypeInfo* type, bool whole_document,
                            Diagnostics& diagnostics) {
  return AxisFinder(whole_document, diagnostics).find(node, type);
}

}  // namespace paceline
