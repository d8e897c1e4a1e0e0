// SPDX-License-Identifier: MIT
#include "cli/assumptions.hpp"

#include <algorithm>

#include "experiments/language/counted.hpp"
#include "training/experiment/assumptions.hpp"

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

std::string input_in_words(const ExperimentPoint& point) {
  const Tree* input = point.tree.find("input");
  return input == nullptr ? "not described" : to_flow(*input);
}

std::string inputs_in_words(const ExperimentFile& file) {
  std::vector<std::string> inputs;
  for (const ExperimentPoint& point : file.points) {
    std::string input = input_in_words(point);
    if (std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(std::move(input));
  }
  return join(inputs, "; ");
}

std::string undescribed_input(const std::vector<const ExperimentPoint*>& points) {
  const auto undescribed = std::ranges::count_if(
      points, [](const ExperimentPoint* point) { return leaves_input_out(*point); });
  if (undescribed == 0) return "";
  const auto several = static_cast<std::size_t>(undescribed);
  const bool one = points.size() == 1;
  const std::string where = several == points.size() ? ""
                                                     : " at " + std::to_string(several) + " of " +
                                                           counted(points.size(), "point");
  return "Input not described" + where + ": " +
         (one            ? "the prediction is an upper bound"
          : several == 1 ? "its prediction is an upper bound"
                         : "the predictions are upper bounds") +
         " ('input' says how items are read and decoded; 'input: synthetic' that they are there).";
}

}  // namespace paceline
