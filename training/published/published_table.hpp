// SPDX-License-Identifier: MIT
/// \file
/// A table of published measurements: a CSV whose columns are experiment keys (workers, batch, a
/// model's name), then `throughput` in items/s, and the `source`. A row belongs to the point whose
/// keys have those values.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/tree.hpp"

namespace paceline {

struct PublishedRow {
  double throughput = 0;  ///< items/s
  std::string source;
  int line = 0;
};

class PublishedTable {
 public:
  /// Throws SpecError for a file that is no such table.
  static PublishedTable load(const std::string& path);

  /// The row whose columns equal the point's keys (dotted paths; a map's `kind` counts as the map's
  /// name). `replace` overrides one key, as in {"workers", "1"}.
  std::optional<PublishedRow> find(const Tree& point,
                                   const std::pair<std::string, std::string>& replace = {}) const;
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    std::vector<std::string> keys;
    PublishedRow row;
  };
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

}  // namespace paceline
