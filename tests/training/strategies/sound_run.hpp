// SPDX-License-Identifier: MIT
/// \file
/// The promises of the policies for gradients, on any clock and with any deaths.
#pragma once
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "training/results/metrics/measurement.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

/// Holds for the gradients of any run: each is taken once or cancelled once, never both;
/// versions follow each other, and each takes as many gradients as the rule says. Where the run is
/// not `complete`, its last version was being gathered.
inline void expect_sound(const std::vector<GradientEvent>& events, const Plan& plan,
                         bool complete) {
  const Rule& rule = plan.rule;
  std::set<std::pair<int, std::int64_t>> accepted, cancelled;
  std::map<std::int64_t, int> taken;  // by version
  std::int64_t version = 0;
  for (const GradientEvent& event : events) {
    const std::pair<int, std::int64_t> gradient{event.worker, event.step};
    if (event.applied < 0) {
      EXPECT_TRUE(cancelled.insert(gradient).second) << "cancelled twice";
      continue;
    }
    EXPECT_TRUE(accepted.insert(gradient).second) << "taken twice";
    EXPECT_LE(event.computed, event.applied);
    if (rule.current_only) {
      EXPECT_EQ(event.computed, event.applied);
    }
    EXPECT_TRUE(event.applied == version || event.applied == version + 1) << "a version is missing";
    version = event.applied;
    ++taken[version];
  }
  for (const auto& gradient : cancelled) {
    EXPECT_EQ(accepted.count(gradient), 0U)
        << "step " << gradient.second << " of worker " << gradient.first;
  }
  const bool downpour = rule.exchange.push_every > 0;
  if (!complete) taken.erase(version);  // it was being gathered
  for (const auto& [of, count] : taken) {
    if (rule.adaptation.window > 0) {
      EXPECT_GE(count, rule.gradients);
      EXPECT_LE(count, plan.workers);
    } else {
      EXPECT_EQ(count, downpour ? 1 : rule.gradients) << "version " << of;
    }
  }
}

}  // namespace paceline
