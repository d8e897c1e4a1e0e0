// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cli/assumptions.hpp"
#include "cli/command.hpp"
#include "cli/execution_device.hpp"
#include "cli/experiment_run.hpp"
#include "cli/explain_spans.hpp"
#include "cli/explain_transfers.hpp"
#include "cli/explained_point.hpp"
#include "cli/extremes_check.hpp"
#include "cli/library_calls.hpp"
#include "cli/probe.hpp"
#include "cli/profile_file.hpp"
#include "cli/results_place.hpp"
#include "cli/shown_quantity.hpp"
#include "cli/trace_file.hpp"
#include "cli/verdict.hpp"
#include "cli/wrapped_text.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/json.hpp"
#include "sim/costs/card_division.hpp"
#include "sim/simulate.hpp"
#include "training/experiment/profiled_workload.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostSpansExplained = 2'000'000;  // 160 MB
constexpr double kNone = 1e-6;                          // fraction of the step; less is rounding
constexpr double kNoGain = 5e-4;                        // relative; less rounds to 0.0 %

/// The explanation of one point.
struct Explained {
  const ExperimentFile* file = nullptr;
  ExplainedPoint chosen;
  ExperimentPoint point;  ///< as simulated: long runs are shortened
  Prediction setting;
  SpanRecorder spans{kMostSpansExplained};
  Measurement predicted;
  std::vector<SharedResource> busy;
  Saturation saturation;
  std::vector<WhatIf> changes;
  StepFigures step;
  std::string verdict;
};

/// The parts by name, then the whole step and the part of it that was wasted; in seconds.
std::vector<std::pair<const char*, double>> rows_of_step(const Explained& all) {
  const double whole = all.predicted.step_mean.value_or(0);
  std::vector<std::pair<const char*, double>> rows;
  const auto add = [&](const char* name, double seconds) {
    if (seconds > kNone * whole) rows.emplace_back(name, seconds);
  };
  for (const StepPart& part : all.step.parts) add(part.name, part.seconds);
  add("a mini-batch of a worker", whole);
  add("of it spent on cancelled work", all.predicted.wasted.value_or(0));
  return rows;
}

std::string step_table(const Explained& all, TableStyle style) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, seconds] : rows_of_step(all)) {
    rows.push_back(
        {name, shown(Seconds{seconds}), percent_of(seconds, all.predicted.step_mean.value_or(0))});
  }
  return text_table({{"step"}, {"time", true}, {"share", true}}, rows, style);
}

/// The changes and their gains. A change without a gain is left out unless the resource that binds
/// instead is known.
std::string what_if_table(const std::vector<WhatIf>& changes, TableStyle style, std::size_t width) {
  std::vector<std::vector<std::string>> rows;
  bool reasons = false;
  for (const WhatIf& change : changes) {
    const bool none = std::abs(change.gain) < kNoGain;
    if (none && change.bound_by.empty()) continue;
    reasons = reasons || !change.bound_by.empty();
    rows.push_back(
        {change.name,
         none ? "0 %" : (change.gain > 0 ? "+" : "") + significant(100 * change.gain, 2) + " %",
         change.bound_by});
  }
  if (rows.empty()) return "";
  std::vector<TextColumn> columns{{"what if"}, {"throughput", true}, {"bound by"}};
  if (!reasons) {
    columns.pop_back();
    for (auto& row : rows) row.pop_back();
  }
  return text_table(columns, rows, style, width) + "\n";
}

/// The source of the layer times.
std::string layer_times_of(const Prediction& setting) {
  const std::string& source = setting.layer_times.sentence;
  return "layer times: " + shown(setting.costs.forward_total()) + " forward, " +
         shown(setting.costs.backward_total()) + " backward" + (source.empty() ? "" : "; ") +
         source;
}

/// The lengths of the sequences, "" where all have the network's.
std::string lengths_of(const Explained& all) {
  const Measurement& predicted = all.predicted;
  if (!predicted.padding || !predicted.length_mean) return "";
  return "lengths: " + significant(*predicted.length_mean, 3) +
         " positions on average (the layer times are of " +
         std::to_string(all.point.network->input.height) + "); padding is " +
         percent_of(*predicted.padding, 1) + " of the positions computed.";
}

std::string virtual_gpus_of(const Prediction& setting) {
  const ExperimentPoint& point = *setting.point;
  const auto& groups = setting.costs.groups;
  const auto& devices = point.experiment.devices;
  if (!point.machine || !groups || !devices) return "";
  const GpuSpec& card = setting.machine->gpu(devices->gpu);
  const GpuSpec gpu = divide_card(point.experiment, card).worker;
  if (gpu.sms >= card.sms) return "";
  return "virtual GPUs: " + std::to_string(gpu.sms) + " of " + std::to_string(card.sms) +
         " multiprocessors each; memory gives " + shown(groups->memory) + " to all, at most " +
         shown(groups->worker_memory) + " to one";
}

void explain_point(Explained& all, const Profile* profile) {
  all.point = shortened(*all.chosen.point);
  all.saturation = find_saturation(all.point, Device::any, profile);
  all.setting = matched_to_published(prediction_of(all.point, Device::any, profile));
  Prediction setting = all.setting;
  setting.spans = &all.spans;
  // training does not affect times unless K follows the loss
  const ExperimentPoint timed = can_probe(all.point) ? without_training(all.point) : all.point;
  setting.point = &timed;
  all.predicted = simulate(setting);
  all.busy = busy_shares(all.spans.trace(), all.setting);
  all.changes = what_if(all.point, Device::any, profile);
  all.step = {step_parts(all.predicted, behind_arithmetic(setting, all.predicted)),
              slow_workers(all.spans.trace())};
  const std::string verdict =
      verdict_of(all.point, all.step, all.busy, all.saturation, all.changes);
  const std::string& comparison = all.chosen.comparison;
  all.verdict = comparison.empty() ? verdict : comparison + "; " + verdict;
}

std::string heading_of(const Explained& all) {
  const ExperimentPoint& point = all.point;
  const std::string update = point.update_name();
  std::string text = all.file->name + ": " + point.network->name + ", " +
                     counted(point.experiment.workers, "worker") + " on " + point.machine_name() +
                     ", " + aggregation_in_words(point) + (update.empty() ? "" : ", " + update);
  if (point.tree.find("software") != nullptr) text += ", " + to_flow(point.experiment.software);
  if (const std::string assumed = assumed_of(point); !assumed.empty())
    text += " (assumed: " + assumed + ")";
  text = wrapped(text, 0, 2);
  const std::string place = place_of(all.chosen, *all.file);
  if (!place.empty())
    text += wrapped(place + (point.beside.empty() ? " (choose another with --set)" : ""), 0, 2);
  if (all.predicted.iteration_mean && all.predicted.throughput) {
    text += "an update every " + shown(Seconds{*all.predicted.iteration_mean}) + ", " +
            significant(*all.predicted.throughput, 4) + " " + point.network->item + "/sec";
    const std::int64_t total = all.chosen.point->experiment.steps.rounds;
    const std::int64_t rounds = point.experiment.steps.rounds;
    if (rounds < total) {
      text += " (" + std::to_string(rounds) + " of " + std::to_string(total) + " steps)";
    }
    text += "\n";
  }
  return text;
}

std::string text_of(const Explained& all, TableStyle style, std::size_t width) {
  const Trace& trace = all.spans.trace();
  std::string text = wrapped(all.verdict + ".", 0, 0);
  text += wrapped(layer_times_of(all.setting) + ".", 0, 0);
  if (const std::string lengths = lengths_of(all); !lengths.empty()) text += wrapped(lengths, 0, 0);
  if (const std::string input = undescribed_input({&all.point}); !input.empty())
    text += wrapped(input, 0, 0);
  text += "\n";
  text += heading_of(all) + "\n" + step_table(all, style) + "\n" +
          what_if_table(all.changes, style, width);
  text += busy_table(trace, all.setting, style) + "\n";
  const std::string exposed = exposed_table(trace, all.setting, all.predicted, style, width);
  if (!exposed.empty()) text += exposed + "\n";
  text += path_table(trace, all.setting, style, width) + "\n";
  const std::string gpus = virtual_gpus_of(all.setting);
  if (!gpus.empty()) text += wrapped(gpus, 0, 2);
  if (const std::string calls = library_calls(all.setting, style, width); !calls.empty())
    text += calls + "\n";
  return page_of(text + transfer_table(all.setting, style, width), style);
}

Tree number(double value) {
  return Tree::scalar(print_number(value));
}

Tree json_of(const Explained& all) {
  Tree tree = Tree::map();
  tree.set("name", Tree::quoted_scalar(all.file->name));
  Tree swept = Tree::map();
  for (const SweptKey& key : all.chosen.point->swept)
    swept.set(key.path, Tree::quoted_scalar(key.value));
  tree.set("point", swept);
  tree.set("verdict", Tree::quoted_scalar(all.verdict));
  tree.set("layer_times", Tree::quoted_scalar(all.setting.layer_times.sentence));
  if (all.predicted.throughput) tree.set("throughput", number(*all.predicted.throughput));
  if (all.predicted.padding) tree.set("padding", number(*all.predicted.padding));
  if (all.predicted.length_mean) tree.set("length_mean", number(*all.predicted.length_mean));
  Tree step = Tree::map();
  for (const auto& [name, seconds] : rows_of_step(all)) step.set(name, number(seconds));
  tree.set("step_s", step);
  Tree busy = Tree::map();
  for (const SharedResource& one : all.busy) busy.set(one.name, number(one.busy));
  tree.set("busy", busy);
  Tree changes = Tree::map();
  for (const WhatIf& change : all.changes) changes.set(change.name, number(change.gain));
  tree.set("what_if", changes);
  tree.set("saturation", Tree::quoted_scalar(sentence_of(all.saturation, all.point)));
  if (all.saturation.end == Saturation::End::found) {
    tree.set("saturates_at_workers", number(all.saturation.workers));
  }
  return tree;
}

int explain(const Options& options, const Terminal& terminal) {
  const std::vector<ExperimentFile> files = load_experiments(options);
  note_idle_keys(files, options, terminal);
  check_explained_extremes(files);
  ExecutionDevices devices(Device::any);
  const std::optional<Profile> profile = profile_for(files, devices, {}, terminal);
  const Profile* known = profile ? &*profile : nullptr;
  bool predictable = true;
  std::vector<Tree> printed;
  for (const ExperimentFile& file : files) {
    Explained all;
    all.file = &file;
    all.chosen = choose_point(file, Device::any, known);
    const ExperimentPoint& point = *all.chosen.point;
    if (const std::string why = not_predictable(point, Device::any, known); !why.empty()) {
      terminal.err << file.path << ": no prediction: " << why << "\n";
      predictable = false;
      continue;
    }
    explain_point(all, known);
    if (options.json) {
      printed.push_back(json_of(all));
    } else {
      terminal.out << text_of(all, table_style(options.markdown),
                              static_cast<std::size_t>(terminal.out_width));
    }
    if (options.trace) {
      // separate from the trace of a run, which contains all points
      const auto path = folder_of(file, options, files.size() > 1) / "explain" / "trace.json.gz";
      write_trace_file(path, file.name + ": predicted", all.spans.trace(), all.setting, terminal);
      if (!options.json && !options.markdown) terminal.out << "\ntrace: " << path.string() << "\n";
    }
  }
  if (options.json) terminal.out << to_json(Tree::list(std::move(printed)), 2) << "\n";
  return predictable ? kDone : kNotHere;
}

}  // namespace

CommandRow explain_command() {
  return {"explain",
          "FILE...",
          "what bounds the throughput, where it saturates, and what would help",
          {"-o", "--set", "--seed", "--trace", "--json", "--markdown"},
          explain};
}

}  // namespace paceline
