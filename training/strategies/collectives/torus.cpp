// SPDX-License-Identifier: MIT
// All-reduce on a 2-D torus (Mikami et al. 2018), rows of X ranks, columns of Y, n bytes:
//   1. reduce-scatter in every row: each rank sums 1/X of the slice;
//   2. all-reduce of that share in every column;
//   3. all-gather in every row.
// All by rings. Steps: 2(X-1) + 2(Y-1). Bytes sent per rank: 2(X-1)/X n in rows and
// 2(Y-1)/(XY) n in columns. Time: [2(X-1) + 2(Y-1)] alpha + [2(X-1)/X + 2(Y-1)/(XY)] n beta
// + [(X-1)/X + (Y-1)/(XY)] n gamma.
#include <optional>

#include "training/strategies/collectives/phases.hpp"
#include "training/strategies/collectives/scheduled_all_reduce.hpp"

namespace paceline {

SharedSchedule torus(int ranks, int columns, const SharedOrder& order) {
  const int rows = ranks / columns;
  const SharedSchedule scatter = ring_reduce_scatter(columns, 0);
  const SharedSchedule gather = ring_all_gather(columns, 0);
  const SharedSchedule sum = ring(rows);
  std::vector<Team> scattering;
  scattering.reserve(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) {
    scattering.push_back({.first_place = row * columns,
                          .size = columns,
                          .schedule = scatter,
                          .scale = rows,
                          .order = order});
  }
  std::vector<Team> gathering = scattering;
  for (Team& team : gathering) team.schedule = gather;
  std::vector<Team> summing;
  for (int column = 0; column < columns; ++column) {
    const int left = column * rows;  // the part that the row has left to this column
    summing.push_back({.first_place = column,
                       .stride = columns,
                       .size = rows,
                       .schedule = sum,
                       .first = left,
                       .order = order});
  }
  return std::make_shared<Phases>(ranks, columns * rows,
                                  std::vector<std::vector<Team>>{scattering, summing, gathering});
}

namespace {

/// The widest row of a torus with as many rows as columns, or more.
int columns_of_square(int ranks) {
  int best = 1;
  for (int columns = 2; columns * columns <= ranks; ++columns) {
    if (ranks % columns == 0) best = columns;
  }
  return best;
}

class Torus final : public AllReduce {
 public:
  std::optional<int> columns_key;
  int slices_key = 1;

  SharedSchedule schedule(const Plan& plan) const override {
    return torus(plan.workers, columns_key ? *columns_key : columns_of_square(plan.workers));
  }
  int slices(double, int) const override { return slices_key; }
  std::string problem(const Plan& plan) const override {
    if (!columns_key || plan.workers % *columns_key == 0) return "";
    return std::to_string(plan.workers) + " workers do not fill rows of " +
           std::to_string(*columns_key) + " columns";
  }
  static void describe(Description<Torus>& d) {
    d.optional("columns", &Torus::columns_key,
               "workers of a row; default: as near to a square as they divide")
        .at_least(1);
    describe_slices(d);
  }
};

}  // namespace

Variant<AllReduce> torus_all_reduce() {
  return variant<Torus, AllReduce>("torus",
                                   "reduce-scatter in rows, all-reduce in columns, all-gather");
}

}  // namespace paceline
