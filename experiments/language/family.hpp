// SPDX-License-Identifier: MIT
/// \file
/// A named family of interchangeable parts: the table behind every `kind:`. A new variant is one
/// file (a struct derived from the family's interface, with its own `describe`) and one row here:
///
///     const Family<Straggler>& table_of(const Straggler*) {
///       static const Family<Straggler> table{"straggler distribution", {
///           variant<Exponential, Straggler>("exponential", "memoryless delay with the given
///           mean"),
///       }};
///       return table;
///     }
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "experiments/description.hpp"

namespace paceline {

/// What is known of a variant without knowing its type.
struct VariantInfo {
  std::string name;
  std::string help;
  std::vector<KeyInfo> keys;
};

/// The `kind` that a map (or a bare name, made a map by `as_variant`) chooses among the `names` of
/// a family called `what`; "" after an error was noted.
std::string name_of_variant(const std::string& what, const std::vector<std::string>& names,
                            const Tree& map, Diagnostics& diagnostics);
/// A chosen variant as written in a file: its bare name where it has no keys.
Tree write_variant(const std::string& kind, const Tree& keys);

/// One row: the name users write, one line of help, its keys, and how to make and write it.
template <class Part>
struct Variant {
  std::string name;
  std::string help;
  std::vector<KeyInfo> (*keys)();
  std::shared_ptr<const Part> (*make)(const Tree&, Diagnostics&);  ///< null after an error
  Tree (*write)(const Part&);
  std::shared_ptr<const Part> (*blank)();  ///< no key is read: for what all of the kind have
};

/// The rows of a family, in the order that lists show.
template <class Part>
struct Family {
  std::string what;  ///< "straggler distribution", as in "unknown straggler distribution 'x'"
  std::vector<Variant<Part>> rows;

  const Variant<Part>* find(std::string_view name) const {
    for (const auto& row : rows) {
      if (row.name == name) return &row;
    }
    return nullptr;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    all.reserve(rows.size());
    for (const auto& row : rows) all.push_back(row.name);
    return all;
  }
  std::vector<VariantInfo> infos() const {
    std::vector<VariantInfo> all;
    all.reserve(rows.size());
    for (const auto& row : rows) all.push_back({row.name, row.help, row.keys()});
    return all;
  }
};

/// The row for `Kind`, whose keys its own `describe` lists. A part that has rules across its keys
/// gives `std::string invalid() const` ("" when good); that error stands at the map.
template <class Kind, class Part>
Variant<Part> variant(std::string name, std::string help) {
  return {std::move(name),
          std::move(help),
          [] { return keys_of<Kind>(); },
          [](const Tree& tree, Diagnostics& diagnostics) -> std::shared_ptr<const Part> {
            auto part = std::make_shared<Kind>();
            if (!read_keys(*part, tree, diagnostics, "kind")) return nullptr;
            if constexpr (requires { part->invalid(); }) {
              if (const std::string wrong = part->invalid(); !wrong.empty()) {
                diagnostics.error(tree.at, wrong);
                return nullptr;
              }
            }
            return part;
          },
          [](const Part& part) { return write_keys(static_cast<const Kind&>(part)); },
          []() -> std::shared_ptr<const Part> { return std::make_shared<Kind>(); }};
}

/// A chosen variant: which row, and the part it made. Empty until read or chosen.
template <class Part>
class Choice {
 public:
  Choice() = default;
  /// The variant `name` with every key at its default. Requires that such a row exists.
  explicit Choice(std::string_view name) {
    Diagnostics none;
    row_ = table_of(static_cast<const Part*>(nullptr)).find(name);
    if (row_ != nullptr) part_ = row_->make(Tree::map(), none);
  }
  Choice(const Variant<Part>* row, std::shared_ptr<const Part> part)
      : row_(row), part_(std::move(part)) {}
  explicit operator bool() const { return part_ != nullptr; }
  const Part* operator->() const { return part_.get(); }
  const Part& operator*() const { return *part_; }
  const std::shared_ptr<const Part>& part() const { return part_; }
  /// The name users write; "" while empty.
  std::string kind() const { return row_ != nullptr ? row_->name : std::string(); }
  const Variant<Part>* row() const { return row_; }

 private:
  const Variant<Part>* row_ = nullptr;
  std::shared_ptr<const Part> part_;
};

template <class Part>
struct Value<Choice<Part>> {
  static const Family<Part>& table() { return table_of(static_cast<const Part*>(nullptr)); }
  static TypeInfo type() {
    TypeInfo info;
    info.name = table().what;
    info.family = table().what;
    info.choices = table().names();
    info.variants = [] { return table().infos(); };
    return info;
  }
  static bool read(Choice<Part>& out, const Tree& tree, Diagnostics& diagnostics) {
    const Tree map = as_variant(tree);
    const std::string name = name_of_variant(table().what, table().names(), map, diagnostics);
    if (name.empty()) return false;
    const Variant<Part>* row = table().find(name);
    auto part = row->make(map, diagnostics);
    if (part == nullptr) return false;
    out = Choice<Part>(row, std::move(part));
    return true;
  }
  static Tree write(const Choice<Part>& choice) {
    if (!choice) return {};
    return write_variant(choice.kind(), choice.row()->write(*choice));
  }
};

}  // namespace paceline
