// SPDX-License-Identifier: MIT
#include "cli/listed_kinds.hpp"

#include <algorithm>
#include <array>

#include "cli/model_sheet.hpp"
#include "cli/topology_sheets.hpp"
#include "experiments/language/schema.hpp"
#include "models/block.hpp"
#include "models/load_network.hpp"
#include "models/network_kind.hpp"
#include "sim/costs/nccl_constants.hpp"
#include "topology/import/imported_links.hpp"
#include "topology/machine.hpp"
#include "training/experiment/experiment.hpp"
#include "training/experiment/software/software.hpp"
#include "training/strategies/compressions/compression.hpp"

namespace paceline {
namespace {

using Things = std::vector<ListedThing>;

template <class Part>
Things variants_of() {
  Things things;
  for (const Variant<Part>& row : family<Part>().rows) {
    things.push_back({row.name, row.help});
  }
  return things;
}

/// Adds keys with their values and defaults; keys of a mapping have its name before them:
/// decode.time.
void add_keys(const std::vector<KeyInfo>& keys, const std::string& path, FactSheet& sheet) {
  for (const KeyInfo& key : keys) {
    std::string summary = value_summary(key);
    if (!key.type.choices.empty() && !key.type.variants && !key.type.list) {
      summary = join(key.type.choices, " or ") +
                summary.substr(std::min(summary.size(), key.type.name.size()));
    }
    sheet.notes.emplace_back(path + key.name,
                             key.help + (summary.empty() ? "" : " (" + summary + ")"));
    const bool mapping = key.type.fields && !key.type.variants && !key.type.list;
    if (mapping) add_keys(key.type.fields(), path + key.name + ".", sheet);
  }
}

/// The keys of a variant with their values and defaults.
template <class Part>
FactSheet variant_sheet(const ListedThing& thing) {
  const Family<Part>& table = family<Part>();
  FactSheet sheet;
  sheet.title = table.what + " " + thing.name + ": " + thing.help;
  sheet.notes_title = "keys";
  add_keys(table.find(thing.name)->keys(), "", sheet);
  return sheet;
}

Things presets(std::span<const EmbeddedFile> files) {
  Things things;
  for (const std::string& name : preset_names(files)) {
    const auto file = std::ranges::find(files, std::string_view(name), &EmbeddedFile::name);
    things.push_back({name, first_comment(file->text)});
  }
  return things;
}

Things models() {
  Things things;
  for (const NetworkHelp& model : network_helps()) things.push_back({model.name, model.help});
  return things;
}

Things machines() {
  Things things = presets(embedded_machines());
  things.push_back({"this", "this computer: workers run on its cores"});
  things.push_back({"ideal", "only computation takes time"});
  return things;
}

Things inputs() {
  Things things = variants_of<InputSource>();
  for (ListedThing& preset : presets(embedded_inputs())) things.push_back(std::move(preset));
  return things;
}

/// The keys of a kind of input, or the figures of a preset.
FactSheet input_sheet(const ListedThing& thing) {
  const bool kind = family<InputSource>().find(thing.name) != nullptr;
  return kind ? variant_sheet<InputSource>(thing) : input_preset_sheet(thing);
}

template <class Q>
ListedThing unit() {
  const Q* tag = nullptr;
  std::vector<std::string> suffixes;
  for (const UnitRow& row : units_of(tag)) suffixes.emplace_back(row.suffix);
  std::erase(suffixes, "");
  return {dimension_of(tag), join(suffixes)};
}

Things units() {
  return {unit<Seconds>(),        unit<Bytes>(), unit<BytesPerSecond>(), unit<Flops>(),
          unit<FlopsPerSecond>(), unit<Watts>(), unit<DollarsPerHour>()};
}

FactSheet unit_sheet(const ListedThing& thing) {
  FactSheet sheet;
  sheet.title = thing.name + ": a number and one of " + thing.help;
  return sheet;
}

}  // namespace

std::span<const ListedKind> listed_kinds() {
  static const std::array<ListedKind, 20> kKinds{{
      {"models", "model", models, model_sheet},
      {"blocks", "block", variants_of<Block>, variant_sheet<Block>},
      {"machines", "machine", machines, machine_sheet},
      {"gpus", "GPU", [] { return presets(embedded_gpus()); }, gpu_sheet},
      {"links", "link", [] { return presets(embedded_links()); }, link_sheet},
      {"software", "software stack", [] { return presets(embedded_software()); }, software_sheet},
      {"nccl", "interconnect of NCCL", [] { return presets(embedded_nccl()); }, nccl_sheet},
      {"policies", "policy", variants_of<UpdatePolicy>, variant_sheet<UpdatePolicy>},
      {"aggregations", "aggregation", variants_of<Aggregation>, variant_sheet<Aggregation>},
      {"algorithms", "algorithm", variants_of<AllReduce>, variant_sheet<AllReduce>},
      {"compressions", "compression", variants_of<Compression>, variant_sheet<Compression>},
      {"stragglers", "straggler", variants_of<Straggler>, variant_sheet<Straggler>},
      {"optimizers", "optimizer", variants_of<Optimizer>, variant_sheet<Optimizer>},
      {"schedules", "schedule", variants_of<Schedule>, variant_sheet<Schedule>},
      {"staleness-rules", "staleness rule", variants_of<StalenessRule>,
       variant_sheet<StalenessRule>},
      {"datasets", "dataset", variants_of<Dataset>, variant_sheet<Dataset>},
      {"inputs", "input", inputs, input_sheet},
      {"lengths", "distribution of lengths", variants_of<LengthDistribution>,
       variant_sheet<LengthDistribution>},
      {"networks", "kind of network", variants_of<NetworkKind>, variant_sheet<NetworkKind>},
      {"units", "unit", units, unit_sheet},
  }};
  return kKinds;
}

}  // namespace paceline
