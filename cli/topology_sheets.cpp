// SPDX-License-Identifier: MIT
#include "cli/topology_sheets.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/costs/nccl_constants.hpp"
#include "topology/import/imported_links.hpp"
#include "topology/machine.hpp"
#include "training/experiment/software/software.hpp"
#include "training/workload/input/input_source.hpp"

namespace paceline {
namespace {

/// Adds keys to a sheet: scalars become facts; `sources` and other mappings of text become notes.
void add_keys(FactSheet& sheet, const Tree& keys, const std::string& prefix) {
  for (const Member& member : keys.members) {
    if (member.key == "source" || member.key == "sources") continue;
    if (member.value.is_map()) {
      add_keys(sheet, member.value, prefix + member.key + ".");
    } else {
      sheet.facts.emplace_back(prefix + member.key, Fact{to_flow(member.value), member.value});
    }
  }
}

void add_sources(FactSheet& sheet, const std::map<std::string, std::string>& sources) {
  sheet.notes_title = "sources";
  for (const auto& [key, source] : sources) sheet.notes.emplace_back(key, source);
}

/// A table of the links, one row per kind, speed and source.
FactTable links_of(const Machine& machine) {
  using Kind = std::tuple<LinkKind, double, double, int, bool>;
  std::map<Kind, std::int64_t> counts;
  for (const LinkDirection& link : machine.links()) {
    // a half-duplex link has one entry, any other link one per direction
    counts[{link.kind, link.capacity.value(), link.latency.value(), link.count,
            link.half_duplex}] += link.half_duplex ? 2 : 1;
  }
  FactTable table{"links", {"kind", "count", "bonded", "bandwidth", "latency", "duplex"}, {}};
  for (const auto& [kind, directions] : counts) {
    const auto& [made_of, capacity, latency, bonded, half] = kind;
    table.rows.push_back({Fact::of(Value<LinkKind>::write(made_of).text), Fact::of(directions / 2),
                          Fact::of(std::int64_t{bonded}), Fact::of(BytesPerSecond{capacity}),
                          Fact::of(Seconds{latency}),
                          Fact::of(std::string(half ? "half" : "full"))});
  }
  return table;
}

std::map<std::string, std::string> link_sources(const Machine& machine) {
  std::map<std::string, std::string> sources;
  for (const LinkDirection& link : machine.links()) {
    std::string& known = sources[Value<LinkKind>::write(link.kind).text];
    if (known.find(link.source) == std::string::npos) {
      known += (known.empty() ? "" : "; ") + link.source;
    }
  }
  return sources;
}

std::string gpus_of(const Machine& machine) {
  std::map<std::string, int> counts;
  for (int gpu = 0; gpu < machine.gpu_count(); ++gpu) ++counts[machine.gpu(gpu).name];
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " + name;
  }
  return text;
}

}  // namespace

FactSheet machine_sheet(const ListedThing& thing) {
  FactSheet sheet;
  sheet.title = "machine " + thing.name + ": " + thing.help;
  if (thing.name == "this" || thing.name == "ideal") return sheet;
  const Machine machine = load_machine(Tree::scalar(thing.name));
  const Host& host = machine.host();
  sheet.facts.emplace_back("GPUs", Fact::of(gpus_of(machine)));
  sheet.facts.emplace_back("sockets", Fact::of(std::int64_t{host.sockets}));
  sheet.facts.emplace_back("cores", Fact::of(std::int64_t{host.cores}));
  sheet.facts.emplace_back("memory bandwidth", Fact::of(host.memory_bandwidth));
  if (machine.gpu_count() > 0) {
    if (const auto price = machine.price(1)) sheet.facts.emplace_back("price", Fact::of(*price));
    if (!machine.region(1).empty()) sheet.facts.emplace_back("region", Fact::of(machine.region(1)));
  }
  sheet.tables.push_back(links_of(machine));
  add_sources(sheet, link_sources(machine));
  return sheet;
}

FactSheet gpu_sheet(const ListedThing& thing) {
  const GpuSpec gpu = load_gpu(Tree::scalar(thing.name));
  FactSheet sheet;
  sheet.title = "GPU " + thing.name + ": " + thing.help;
  Tree keys = write_keys(gpu);
  std::erase_if(keys.members, [](const Member& key) { return key.key == "efficiency"; });
  add_keys(sheet, keys, "");
  std::map<std::string, std::string> sources = gpu.sources;
  FactTable shares{"efficiency", {"of", "share", "half depth"}, {}};
  const auto add = [&](const std::string& of, const std::optional<Efficiency>& row) {
    if (!row) return;
    const Tree share = Value<Percent>::write(row->share);
    const std::string depth = row->half_depth > 0 ? print_number(row->half_depth) : "";
    shares.rows.push_back({Fact::of(of), Fact{share.text, share}, Fact::of(depth)});
    sources["efficiency." + of] = row->source;
  };
  add("fp32", gpu.efficiency.fp32);
  add("tf32", gpu.efficiency.tf32);
  add("fp16", gpu.efficiency.fp16);
  add("memory", gpu.efficiency.memory);
  add("passes", gpu.efficiency.passes);
  if (!shares.rows.empty()) sheet.tables.push_back(std::move(shares));
  add_sources(sheet, sources);
  return sheet;
}

FactSheet link_sheet(const ListedThing& thing) {
  const LinkTypeSpec link = load_link(thing.name);
  FactSheet sheet;
  sheet.title = "link " + thing.name + ": " + thing.help;
  add_keys(sheet, write_keys(link), "");
  add_sources(sheet, {{thing.name, link.source}});
  return sheet;
}

FactSheet software_sheet(const ListedThing& thing) {
  const Software software = load_software(Tree::scalar(thing.name));
  FactSheet sheet;
  sheet.title = "software stack " + thing.name + ": " + thing.help;
  add_keys(sheet, write_keys(software), "");
  add_sources(sheet, software.sources);
  return sheet;
}

FactSheet input_preset_sheet(const ListedThing& thing) {
  const Tree input = load_preset_or_path(Tree::scalar(thing.name), "input", embedded_inputs());
  FactSheet sheet;
  sheet.title = "input " + thing.name + ": " + thing.help;
  add_keys(sheet, input, "");
  std::map<std::string, std::string> sources;
  for (const Member& source : input.find("sources")->members)
    sources[source.key] = source.value.text;
  add_sources(sheet, sources);
  return sheet;
}

FactSheet nccl_sheet(const ListedThing& thing) {
  FactSheet sheet;
  sheet.title = "NCCL over " + thing.name + ": " + thing.help;
  const auto add = [&](const auto& constants) {
    add_keys(sheet, write_keys(constants), "");
    add_sources(sheet, constants.sources);
  };
  if (thing.name == kNcclNetwork) {
    add(nccl_network_constants());
  } else {
    add(load_nccl(thing.name));
  }
  return sheet;
}

}  // namespace paceline
