// SPDX-License-Identifier: MIT
#include "cli/scaling_finding.hpp"

#include <algorithm>
#include <cmath>

#include "cli/comparison.hpp"
#include "cli/shown_quantity.hpp"
#include "cli/step_parts.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"

namespace paceline {
namespace {

constexpr double kAboveAll = 1.0005;  // the least efficiency shown as above 100 %

const ResultRow* base_of(const ResultRow& row, const std::vector<ResultRow>& rows) {
  for (const ResultRow& other : rows) {
    if (other.source == row.source && other.index == row.base_point) return &other;
  }
  return nullptr;
}

/// A part of a mini-batch, in seconds at the base and at the point.
struct Shorter {
  const char* name = "";
  double before = 0, after = 0;
  double gain() const { return before - after; }
};

Shorter most_shortened(const Measurement& base, const Measurement& mine) {
  const std::vector<StepPart> before = step_parts(base, {});
  const std::vector<StepPart> after = step_parts(mine, {});
  Shorter most;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Shorter one{before[i].name, before[i].seconds, after[i].seconds};
    if (one.gain() > most.gain()) most = one;
  }
  return most;
}

/// Why the efficiency is above 100 %, "" if it is not: " (above 100 %: ...)".
std::string above_all(const ResultRow& row, const ResultRow* base) {
  if (base == nullptr || row.base_beside_servers || *row.efficiency < kAboveAll) return "";
  const Shorter part = most_shortened(base->measurement, row.measurement);
  const double missing = base->measurement.step_mean.value_or(0) * (1 - 1 / *row.efficiency);
  std::string cause;
  if (part.gain() >= missing / 2 && part.gain() > 0) {
    cause = std::string("the ") + part.name + " is shorter than with " +
            counted(base->point->experiment.workers, "worker") + ", " + shown(Seconds{part.after}) +
            " instead of " + shown(Seconds{part.before}) + " a mini-batch";
  } else if (row.source == Source::measured || row.point->experiment.stragglers.random()) {
    cause = "the base was slow, within what varies from run to run";
  } else {
    cause = "the base is slower for each worker";
  }
  return " (above 100 %: " + cause + ")";
}

/// A sentence on a base that counts with another throughput than its row has; "" for other bases.
std::string on_base(const ResultRow& row, const ResultRow* base, const std::string& item) {
  if (base == nullptr || !row.base_beside_servers) return "";
  return " One worker counts with its servers on its own computer, " +
         thousands(*base->beside_servers, 4) + " " + item +
         "/sec; with servers on other computers it has " +
         thousands(*base->measurement.throughput, 4) + ".";
}

}  // namespace

std::string scaling(const ComparedPoint& entry, const std::vector<ResultRow>& rows) {
  const ResultRow& row = *entry.row;
  if (!row.speedup || !row.base_workers || *row.base_workers >= entry.workers) return "";
  const ResultRow* const base = base_of(row, rows);
  const std::string workers = significant(
      *row.base_workers, 1 + static_cast<int>(std::log10(std::max(1.0, *row.base_workers))));
  return "From " + workers + " to " + counted(entry.workers, "worker") + " " +
         (entry.choice.empty() ? "throughput" : entry.choice) +
         (*row.speedup < 1 ? " falls to " : " gains ") + ratio_text(*row.speedup) +
         ": an efficiency of " + percent_size(*row.efficiency) + above_all(row, base) + "." +
         on_base(row, base, row.point->network->item);
}

}  // namespace paceline
