// SPDX-License-Identifier: MIT
/// \file
/// Which links a copy between two roles crosses, by the machine's graph: the same answer for every
/// clock.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "training/setting.hpp"

namespace paceline {

class Ways {
 public:
  /// `setting` must outlive this.
  explicit Ways(const Setting& setting);

  /// Indices into `names`: an index occurs as often as the copy crosses the link. Empty where
  /// nothing is crossed.
  struct Way {
    std::vector<std::size_t> links;
    std::size_t slowest = 0;  ///< of `links`, where there are any
  };
  const Way& between(RoleId from, RoleId to);

  /// Of all links, one name a direction ("gpu0->plx0"); the memory of a shared card is one too.
  const std::vector<std::string>& names() const { return names_; }

 private:
  Way find(RoleId from, RoleId to) const;

  const Setting& setting_;
  std::vector<std::string> names_;
  std::map<std::pair<RoleId, RoleId>, Way> ways_;
};

}  // namespace paceline
