// SPDX-License-Identifier: MIT
/// \file
/// The network between computers as given by a source: how many computers there are, on which
/// switches, over which links. Readers of networks make one; `assemble_network` turns it into a
/// cluster.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "topology/machine_spec.hpp"

namespace paceline {

struct NetworkInventory {
  std::string origin;  ///< "a Slurm topology", for messages
  int computers = 1;
  int cards = 0;               ///< of a computer on the network; 0: unknown
  std::string node;            ///< the machine preset of which a cluster is made; "": unknown
  int computers_per_node = 1;  ///< of which `node` is one machine, as a domain of NVLink is
  NetworkShape shape = NetworkShape::one_switch;
  int computers_per_leaf = 1;              ///< of leaf-spine and fat-tree
  int leaves_per_pod = 1;                  ///< of fat-tree
  std::optional<double> oversubscription;  ///< nothing: unknown
  double gbit_per_s = 0;                   ///< of a card's link, InfiniBand; 0: unknown
  std::optional<LinkTypeSpec> link;        ///< of a card, where the source gives its figures
  std::vector<std::string> notes;          ///< omissions and inferences, one per line
};

}  // namespace paceline
