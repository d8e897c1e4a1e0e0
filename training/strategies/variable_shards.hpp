// SPDX-License-Identifier: MIT
/// \file
/// Servers where some variables are elsewhere than the others: the table of an embedding on the
/// CPU, all else on GPUs. A shard is a run of parameters on one device, and a device with
/// parameters in several places has a shard for each. Variables that several devices share are cut
/// into equal parts, or stay whole.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/language/value.hpp"
#include "models/network.hpp"
#include "training/runtime/command.hpp"
#include "training/workload/placement.hpp"

namespace paceline {

/// By a layer's name, or the name of its kind. A name goes before a kind.
using VariablePlaces = std::map<std::string, ServerPlacement>;

/// How several devices share variables.
enum class Division : std::uint8_t {
  equal,        ///< in equal parts of the parameters
  by_variable,  ///< each layer's go to the device that has the fewest, in the order of the layers
  in_turn,      ///< tensor by tensor to the next device; a layer's stay with its first tensor
};
std::span<const EnumName<Division>> enum_names(const Division*);

struct VariableShards {
  std::vector<Slice> slices;  ///< in the order of the parameters
  std::vector<ServerSite> sites;
};

/// \param others     the place of the variables that `places` does not name
/// \param cpu_shards servers on the CPU
VariableShards place_variables(const Network& network, const VariablePlaces& places,
                               ServerPlacement others, int workers, int cpu_shards,
                               double bytes_per_parameter, Division division = Division::equal);

/// The first key of `places` that no layer with parameters has; "" if each has one.
std::string unknown_variable(const Network& network, const VariablePlaces& places);

}  // namespace paceline
