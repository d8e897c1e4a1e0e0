// SPDX-License-Identifier: MIT
/// \file
/// The costs of calls of the machine's collective library on the ways between its ranks: latency,
/// flows, and the share of their speed at which the GPUs' layers go on meanwhile. They are those of
/// all calls of one kind and size (nccl/library_call.hpp).
#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/devices/paths.hpp"
#include "sim/nccl/library_call.hpp"

namespace paceline {

struct LibraryCost {
  Seconds latency;                                    ///< before bytes flow
  double speed = 1;                                   ///< of the GPUs' layers meanwhile
  std::vector<std::pair<const Path*, double>> flows;  ///< with bytes
};

class LibraryCosts {
 public:
  /// `vertices`: the machine's, of every role. All references must outlive this.
  LibraryCosts(const Machine& machine, const std::vector<int>& vertices, const Costs& costs,
               Paths& paths)
      : machine_(machine), vertices_(vertices), costs_(costs), paths_(paths) {}

  const LibraryCost& of(const Command::Collective& collective);

 private:
  const Machine& machine_;
  const std::vector<int>& vertices_;
  const Costs& costs_;
  Paths& paths_;
  std::optional<LibraryModel> model_;  ///< once the ranks are known
  std::map<std::pair<Operation, double>, LibraryCost> known_;
};

}  // namespace paceline
