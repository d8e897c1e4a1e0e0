// SPDX-License-Identifier: MIT
#include "training/strategies/variable_shards.hpp"

#include <algorithm>

#include "experiments/language/value.hpp"

namespace paceline {
namespace {

std::string kind_of(const Layer& layer) {
  return Value<LayerKind>::write(layer.kind).text;
}

ServerPlacement place_of(const Layer& layer, const VariablePlaces& places, ServerPlacement others) {
  if (const auto named = places.find(layer.name); named != places.end()) return named->second;
  const auto kind = places.find(kind_of(layer));
  return kind != places.end() ? kind->second : others;
}

/// Parameters [begin, end) that are in one place.
struct Run {
  std::int64_t begin = 0, end = 0;
};

int servers_at(ServerPlacement place, int workers, int cpu_shards) {
  if (place == ServerPlacement::sharded_gpus) return workers;
  return place == ServerPlacement::cpu ? cpu_shards : 1;
}

}  // namespace

VariableShards place_variables(const Network& network, const VariablePlaces& places,
                               ServerPlacement others, int workers, int cpu_shards,
                               double bytes_per_parameter) {
  std::map<ServerPlacement, std::vector<Run>> runs;
  std::int64_t at = 0;
  for (const Layer& layer : network.layers) {
    if (layer.parameters == 0) continue;
    std::vector<Run>& there = runs[place_of(layer, places, others)];
    if (there.empty() || there.back().end != at) there.push_back({at, at});
    at = there.back().end = at + layer.parameters;
  }
  std::vector<std::pair<Slice, ServerSite>> shards;
  for (const auto& [place, all] : runs) {
    const int servers = servers_at(place, workers, cpu_shards);
    std::int64_t total = 0;
    for (const Run& run : all) total += run.end - run.begin;
    std::int64_t before = 0;  // parameters of this place in earlier runs
    for (const Run& run : all) {
      const std::int64_t size = run.end - run.begin;
      for (int server = 0; server < servers; ++server) {
        const std::int64_t first = std::max<std::int64_t>(0, total * server / servers - before);
        const std::int64_t last = std::min(size, total * (server + 1) / servers - before);
        if (first >= last) continue;
        const double bytes = static_cast<double>(last - first) * bytes_per_parameter;
        shards.push_back({{run.begin + first, run.begin + last, bytes}, {place, server}});
      }
      before += size;
    }
  }
  std::ranges::sort(shards, {}, [](const auto& shard) { return shard.first.begin; });
  VariableShards sorted;
  for (const auto& [slice, site] : shards) {
    sorted.slices.push_back(slice);
    sorted.sites.push_back(site);
  }
  return sorted;
}

std::string unknown_variable(const Network& network, const VariablePlaces& places) {
  for (const auto& [key, place] : places) {
    const bool known = std::ranges::any_of(network.layers, [&](const Layer& layer) {
      return layer.parameters > 0 && (layer.name == key || kind_of(layer) == key);
    });
    if (!known) return key;
  }
  return "";
}

}  // namespace paceline
