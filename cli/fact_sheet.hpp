// SPDX-License-Identifier: MIT
/// \file
/// A sheet of facts about one item: text for people, JSON for programs.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/shown_quantity.hpp"
#include "experiments/language/tree.hpp"

namespace paceline {

/// A value in two forms: formatted for people, and exact.
struct Fact {
  std::string text;
  Tree exact;

  static Fact of(const std::string& text);
  static Fact of(std::int64_t number);
  template <class Unit>
  static Fact of(Quantity<Unit> value) {
    return {shown(value), Value<Quantity<Unit>>::write(value)};
  }
};

/// A table in a sheet. Its JSON is a list of mappings with the columns' keys.
struct FactTable {
  std::string title;  ///< "layers"; also its key in JSON
  std::vector<std::string> columns;
  std::vector<std::vector<Fact>> rows;
};

struct FactSheet {
  std::string title;  ///< "model resnet50: ..."
  std::vector<std::pair<std::string, Fact>> facts;
  std::vector<FactTable> tables;
  std::vector<std::pair<std::string, std::string>> notes;  ///< longer texts by topic
  std::string notes_title;                                 ///< "sources"

  /// Ends with a newline.
  std::string text() const;
  /// A heading and tables; ends with a newline.
  std::string markdown() const;
  Tree json() const;
};

}  // namespace paceline
