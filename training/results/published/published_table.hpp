// SPDX-License-Identifier: MIT
/// \file
/// A table of published measurements: a CSV with columns for experiment keys (workers, batch, a
/// model's name), then `throughput` in items/s, and the `source`. A row belongs to the point with
/// these values of the keys. Three columns are not keys: `gpu`, the full name of the GPU of the
/// measurement, `software`, its software stack, and `note`, why a prediction of the row is off.
/// A table of profiled steps has the stages' times instead of `throughput`, in ms, each in a column
/// `stage.NAME` (training/results/trace/stages.hpp).
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/language/presets.hpp"
#include "experiments/language/tree.hpp"
#include "experiments/language/units.hpp"
#include "topology/gpu.hpp"

namespace paceline {

struct PublishedRow {
  double throughput = 0;                  ///< items/s; 0 in a table of profiled steps
  std::map<std::string, Seconds> stages;  ///< of a profiled step, by name; a blank cell is none
  std::string source;
  std::string note;  ///< on what binds this row; "" for none
  int line = 0;
  int batch = 0;              ///< of a worker; 0 if the table has no such column
  int workers = 0;            ///< 0 if the table has no such column
  int accumulate = 1;         ///< mini-batches of each worker in an update
  std::string gpu, software;  ///< "" if the table does not state it
  /// The aggregation of the update that the step includes, as written in the table; "" for none.
  /// Paceline need not have an aggregation of this name.
  std::string aggregation;
  std::map<std::string, std::string> aggregation_keys;  ///< of it, as in the table: placement
};

class PublishedTable {
 public:
  /// Throws SpecError if the file is not such a table.
  static PublishedTable load(const std::string& path);
  /// Reads a text; errors name `path`.
  static PublishedTable parse(const std::string& path, const std::string& text);

  /// The row with columns equal to the point's keys (dotted paths; a map's `kind` counts as the
  /// map's name). `gpu` is the GPU of the point's first worker; null: unknown, and no row is
  /// rejected for its GPU. `replace` overrides one key, as in {"workers", "1"}.
  std::optional<PublishedRow> find(const Tree& point, const GpuSpec* gpu = nullptr,
                                   const std::pair<std::string, std::string>& replace = {}) const;
  /// The row that gives the cost of the point's arithmetic: of one worker, or of the fewest that
  /// have a row. A row of several workers gives none to points of as many where no row has more: it
  /// would hide its own error. A row of the point itself except for the workers,
  /// else the fastest of the rows that differ only in how updates are made (`aggregation`,
  /// `update`), because it spends the least on updates. Without a row of this batch, one of the
  /// nearest.
  std::optional<PublishedRow> find_base(const Tree& point, const GpuSpec* gpu) const;

  /// The cell of a row in a column; "" if the table has no such column.
  struct Entry {
    PublishedRow row;
    std::vector<std::string> keys;  ///< by column
  };
  const std::string& cell(const Entry& entry, std::string_view column) const;
  std::span<const Entry> entries() const { return entries_; }

 private:
  void read_numbers(Entry& entry) const;
  bool differs_in_updates_alone(const Entry& entry, const Tree& point) const;

  std::vector<std::string> columns_;
  std::vector<Entry> entries_;
};

/// The tables that ship with the program, experiments/published/.
std::span<const EmbeddedFile> embedded_published();

}  // namespace paceline
