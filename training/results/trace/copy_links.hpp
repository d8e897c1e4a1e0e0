// SPDX-License-Identifier: MIT
/// \file
/// The links that a copy between two roles crosses, by the machine's graph: the same on every
/// clock.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "topology/machine.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class CopyLinks {
 public:
  /// \param vertices    the vertex of every role in the machine
  /// \param shared_card the vertex of the card that all workers share; -1: each has its own
  /// `machine` must outlive this.
  CopyLinks(const Machine& machine, std::vector<int> vertices, int shared_card);

  /// Numbers of links: one occurs as often as the copy crosses the link. Empty where no
  /// link is crossed.
  struct Crossed {
    std::vector<std::size_t> links;
    std::size_t slowest = 0;  ///< an index into `links`, where there are any
  };
  const Crossed& between(RoleId from, RoleId to);

  /// The number of links, one per direction; the memory of a shared card is the last.
  std::size_t size() const { return links_.size() + (shared_card_ >= 0 ? 1 : 0); }
  /// "gpu0->plx0"
  std::string name(std::size_t link) const;

 private:
  Crossed find(RoleId from, RoleId to) const;

  const Machine& machine_;
  std::vector<int> vertices_;
  int shared_card_;
  ComputedList<LinkDirection> links_;
  std::map<std::pair<RoleId, RoleId>, Crossed> known_;
};

}  // namespace paceline
