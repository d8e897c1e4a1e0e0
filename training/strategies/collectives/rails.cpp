// SPDX-License-Identifier: MIT
// Rings on rails: the torus with the workers of a computer as a row. The ranks of one place in all
// computers form a ring, so that every network card carries one, and on a network of rails none
// crosses to another. X ranks of a computer, Y computers, n bytes: steps, bytes and time are those
// of the torus of X columns.
#include "training/strategies/collectives/scheduled_all_reduce.hpp"

namespace paceline {
namespace {

class Rails final : public AllReduce {
 public:
  int slices_key = 1;

  SharedSchedule schedule(const Plan& plan) const override {
    return torus(plan.workers, neighbours_of_first(plan));
  }
  int slices(double, int) const override { return slices_key; }
  std::string problem(int workers, int neighbours) const override {
    if (workers % neighbours == 0) return "";
    return std::to_string(workers) + " workers do not fill computers of " +
           std::to_string(neighbours) + ", which rails need (use hierarchical)";
  }
  static void describe(Description<Rails>& d) { describe_slices(d); }
};

}  // namespace

Variant<AllReduce> rails_all_reduce() {
  return variant<Rails, AllReduce>(
      "rails", "reduce-scatter in computers, rings between them, all-gather in computers");
}

}  // namespace paceline
