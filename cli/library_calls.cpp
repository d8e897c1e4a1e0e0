// SPDX-License-Identifier: MIT
#include "cli/library_calls.hpp"

#include <map>

#include "cli/library_of_point.hpp"
#include "cli/link_classes.hpp"
#include "cli/shown_quantity.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostRows = 12;

/// Calls of a step, by their bytes.
std::map<double, int> calls_of(const Prediction& setting) {
  std::map<double, int> calls;
  if (const auto& workload = setting.point->experiment.workload) {
    calls[(*workload)->size().value()] = 1;
    return calls;
  }
  for (const Bucket& bucket : setting.plan.cut.buckets) ++calls[bucket.slice.bytes];
  return calls;
}

std::string bound_in_words(const Machine& machine, const LibraryBound& bound, Seconds whole) {
  if (bound.link < 0 || bound.time < whole * 0.5) return "its steps' latency";
  if (bound.one_transfer) return limit_of_transfer(machine.figures(bound.link).kind);
  return "the link " + std::string(machine.links()[static_cast<std::size_t>(bound.link)].name);
}

}  // namespace

std::vector<std::string> nccl_choices(const ExperimentPoint& point,
                                      const std::vector<double>& sizes) {
  if (!point.machine || point.machine->kind() != Machine::Kind::described) return {};
  const Prediction setting = make_prediction(point, nullptr);
  const auto library = library_of(setting);
  if (!library || !setting.costs.nccl) return {};
  std::vector<std::string> words;
  for (const double bytes : sizes) {
    const NcclChoice choice = library->choice(operation_of(setting), bytes);
    words.push_back(std::string(name_of(choice.algorithm)) + " " +
                    std::string(name_of(choice.protocol)) + " " +
                    std::to_string(library->channels(bytes)));
  }
  return words;
}

std::string library_calls(const Prediction& setting, TableStyle style, std::size_t width) {
  const auto library = library_of(setting);
  if (!library || !setting.costs.nccl || !setting.point->experiment.aggregation->exchanges())
    return "";
  const Operation operation = operation_of(setting);
  std::vector<std::vector<std::string>> rows;
  const std::map<double, int> calls = calls_of(setting);
  for (auto call = calls.rbegin(); call != calls.rend() && rows.size() < kMostRows; ++call) {
    const auto& [bytes, count] = *call;
    const NcclChoice choice = library->choice(operation, bytes);
    const LibraryCall one = library->call(operation, bytes);
    const LibraryBound bound = library->bound_of(one.flows);
    const Seconds whole = one.latency + bound.time;
    rows.push_back({shown(Bytes{bytes}), std::to_string(count),
                    std::string(name_of(choice.algorithm)), std::string(name_of(choice.protocol)),
                    std::to_string(library->channels(bytes)), shown(whole),
                    bound_in_words(*setting.machine, bound, whole)});
  }
  if (rows.empty()) return "";
  std::string text = text_table({{"call of NCCL"},
                                 {"calls", true},
                                 {"algorithm"},
                                 {"protocol"},
                                 {"channels", true},
                                 {"time alone", true},
                                 {"bound by"}},
                                rows, style, width);
  if (calls.size() > rows.size())
    text += "and " + std::to_string(calls.size() - rows.size()) + " sizes more\n";
  return text;
}

}  // namespace paceline
