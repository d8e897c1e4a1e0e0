// SPDX-License-Identifier: MIT
/// \file
/// How long a range of layers takes, and where its layers' borders are: cancelled arithmetic stops
/// at the next one. Where sequences are of unequal length, that depends on the mini-batch.
#pragma once
#include <span>
#include <vector>

#include "sim/costs/costs.hpp"
#include "training/runtime/command.hpp"

namespace paceline {

class LayerClock {
 public:
  /// `costs` must outlive this.
  explicit LayerClock(const Costs& costs);

  std::int32_t count() const {
    return static_cast<std::int32_t>(tables_.front().forward.size()) - 1;
  }

  /// The shape of a mini-batch, as Costs::shape_of().
  std::size_t shape_of(WorkId work) const {
    return costs_.lengths == nullptr ? 0 : drawn_shape(work);
  }

  /// Whether no layer takes any time.
  bool all_free() const;

  /// Picoseconds of the range on an undisturbed worker.
  std::int64_t duration(LayerRange layers, WorkId work) const {
    const std::vector<std::int64_t>& before = sums(layers.pass, work);
    return before[static_cast<std::size_t>(layers.last)] -
           before[static_cast<std::size_t>(layers.first)];
  }

  /// The first border of a layer at or after `elapsed` picoseconds into the range.
  std::int64_t border_after(LayerRange layers, WorkId work, std::int64_t elapsed) const;

  /// Arithmetic that is cancelled goes on to the border of the layer under way.
  struct Cut {
    std::int64_t layers_ps = 0;  ///< of an undisturbed worker: where the border is in the range
    double left_ps = 0;          ///< until then
  };
  /// Of a range that takes `total_ps` in all, of which `left_ps` are left.
  Cut cut(LayerRange layers, WorkId work, double total_ps, double left_ps) const;
  /// The time of a range's layers, `total_ps` in all, over that in the table of layers.
  double stretch(LayerRange layers, WorkId work, double total_ps) const;

  /// A layer of a range and when it runs, in picoseconds from the range's begin.
  struct Turn {
    std::int32_t layer = 0;
    std::int64_t begin_ps = 0, end_ps = 0;
  };
  /// The layers of a range in the order in which they run, as far as `elapsed` picoseconds take it.
  std::vector<Turn> turns(LayerRange layers, WorkId work, std::int64_t elapsed) const;

 private:
  struct Table {
    std::vector<std::int64_t> forward;   ///< time before layer i, of a forward pass
    std::vector<std::int64_t> backward;  ///< of a backward pass, as if it began at layer 0
  };
  /// A worker's last mini-batch: each is looked up several times, one after another.
  struct Last {
    std::int64_t step = -1;
    std::size_t shape = 0;
  };
  const std::vector<std::int64_t>& sums(Pass pass, WorkId work) const {
    if (pass == Pass::validation) return validation_;
    const Table& table = tables_[shape_of(work)];
    return pass == Pass::forward ? table.forward : table.backward;
  }
  std::size_t drawn_shape(WorkId work) const;

  const Costs& costs_;
  std::vector<Table> tables_;             ///< by shape
  std::vector<std::int64_t> validation_;  ///< as of a forward pass
  mutable std::vector<Last> last_;        ///< by worker
};

}  // namespace paceline
