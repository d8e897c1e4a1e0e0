// SPDX-License-Identifier: MIT
// Rings on rails: the torus with the workers of a computer as a row. The ranks of one place in all
// computers form a ring, so that every network card carries one, and on a network of rails none
// crosses to another. X ranks of a computer, Y computers, n bytes: steps, bytes and time are those
// of the torus of X columns.
#include "training/strategies/collectives/scheduled_all_reduce.hpp"
#include "training/strategies/grouping.hpp"

namespace paceline {
namespace {

class Rails final : public AllReduce {
 public:
  int slices_key = 1;

  SharedSchedule schedule(const Plan& plan) const override {
    const Grouping computers = Grouping::by_host(plan);
    return torus(plan.workers, computers.largest(), computers.order());
  }
  int slices(double, int) const override { return slices_key; }
  std::string problem(const Plan& plan) const override {
    const Grouping computers = Grouping::by_host(plan);
    if (computers.equal()) return "";
    return "computers have " + std::to_string(computers.smallest()) + " to " +
           std::to_string(computers.largest()) +
           " workers, and rails need equally many on each (use hierarchical)";
  }
  static void describe(Description<Rails>& d) { describe_slices(d); }
};

}  // namespace

Variant<AllReduce> rails_all_reduce() {
  return variant<Rails, AllReduce>(
      "rails", "reduce-scatter in computers, rings between them, all-gather in computers");
}

}  // namespace paceline
