// SPDX-License-Identifier: MIT
#include "training/aggregations/aggregation.hpp"

#include <array>
#include <map>

namespace paceline {

std::span<const EnumName<Placement>> enum_names(const Placement*) {
  static constexpr std::array<EnumName<Placement>, 4> kNames{
      {{"cpu", Placement::cpu},
       {"gpu", Placement::gpu},
       {"sharded-gpus", Placement::sharded_gpus},
       {"hosts", Placement::hosts}}};
  return kNames;
}

const Family<Aggregation>& table_of(const Aggregation*) {
  static const Family<Aggregation> table{"aggregation",
                                         {parameter_server_aggregation(), allreduce_aggregation(),
                                          replicated_aggregation(), independent_aggregation()}};
  return table;
}

const std::vector<std::string>& updates_served(const std::string& aggregation) {
  static const std::map<std::string, std::vector<std::string>> kServes{
      {"parameter-server", table_of(static_cast<const UpdatePolicy*>(nullptr)).names()},
      {"allreduce", {"sync", "local-sgd"}},
      {"replicated", {"sync", "local-sgd"}},
      {"independent", {}}};
  return kServes.at(aggregation);
}

}  // namespace paceline
