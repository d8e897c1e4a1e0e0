// SPDX-License-Identifier: MIT
#include "training/results/published/cost_row.hpp"

#include <algorithm>

#include "experiments/language/value.hpp"

namespace paceline {

void CostRow::describe(Description<CostRow>& d) {
  d.required("throughput", &CostRow::throughput, "items/s of a worker");
  d.required("published", &CostRow::published, "items/s of the row");
  d.required("workers", &CostRow::workers, "of the row");
  d.required("accumulate", &CostRow::accumulate,
             "mini-batches of each worker in an update of the row");
  d.optional("batch", &CostRow::batch, "of the row, if it is another");
  d.optional("aggregation", &CostRow::aggregation, "whose update the step holds");
  d.optional("aggregation_keys", &CostRow::aggregation_keys, "of that aggregation");
  d.optional("sentence", &CostRow::sentence, "what it is from");
  d.required("shipped", &CostRow::shipped, "whether it is of a table of the program");
}

std::string row_in_words(const PublishedRow& row, const std::string& table, int batch) {
  std::string text = print_number(row.throughput) + " items/s of " +
                     (row.workers > 1 ? std::to_string(row.workers) + " workers" : "one worker") +
                     " at batch " + std::to_string(batch);
  if (!row.gpu.empty()) text += " on " + row.gpu;
  if (!row.software.empty()) text += " with " + row.software;
  text += " (" + table + ":" + std::to_string(row.line);
  return text + (row.source.empty() ? ")" : ", " + row.source + ")");
}

CostRow own_cost_row(const PublishedRow& row, const std::string& table, int batch) {
  const bool other = row.batch > 0 && row.batch != batch;
  CostRow worker;
  worker.workers = std::max(1, row.workers);
  worker.throughput = row.throughput / worker.workers;
  worker.published = row.throughput;
  worker.accumulate = row.accumulate;
  worker.line = row.line;
  worker.batch = other ? row.batch : 0;
  worker.aggregation = row.aggregation;
  worker.aggregation_keys = row.aggregation_keys;
  worker.sentence = "published: " + row_in_words(row, table, other ? row.batch : batch);
  return worker;
}

}  // namespace paceline
