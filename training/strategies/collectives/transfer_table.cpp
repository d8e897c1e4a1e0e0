// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/transfer_table.hpp"

#include <algorithm>
#include <span>

namespace paceline {
namespace {

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// The transfers of the step that begins with transfer `first`.
std::span<const Transfer> step_from(const std::vector<Transfer>& all, std::size_t first) {
  std::size_t last = first;
  while (last < all.size() && all[last].step == all[first].step) ++last;
  return std::span(all).subspan(first, last - first);
}

/// The ranks of which each part of each rank holds the addend.
class Addends {
 public:
  Addends(int ranks, int parts) : ranks_(index(ranks)), parts_(index(parts)) {
    has_.resize(ranks_ * parts_, std::vector<bool>(ranks_));
    for (std::size_t i = 0; i < has_.size(); ++i) has_[i][i / parts_] = true;
  }

  /// Carries out the transfers of a step: all are sent before any arrives.
  std::string carry_out(std::span<const Transfer> step) {
    std::vector<std::vector<bool>> sent;
    for (const Transfer& one : step) {
      for (int i = 0; i < one.count; ++i) sent.push_back(at(one.from, one.first + i));
    }
    auto next = sent.begin();
    for (const Transfer& one : step) {
      for (int i = 0; i < one.count; ++i, ++next) {
        const std::string wrong = arrive(one, one.first + i, *next);
        if (!wrong.empty()) return wrong;
      }
    }
    return "";
  }

  /// The first sum that is not complete; "" if all are.
  std::string missing() const {
    for (std::size_t i = 0; i < has_.size(); ++i) {
      const auto found = std::ranges::find(has_[i], false);
      if (found == has_[i].end()) continue;
      return "rank " + std::to_string(i / parts_) + " ends without the addend of rank " +
             std::to_string(found - has_[i].begin()) + " in chunk " + std::to_string(i % parts_);
    }
    return "";
  }

 private:
  std::vector<bool>& at(int rank, int part) { return has_[index(rank) * parts_ + index(part)]; }

  std::string arrive(const Transfer& one, int part, const std::vector<bool>& sent) {
    std::vector<bool>& here = at(one.to, part);
    if (!one.adds) here.assign(ranks_, false);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (here[rank] && sent[rank]) {
        return "rank " + std::to_string(one.to) + " adds the addend of rank " +
               std::to_string(rank) + " to chunk " + std::to_string(part) + " twice";
      }
      here[rank] = here[rank] || sent[rank];
    }
    return "";
  }

  std::size_t ranks_, parts_;
  std::vector<std::vector<bool>> has_;  ///< by rank and part
};

/// By rank: the step before which all that it received is known to be over.
using Known = std::vector<int>;

bool is_over(const Transfer& transfer, const Known& known) {
  return transfer.step < known[index(transfer.to)];
}

/// By transfer: what its sender knows when it sends, since it received that, or something sent
/// later by a rank that knew.
std::vector<Known> known_to_sender(const std::vector<Transfer>& all, int ranks) {
  std::vector<Known> known(index(ranks), Known(index(ranks)));
  std::vector<Known> behind(all.size());
  for (std::size_t first = 0; first < all.size();) {
    const std::span<const Transfer> step = step_from(all, first);
    for (std::size_t i = 0; i < step.size(); ++i) behind[first + i] = known[index(step[i].from)];
    for (std::size_t i = 0; i < step.size(); ++i) {
      Known& learns = known[index(step[i].to)];
      std::ranges::transform(learns, behind[first + i], learns.begin(),
                             [](int mine, int told) { return std::max(mine, told); });
      learns[index(step[i].to)] = step[i].step + 1;
    }
    first += step.size();
  }
  return behind;
}

/// The step of the last transfer before `at` that its receiver sent and that is known to be over;
/// -1: none.
int last_known_step(const std::vector<Transfer>& all, std::size_t at, const Known& known) {
  for (std::size_t sign = at; sign-- > 0;) {
    if (all[sign].from == all[at].to && is_over(all[sign], known)) return all[sign].step;
  }
  return -1;
}

bool overlap(const Transfer& a, const Transfer& b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

}  // namespace

TransferTable::TransferTable(int ranks, int parts)
    : ranks_(ranks), parts_(parts), landed_(index(ranks)) {}

void TransferTable::add(const Transfer& transfer) {
  transfers_.push_back(transfer);
  steps_ = std::max(steps_, transfer.step + 1);
  const Parts parts{transfer.first, transfer.first + transfer.count};
  ScheduleStep& sender = table_[{transfer.step, transfer.from}];
  sender.to = transfer.to;
  sender.out = parts;
  ScheduleStep& receiver = table_[{transfer.step, transfer.to}];
  receiver.from = transfer.from;
  receiver.in = parts;
  if (!transfer.adds) return;
  std::int32_t& landed = landed_[index(transfer.to)];
  receiver.arrival = Arrival::adds;
  receiver.landing = landed;
  landed += transfer.count;
  landings_ = std::max(landings_, landed);
}

ScheduleStep TransferTable::at(int rank, int step, int /*slice*/) const {
  const auto found = table_.find({step, rank});
  return found == table_.end() ? ScheduleStep{} : found->second;
}

std::string TransferTable::wrong_sum() const {
  Addends addends(ranks_, parts_);
  for (std::size_t first = 0; first < transfers_.size();) {
    const std::span<const Transfer> step = step_from(transfers_, first);
    const std::string wrong = addends.carry_out(step);
    if (!wrong.empty()) return wrong;
    first += step.size();
  }
  return addends.missing();
}

std::string TransferTable::overwritten() const {
  const std::vector<Known> behind = known_to_sender(transfers_, ranks_);
  for (std::size_t at = 0; at < transfers_.size(); ++at) {
    const Transfer& one = transfers_[at];
    if (one.adds) continue;
    const int known = last_known_step(transfers_, at, behind[at]);
    for (std::size_t i = 0; i < transfers_.size() && transfers_[i].step <= one.step; ++i) {
      const Transfer& earlier = transfers_[i];
      if (!overlap(one, earlier) || is_over(earlier, behind[at])) continue;
      const bool reads = earlier.from == one.to;
      const bool arrives = earlier.to == one.to && earlier.step < one.step;
      // a rank's later transfer is a sign that its earlier ones are over, sums included
      if ((!reads && !arrives) || earlier.step < known) continue;
      return "rank " + std::to_string(one.from) + " may overwrite chunk " +
             std::to_string(one.first) + " of rank " + std::to_string(one.to) +
             " before that is read";
    }
  }
  return "";
}

}  // namespace paceline
