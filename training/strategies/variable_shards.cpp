// SPDX-License-Identifier: MIT
#include "training/strategies/variable_shards.hpp"

#include <algorithm>

namespace paceline {
namespace {

/// The places by the names of layers and of their kinds. A kind may be named as its block is:
/// fully-connected for fully_connected.
const ServerPlacement* place_in(const Layer& layer, const VariablePlaces& places) {
  const std::string kind = Value<LayerKind>::write(layer.kind).text;
  std::string block = kind;
  std::ranges::replace(block, '_', '-');
  for (const std::string& name : {layer.name, kind, block}) {
    if (const auto found = places.find(name); found != places.end()) return &found->second;
  }
  return nullptr;
}

ServerPlacement place_of(const Layer& layer, const VariablePlaces& places, ServerPlacement others) {
  const ServerPlacement* place = place_in(layer, places);
  return place != nullptr ? *place : others;
}

/// Parameters [begin, end) that are in one place.
struct Run {
  std::int64_t begin = 0, end = 0;
};

/// The parameters of a layer.
struct Variable {
  Run run;
  int first_tensor = 0;  ///< its number among those of the network
};

int servers_at(ServerPlacement place, int workers, int cpu_shards) {
  if (place == ServerPlacement::sharded_gpus) return workers;
  return place == ServerPlacement::cpu ? cpu_shards : 1;
}

/// Parts of variables with their servers.
using Parts = std::vector<std::pair<Run, int>>;

/// Cuts variables into equal parts, the first parameters to the first server.
Parts cut(const std::vector<Variable>& variables, int servers) {
  std::int64_t total = 0;
  for (const Variable& variable : variables) total += variable.run.end - variable.run.begin;
  Parts parts;
  std::int64_t before = 0;  // parameters of earlier variables
  for (const auto& [run, first_tensor] : variables) {
    const std::int64_t size = run.end - run.begin;
    for (int server = 0; server < servers; ++server) {
      const std::int64_t first = std::max<std::int64_t>(0, total * server / servers - before);
      const std::int64_t last = std::min(size, total * (server + 1) / servers - before);
      if (first < last) parts.push_back({{run.begin + first, run.begin + last}, server});
    }
    before += size;
  }
  return parts;
}

/// Gives each variable to the server with the fewest parameters, the first of equals.
Parts whole_variables(const std::vector<Variable>& variables, int servers) {
  std::vector<std::int64_t> held(static_cast<std::size_t>(servers));
  Parts parts;
  for (const auto& [run, first_tensor] : variables) {
    const auto least = std::ranges::min_element(held);
    *least += run.end - run.begin;
    parts.push_back({run, static_cast<int>(least - held.begin())});
  }
  return parts;
}

/// Deals the tensors out. The others of a layer, biases and the like, are small beside its first.
Parts in_turn(const std::vector<Variable>& variables, int servers) {
  Parts parts;
  for (const auto& [run, first_tensor] : variables) parts.push_back({run, first_tensor % servers});
  return parts;
}

Parts divide(const std::vector<Variable>& variables, int servers, Division division) {
  switch (division) {
    case Division::equal:
      return cut(variables, servers);
    case Division::by_variable:
      return whole_variables(variables, servers);
    case Division::in_turn:
      return in_turn(variables, servers);
  }
  return {};
}

}  // namespace

std::span<const EnumName<Division>> enum_names(const Division*) {
  static constexpr EnumName<Division> kNames[] = {{"equal", Division::equal},
                                                  {"by-variable", Division::by_variable},
                                                  {"in-turn", Division::in_turn}};
  return kNames;
}

VariableShards place_variables(const Network& network, const VariablePlaces& places,
                               ServerPlacement others, int workers, int cpu_shards,
                               double bytes_per_parameter, Division division) {
  std::map<ServerPlacement, std::vector<Variable>> variables;
  std::int64_t at = 0;
  int tensors = 0;
  for (const Layer& layer : network.layers) {
    if (layer.parameters == 0) continue;
    variables[place_of(layer, places, others)].push_back({{at, at + layer.parameters}, tensors});
    at += layer.parameters;
    tensors += layer.tensors;
  }
  std::vector<std::pair<Run, ServerSite>> parts;
  for (const auto& [place, all] : variables) {
    const int servers = servers_at(place, workers, cpu_shards);
    const bool shared = place == ServerPlacement::sharded_gpus;
    const Division how = shared ? division : Division::equal;
    for (const auto& [run, server] : divide(all, servers, how))
      parts.push_back({run, {place, server}});
  }
  std::ranges::sort(parts, {}, [](const auto& part) { return part.first.begin; });
  VariableShards sorted;
  for (const auto& [run, site] : parts) {
    const bool goes_on = !sorted.slices.empty() && sorted.slices.back().end == run.begin &&
                         sorted.sites.back() == site;
    if (!goes_on) {
      sorted.slices.push_back({run.begin, run.begin, 0});
      sorted.sites.push_back(site);
    }
    Slice& slice = sorted.slices.back();
    slice.end = run.end;
    slice.bytes = static_cast<double>(slice.size()) * bytes_per_parameter;
  }
  return sorted;
}

std::string unknown_variable(const Network& network, const VariablePlaces& places) {
  for (const auto& [key, place] : places) {
    const bool known = std::ranges::any_of(network.layers, [&](const Layer& layer) {
      return layer.parameters > 0 && place_in(layer, {{key, place}}) != nullptr;
    });
    if (!known) return key;
  }
  return "";
}

}  // namespace paceline
