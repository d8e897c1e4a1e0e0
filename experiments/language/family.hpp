// SPDX-License-Identifier: MIT
/// \file
/// A named family of interchangeable parts: the table behind every `kind:`. A new variant is one
/// file (a struct derived from the family's interface, with its own `describe`) and one row in the
/// family's table:
///
///     const Family<Straggler>& table_of(const Straggler*) {
///       static const Family<Straggler> table{"straggler distribution", {
///           variant<Exponential, Straggler>("exponential", "memoryless delay with the given
///           mean"),
///       }};
///       return table;
///     }
#pragma once
#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiments/language/changed_document.hpp"
#include "experiments/language/description.hpp"

namespace paceline {

/// The name, help and keys of a variant, independent of its C++ type.
struct VariantInfo {
  std::string name;
  std::string help;
  std::vector<KeyInfo> keys;
};

/// The variant that `map` selects by its key `kind`. `map` is the result of `as_variant`, so a bare
/// name is accepted too. `what` and `names` are the family's name and its variants, for messages.
/// Returns "" after noting an error.
std::string name_of_variant(const std::string& what, const std::vector<std::string>& names,
                            const Tree& map, Diagnostics& diagnostics);
/// The YAML of a chosen variant; a variant without keys is written as its bare name.
Tree write_variant(const std::string& kind, const Tree& keys);

/// One row of a family: the variant's YAML name, one line of help, its keys, and the functions that
/// make and write it.
template <class Part>
struct Variant {
  std::string name;
  std::string help;
  std::vector<KeyInfo> (*keys)();
  std::shared_ptr<const Part> (*make)(const Tree&, Diagnostics&);  ///< null after an error
  Tree (*write)(const Part&);
  std::shared_ptr<const Part> (*blank)();  ///< the variant with default keys
};

/// The variant that a number with a unit stands for: `200 ms` for {kind: constant, value: 200 ms}.
struct NumberForm {
  std::string kind;  ///< "": the family has no such form
  std::string key;   ///< the variant's key that takes the number
  std::string help;  ///< the form in words: "a time"
};

/// `tree` as a map with the key `kind`, made from a bare name, or from a number if the family has
/// that form.
Tree as_variant(const Tree& tree, const NumberForm& number);

/// `tree`, or the variant that it names: a preset of the family, a path to a file, or a mapping
/// that changes one of these (`of`). A variant of its own name comes first. Throws SpecError for a
/// document that cannot be read.
Tree named_variant(const Tree& tree, const std::string& what, const std::vector<std::string>& names,
                   std::span<const EmbeddedFile> presets);

/// The rows of a family, in the order in which `paceline list` shows them.
template <class Part>
struct Family {
  std::string what;  ///< the family's name, as in "unknown straggler distribution 'x'"
  std::vector<Variant<Part>> rows;
  NumberForm number{};
  std::span<const EmbeddedFile> (*presets)() = nullptr;  ///< variants with their keys; null: none

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
  /// The names of the variants that, without keys, satisfy `predicate`.
  template <class Predicate>
  std::vector<std::string> names_where(const Predicate& predicate) const {
    std::vector<std::string> all;
    for (const auto& row : rows) {
      if (predicate(*row.blank())) all.push_back(row.name);
    }
    return all;
  }
  std::vector<VariantInfo> infos() const {
    std::vector<VariantInfo> all;
    all.reserve(rows.size());
    for (const auto& row : rows) all.push_back({row.name, row.help, row.keys()});
    return all;
  }
};

/// The table of the variants of `Part`.
template <class Part>
const Family<Part>& family() {
  return table_of(static_cast<const Part*>(nullptr));
}

/// The row for `Kind`; its keys come from `Kind::describe`. A part with rules across its keys has a
/// method `std::string invalid() const` that returns "" or the error; the error is noted at the
/// map. One with figures that follow from its keys, or with a file to read, has a method
/// `bool settle(const Tree&, Diagnostics&)` that is called once, and is false after noting errors.
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
            if constexpr (requires { part->settle(tree, diagnostics); }) {
              if (!part->settle(tree, diagnostics)) return nullptr;
            }
            return part;
          },
          [](const Part& part) { return write_keys(static_cast<const Kind&>(part)); },
          []() -> std::shared_ptr<const Part> { return std::make_shared<Kind>(); }};
}

/// A chosen variant: its row in the family's table and the part that the row made. Empty until a
/// variant is read or chosen.
template <class Part>
class Choice {
 public:
  Choice() = default;
  /// The variant `name` with every key at its default. Requires that the family has such a row and
  /// that none of its keys is required.
  explicit Choice(std::string_view name) {
    Diagnostics none;
    row_ = family<Part>().find(name);
    if (row_ != nullptr) part_ = row_->make(Tree::map(), none);
  }
  Choice(const Variant<Part>* row, std::shared_ptr<const Part> part)
      : row_(row), part_(std::move(part)) {}
  explicit operator bool() const { return part_ != nullptr; }
  const Part* operator->() const { return part_.get(); }
  const Part& operator*() const { return *part_; }
  const std::shared_ptr<const Part>& part() const { return part_; }
  /// The variant's YAML name; "" while empty.
  std::string kind() const { return row_ != nullptr ? row_->name : std::string(); }
  const Variant<Part>* row() const { return row_; }

 private:
  const Variant<Part>* row_ = nullptr;
  std::shared_ptr<const Part> part_;
};

template <class Part>
struct Value<Choice<Part>> {
  static const Family<Part>& table() { return family<Part>(); }
  static TypeInfo type() {
    TypeInfo info;
    info.name = table().what;
    info.family = table().what;
    info.choices = table().names();
    info.variants = [] { return table().infos(); };
    info.also = table().number.help;
    if (table().presets != nullptr) {
      info.also = "the name of a preset, or a path";
      info.changes = true;
    }
    return info;
  }
  static bool read(Choice<Part>& out, const Tree& tree, Diagnostics& diagnostics) {
    const bool presets = table().presets != nullptr;
    const Tree named =
        presets ? named_variant(tree, table().what, table().names(), table().presets()) : tree;
    const Tree map = as_variant(named, table().number);
    std::vector<std::string> known = table().names();
    if (presets && tree.is_scalar())  // for the message on an unknown name
      std::ranges::move(preset_names(table().presets()), std::back_inserter(known));
    const std::string name = name_of_variant(table().what, known, map, diagnostics);
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

/// The variant with another value of a key; empty where it has no such key.
template <class Part>
Choice<Part> with_key(const Choice<Part>& choice, const char* key, const std::string& value) {
  Tree tree = as_variant(Value<Choice<Part>>::write(choice));
  tree.set(key, Tree::scalar(value));
  Diagnostics ignored;
  Choice<Part> changed;
  return Value<Choice<Part>>::read(changed, tree, ignored) ? changed : Choice<Part>();
}

}  // namespace paceline
