// SPDX-License-Identifier: MIT
/// \file
/// A tree of switches as schedulers describe it: each switch lists the switches or the computers
/// below it. Blocks are sets of computers with a faster network of their own, such as NVLink.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "topology/import/switch_graph.hpp"

namespace paceline {

class SwitchTree final {
 public:
  /// Adds a switch; both lists are in Slurm's notation (host_list.hpp). Throws SpecError for a
  /// switch that is there, for invalid lists, and for a switch with both or neither.
  void add_switch(const std::string& name, const std::string& switches, const std::string& nodes,
                  const Location& at);
  void add_block(const std::string& nodes, const Location& at);
  /// The network; `file` is for errors. Throws SpecError for a tree without computers, and for
  /// switches that are missing.
  NetworkInventory network(const std::string& origin, const Location& file) const;

 private:
  struct Switch {
    Location at;
    std::vector<std::string> below;
    std::set<std::string> nodes;
  };
  SwitchGraph graph(const std::string& origin) const;
  NetworkInventory network_of_blocks(const std::string& origin) const;
  std::map<std::string, Switch> switches_;
  std::vector<std::set<std::string>> blocks_;  // computers
};

}  // namespace paceline
