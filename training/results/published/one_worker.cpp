// SPDX-License-Identifier: MIT
#include "training/results/published/one_worker.hpp"

#include "experiments/language/value.hpp"

namespace paceline {

void OneWorker::describe(Description<OneWorker>& d) {
  d.required("throughput", &OneWorker::throughput, "items/s");
  d.optional("batch", &OneWorker::batch, "of the row, if it is another");
  d.optional("aggregation", &OneWorker::aggregation, "whose update the step holds");
  d.optional("sentence", &OneWorker::sentence, "what it is from");
  d.required("shipped", &OneWorker::shipped, "whether it is of a table of the program");
}

std::string row_in_words(const PublishedRow& row, const std::string& table, int batch) {
  std::string text =
      print_number(row.throughput) + " items/s of one worker at batch " + std::to_string(batch);
  if (!row.gpu.empty()) text += " on " + row.gpu;
  if (!row.software.empty()) text += " with " + row.software;
  text += " (" + table + ":" + std::to_string(row.line);
  return text + (row.source.empty() ? ")" : ", " + row.source + ")");
}

OneWorker own_one_worker(const PublishedRow& row, const std::string& table, int batch) {
  const bool other = row.batch > 0 && row.batch != batch;
  OneWorker worker;
  worker.throughput = row.throughput;
  worker.batch = other ? row.batch : 0;
  worker.aggregation = row.aggregation;
  worker.sentence = "published: " + row_in_words(row, table, other ? row.batch : batch);
  return worker;
}

}  // namespace paceline
