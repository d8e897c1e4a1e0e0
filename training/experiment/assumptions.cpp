// SPDX-License-Identifier: MIT
#include "training/experiment/assumptions.hpp"

#include <algorithm>

#include "experiments/language/value.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

/// Whether a machine is a preset, or a cluster or a change of one that keeps its GPUs.
bool is_preset(const Tree& machine) {
  if (machine.is_map()) {
    const Tree* of = machine.find("of");
    return of != nullptr && machine.find("gpus") == nullptr && is_preset(*of);
  }
  return std::ranges::any_of(
      embedded_machines(), [&](const EmbeddedFile& preset) { return preset.name == machine.text; });
}

std::string note_on_staging(const ExperimentPoint& point) {
  const Tree* machine = point.tree.is_map() ? point.tree.find("machine") : nullptr;
  if (machine == nullptr || point.machine == nullptr || is_preset(*machine)) return "";
  const auto staging = point.machine->staging();
  if (!staging || !staging->assumed) return "";
  const auto rate = [](BytesPerSecond bandwidth) {
    return Value<BytesPerSecond>::write(bandwidth).text;
  };
  return to_string(machine->at) +
         ": note: 'machine': copies between GPUs without peer access pass through host memory, " +
         rate(staging->each) + " each and " + rate(staging->together) +
         " together (assumed; 'copies: {staging_limit: ..., staging_bandwidth: ...}' or "
         "'peer_access' of the machine say otherwise)";
}

}  // namespace

bool leaves_input_out(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  const bool described = point.machine && point.machine->kind() == Machine::Kind::described;
  if (!described || experiment.workload || experiment.train) return false;
  return (experiment.published || experiment.samples_per_epoch) &&
         point.tree.find("input") == nullptr;
}

std::vector<std::string> notes_on_assumptions(const ExperimentFile& file) {
  std::vector<std::string> notes;
  for (const ExperimentPoint& point : file.points) {
    std::string note = note_on_staging(point);
    if (!note.empty() && std::ranges::find(notes, note) == notes.end())
      notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace paceline
