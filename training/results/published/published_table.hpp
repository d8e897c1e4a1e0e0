// SPDX-License-Identifier: MIT
/// \file
/// A table of published measurements: a CSV whose columns are experiment keys (workers, batch, a
/// model's name), then `throughput` in items/s, and the `source`. A row belongs to the point whose
/// keys have those values. Two columns are no keys: `gpu`, the full name of the GPU that the row
/// was measured on, and `software`, the stack that it was measured with.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/presets.hpp"
#include "experiments/tree.hpp"
#include "topology/gpu.hpp"

namespace paceline {

struct PublishedRow {
  double throughput = 0;  ///< items/s
  std::string source;
  int line = 0;
  std::string gpu, software;  ///< "" where the table does not say
  /// As the table writes it: the aggregation whose update the step holds; "" for none. It need not
  /// be one of Paceline's.
  std::string aggregation;
};

class PublishedTable {
 public:
  /// Throws SpecError for a file that is no such table.
  static PublishedTable load(const std::string& path);
  /// The same of a text; errors name `path`.
  static PublishedTable parse(const std::string& path, const std::string& text);

  /// The row whose columns equal the point's keys (dotted paths; a map's `kind` counts as the map's
  /// name). `gpu` is what the point's first worker computes on; null: not known, and no row is
  /// refused for it. `replace` overrides one key, as in {"workers", "1"}.
  std::optional<PublishedRow> find(const Tree& point, const GpuSpec* gpu = nullptr,
                                   const std::pair<std::string, std::string>& replace = {}) const;
  /// The one-worker row that says what the point's arithmetic takes: one of the point itself but
  /// for the workers, else the fastest of those that differ in nothing but how updates are made
  /// (`aggregation`, `update`), of which one worker has the least.
  std::optional<PublishedRow> find_base(const Tree& point, const GpuSpec* gpu) const;

  /// A column of a row: its cell, "" where the table has no such column.
  struct Entry {
    PublishedRow row;
    std::vector<std::string> keys;  ///< by column
  };
  const std::string& cell(const Entry& entry, std::string_view column) const;
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::vector<std::string> columns_;
  std::vector<Entry> entries_;
};

/// The tables that ship with the program, experiments/published/.
std::span<const EmbeddedFile> embedded_published();

}  // namespace paceline
