// SPDX-License-Identifier: MIT
#include "sim/ahead/ring_window.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace paceline {

RingWindow::RingWindow(std::vector<std::int64_t> lengths) : lengths_(std::move(lengths)) {
  for (const std::int64_t length : lengths_) {
    const auto place = std::ranges::lower_bound(different_, length);
    if (place != different_.end() && *place == length) continue;
    different_.insert(place, length);
    if (different_.size() <= kMostLengths) continue;
    different_.clear();
    return;
  }
  const std::size_t ranks = lengths_.size();
  before_.resize(2 * ranks);
  for (std::size_t place = 1; place < 2 * ranks; ++place)
    before_[place] = before_[place - 1] + lengths_[(place - 1) % ranks];
}

void RingWindow::advance(std::vector<std::int64_t>& x, std::size_t steps) {
  best_.assign(x.size(), std::numeric_limits<std::int64_t>::min());
  for (const std::int64_t longest : different_) raise(x, steps, longest);
  std::swap(x, best_);
}

/// Raises `best_` to what the windows reach with `longest` or a longer one in them. Where the
/// longest of a window is longer still, that one reaches further.
void RingWindow::raise(const std::vector<std::int64_t>& x, std::size_t steps,
                       std::int64_t longest) {
  const std::size_t ranks = x.size();
  ahead_.resize(2 * ranks);
  window_.resize(2 * ranks);
  std::size_t first = 0, end = 0;  // of the window: places of falling `ahead_`
  std::size_t taken = 0;           // places that have entered it
  for (std::size_t place = 0; place < 2 * ranks; ++place) {
    const std::size_t rank = place < ranks ? place : place - ranks;
    ahead_[place] = x[rank] - before_[place] + static_cast<std::int64_t>(place) * longest;
    if (lengths_[rank] >= longest) {
      for (; taken <= place; ++taken) {
        while (end > first && ahead_[window_[end - 1]] <= ahead_[taken]) --end;
        window_[end++] = static_cast<std::uint32_t>(taken);
      }
    }
    if (place < ranks) continue;
    while (first < end && window_[first] + steps < place) ++first;
    if (first == end) continue;
    const std::int64_t left = static_cast<std::int64_t>(steps) - static_cast<std::int64_t>(place);
    best_[rank] = std::max(best_[rank], ahead_[window_[first]] + before_[place] + left * longest);
  }
}

}  // namespace paceline
