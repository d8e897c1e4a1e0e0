// SPDX-License-Identifier: MIT
#include "cli/assumptions.hpp"

namespace paceline {
namespace {

/// The algorithm of an all-reduce; "" where the aggregation has no choice of one.
std::string algorithm_of(const ExperimentPoint& point) {
  const Tree keys = as_variant(Value<Choice<Aggregation>>::write(point.experiment.aggregation));
  const Tree* algorithm = keys.find("algorithm");
  return algorithm == nullptr ? "" : to_flow(*as_variant(*algorithm).find("kind"));
}

bool names_algorithm(const Tree& point) {
  const Tree* aggregation = point.find("aggregation");
  return aggregation != nullptr && aggregation->is_map() && aggregation->find("algorithm");
}

}  // namespace

std::string aggregation_in_words(const ExperimentPoint& point) {
  const std::string algorithm = algorithm_of(point);
  const std::string kind = point.experiment.aggregation.kind();
  return algorithm.empty() ? kind : kind + " by " + algorithm;
}

std::string assumed_of(const ExperimentPoint& point) {
  const bool described = point.machine && point.machine->kind() == Machine::Kind::described;
  if (!described || point.experiment.workload) return "";
  std::string text;
  const auto add = [&](const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : ", ") + value;
  };
  if (point.tree.find("software") == nullptr) add(to_flow(point.experiment.software));
  if (point.tree.find("precision") == nullptr)
    add(Value<Precision>::write(point.experiment.precision).text);
  if (!names_algorithm(point.tree)) add(algorithm_of(point));
  return text;
}

}  // namespace paceline
