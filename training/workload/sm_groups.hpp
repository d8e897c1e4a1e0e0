// SPDX-License-Identifier: MIT
/// \file
/// The division of a card's multiprocessors (SMs) among virtual GPUs: disjoint groups of equal
/// size, and a rest. The simulator and the CUDA layer divide by the same rule.
#pragma once

namespace paceline {

struct SmGroups {
  int sms = 0;      ///< of each group; 0: the groups do not fit
  int rest = 0;     ///< SMs in no group
  int servers = 0;  ///< SMs of the group of the servers, which is the rest; 0: the rest is too
                    ///< small for a group, and the servers run on the whole card
};

/// Divides `sms` into `groups` of the largest possible size: each a multiple of `multiple`, and at
/// least `minimum`. Requires all four > 0.
constexpr SmGroups divide_sms(int sms, int groups, int minimum, int multiple) {
  int each = sms / groups / multiple * multiple;
  if (each < minimum) each = minimum;
  SmGroups divided;
  if (each > sms / groups) return divided;
  divided.sms = each;
  divided.rest = sms - groups * each;
  divided.servers = divided.rest >= minimum ? divided.rest : 0;
  return divided;
}

}  // namespace paceline
