// SPDX-License-Identifier: MIT
#include "training/results/published/published_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <tuple>

#include "experiments/language/csv.hpp"
#include "experiments/language/yaml.hpp"
#include "training/results/trace/stages.hpp"

namespace paceline {
namespace {

/// The value of a point at a dotted path, in the notation of a table.
std::string text_at(const Tree& point, const std::string& path) {
  const Tree* at = &point;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    at = at->is_map() ? at->find(path.substr(begin, end - begin)) : nullptr;
    if (at == nullptr) return "";
    begin = end + 1;
  }
  if (const Tree* kind = at->is_map() ? at->find("kind") : nullptr) return to_flow(*kind);
  return to_flow(*at);
}

constexpr const char* kAccumulate = "update.accumulate";
constexpr std::string_view kStage = "stage.";
constexpr std::string_view kOfAggregation = "aggregation.";

/// The mini-batches of each worker in an update of the point; one where it does not say.
std::string accumulate_of(const Tree& point) {
  const std::string text = text_at(point, kAccumulate);
  return text.empty() ? "1" : text;
}

/// 0 if the text does not begin with one.
int whole_number(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// True for columns that describe a row and are not part of its key.
bool describes_the_row(std::string_view column) {
  return column == "throughput" || column == "source" || column == "gpu" || column == "software" ||
         column == "note" || column.starts_with(kStage);
}

/// The number > 0 of a whole field; nothing after noting an error.
std::optional<double> positive(const std::string& column, const std::string& field,
                               const Location& at, Diagnostics& diagnostics) {
  double value = 0;
  const char* end = field.data() + field.size();
  const auto [rest, error] = std::from_chars(field.data(), end, value);
  if (error == std::errc{} && rest == end && value > 0 && std::isfinite(value)) return value;
  diagnostics.error(at, column + " '" + field + "' is not a number > 0");
  return std::nullopt;
}

/// A table has the throughput of its rows, or the times of their stages.
void check_columns(const std::vector<std::string>& header, const Location& at,
                   Diagnostics& diagnostics) {
  bool stages = false;
  for (const std::string& column : header) {
    if (!column.starts_with(kStage)) continue;
    stages = true;
    if (!is_stage(column.substr(kStage.size()))) {
      diagnostics.error(at, "'" + column + "' is no stage (known: " + stage_names() + ")");
    }
  }
  if (!stages && std::ranges::find(header, "throughput") == header.end()) {
    diagnostics.error(at, "no column 'throughput'");
  }
}

bool describes_updates(std::string_view column) {
  for (const std::string_view key : {"aggregation", "update"}) {
    if (column == key || (column.starts_with(key) && column[key.size()] == '.')) return true;
  }
  return false;
}

bool may_be_of(const PublishedRow& row, const GpuSpec* gpu) {
  return gpu == nullptr || row.gpu.empty() || same_gpu(*gpu, row.gpu);
}

}  // namespace

PublishedTable PublishedTable::load(const std::string& path) {
  return parse(path, read_text_file(path));
}

PublishedTable PublishedTable::parse(const std::string& path, const std::string& text) {
  PublishedTable table;
  Diagnostics diagnostics;
  std::vector<std::string> header;
  Location header_at{std::make_shared<const std::string>(path), 1, 1};
  std::istringstream in(text);
  CsvReader csv(path, in, diagnostics);
  while (csv.next()) {
    const std::vector<std::string>& fields = csv.fields();
    if (header.empty()) {
      header = fields;
      header_at = csv.at();
      for (const std::string& column : header) {
        if (!describes_the_row(column)) table.columns_.push_back(column);
      }
      continue;
    }
    if (fields.size() != header.size()) {
      diagnostics.error(csv.at(), "expected " + std::to_string(header.size()) + " fields, found " +
                                      std::to_string(fields.size()));
      continue;
    }
    Entry entry;
    entry.row.line = csv.at().line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (header[i] == "source") {
        entry.row.source = fields[i];
      } else if (header[i] == "note") {
        entry.row.note = fields[i];
      } else if (header[i] == "gpu") {
        entry.row.gpu = fields[i];
      } else if (header[i] == "software") {
        entry.row.software = fields[i];
      } else if (header[i] == "throughput") {
        entry.row.throughput = positive(header[i], fields[i], csv.at(), diagnostics).value_or(0);
      } else if (header[i].starts_with(kStage)) {
        if (fields[i].empty()) continue;
        const auto ms = positive(header[i], fields[i], csv.at(), diagnostics);
        if (ms) entry.row.stages[header[i].substr(kStage.size())] = Seconds{1e-3 * *ms};
      } else {
        const bool one = header[i] == kAccumulate && fields[i].empty();
        entry.keys.push_back(one ? "1" : fields[i]);
      }
    }
    table.read_numbers(entry);
    table.entries_.push_back(std::move(entry));
  }
  check_columns(header, header_at, diagnostics);
  diagnostics.throw_if_any();
  return table;
}

/// The columns that a row's use depends on.
void PublishedTable::read_numbers(Entry& entry) const {
  entry.row.aggregation = cell(entry, "aggregation");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& key = columns_[i];
    if (key.starts_with(kOfAggregation) && !entry.keys[i].empty())
      entry.row.aggregation_keys[key.substr(kOfAggregation.size())] = entry.keys[i];
  }
  entry.row.batch = whole_number(cell(entry, "batch"));
  entry.row.workers = whole_number(cell(entry, "workers"));
  entry.row.accumulate = std::max(1, whole_number(cell(entry, kAccumulate)));
}

const std::string& PublishedTable::cell(const Entry& entry, std::string_view column) const {
  static const std::string kNone;
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return kNone;
  return entry.keys[static_cast<std::size_t>(found - columns_.begin())];
}

std::optional<PublishedRow> PublishedTable::find(
    const Tree& point, const GpuSpec* gpu,
    const std::pair<std::string, std::string>& replace) const {
  std::vector<std::string> keys;
  for (const std::string& column : columns_) {
    keys.push_back(column == replace.first ? replace.second
                   : column == kAccumulate ? accumulate_of(point)
                                           : text_at(point, column));
  }
  for (const Entry& entry : entries_) {
    if (entry.keys == keys && may_be_of(entry.row, gpu)) return entry.row;
  }
  return std::nullopt;
}

bool PublishedTable::differs_in_updates_alone(const Entry& entry, const Tree& point) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& column = columns_[i];
    if (column == "workers" || column == "batch" || describes_updates(column)) continue;
    if (entry.keys[i] != text_at(point, column)) return false;
  }
  return entry.row.workers > 0;
}

std::optional<PublishedRow> PublishedTable::find_base(const Tree& point, const GpuSpec* gpu) const {
  std::vector<PublishedRow> rows;
  for (const Entry& entry : entries_) {
    const bool has_throughput = entry.row.throughput > 0;
    if (!has_throughput || !may_be_of(entry.row, gpu) || !differs_in_updates_alone(entry, point)) {
      continue;
    }
    rows.push_back(entry.row);
    if (std::ranges::find(columns_, kAccumulate) == columns_.end())
      rows.back().accumulate = whole_number(accumulate_of(point));
  }
  if (rows.empty()) return std::nullopt;
  const auto [fewest, most] = std::ranges::minmax(rows, {}, &PublishedRow::workers);
  // a row that gives the cost of no other point would hide its own error
  const bool alone = fewest.workers > 1 && fewest.workers == most.workers;
  const bool of_point = whole_number(text_at(point, "workers")) == fewest.workers;
  if (alone && of_point) return std::nullopt;
  const auto own = find(point, gpu, {"workers", std::to_string(fewest.workers)});
  const int wanted = whole_number(text_at(point, "batch"));
  const auto rank = [&](const PublishedRow& row) {
    const double distance = wanted > 0 && row.batch > 0
                                ? std::fabs(std::log(static_cast<double>(row.batch) / wanted))
                                : 0;
    return std::tuple(row.workers, !own || row.line != own->line, distance, -row.throughput);
  };
  PublishedRow best = std::ranges::min(rows, {}, rank);
  if (own && best.line == own->line) best.aggregation = text_at(point, "aggregation");
  return best;
}

}  // namespace paceline
