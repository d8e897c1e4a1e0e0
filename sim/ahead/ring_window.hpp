// SPDX-License-Identifier: MIT
/// \file
/// Many steps of a ring at once. In a step each rank goes on when it and the rank before it have
/// sent, a send of rank r takes length(r), and nothing else holds a rank up:
///
///     x(r) <- max(x(r) + length(r), x(r - 1) + length(r - 1))
///
/// After m steps x(r) is the largest over the ranks j that are up to m places before r of
///
///     x(j) + length(j) + ... + length(r - 1) + (m - (r - j)) * longest of length(j .. r)
///
/// a window that slides along the ring, once for each different length.
#pragma once
#include <cstdint>
#include <vector>

namespace paceline {

class RingWindow {
 public:
  static constexpr std::size_t kMostLengths = 8;

  /// \param lengths by rank, in picoseconds
  explicit RingWindow(std::vector<std::int64_t> lengths);

  /// Whether few lengths differ, so that this is faster than the steps.
  bool suits() const { return !different_.empty(); }
  /// Takes `steps` steps, fewer than there are ranks.
  void advance(std::vector<std::int64_t>& x, std::size_t steps);

 private:
  void raise(const std::vector<std::int64_t>& x, std::size_t steps, std::int64_t longest);

  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> different_;  ///< ascending; empty where there are too many
  std::vector<std::int64_t> before_;     ///< by place, twice around: the sum of the lengths before
  std::vector<std::int64_t> ahead_, best_;
  std::vector<std::uint32_t> window_;
};

}  // namespace paceline
