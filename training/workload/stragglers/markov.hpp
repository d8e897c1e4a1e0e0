// SPDX-License-Identifier: MIT
/// \file
/// Slow spells that last: a worker is in its usual state or in a slow one. Before each mini-batch
/// except its first it becomes slow with the chance `enter`, or recovers with the chance `leave`.
/// It is slow for a share enter / (enter + leave) of its mini-batches, for 1 / leave of them at a
/// time. The first state is drawn from that share.
///
/// Step s has one uniform number u_s of its own: the next state is slow where u_s < enter (after
/// the usual state) or u_s < 1 - leave (after the slow one). So the state at a step depends only on
/// the numbers back to the last one that gives the same next state from both states: it is a pure
/// function of the step.
#pragma once
#include "experiments/language/share.hpp"
#include "training/workload/stragglers/law/weighted_parts.hpp"

namespace paceline {

class MarkovStraggler final : public PartsStraggler {
 public:
  Seconds draw(const Draw& at) const override { return (slow_at(at) ? slow_ : usual_)->draw(at); }
  /// Of the long run; `lasting` says that a worker's draws are not independent.
  StragglerShape shape() const override;

  /// Whether a mini-batch belongs to a slow spell.
  bool slow_at(const Draw& at) const;

  static void describe(Description<MarkovStraggler>& d) {
    using Self = MarkovStraggler;
    d.required("usual", &Self::usual_, "the time of a mini-batch outside slow spells");
    d.required("slow", &Self::slow_, "the time of a mini-batch within a slow spell");
    d.required("enter", &Self::enter_, "chance that a slow spell begins before a mini-batch")
        .at_least(Percent{1e-6})
        .at_most(Percent{1});
    d.required("leave", &Self::leave_, "chance that a slow spell ends before a mini-batch")
        .at_least(Percent{1e-6})
        .at_most(Percent{1});
    describe_applies(d);
  }
  /// Combines the states. False after noting their errors.
  bool settle(const Tree& tree, Diagnostics& diagnostics);

 private:
  double slow_share() const { return enter_.fraction / (enter_.fraction + leave_.fraction); }

  Choice<Straggler> usual_;
  Choice<Straggler> slow_;
  Percent enter_{0};
  Percent leave_{0};
};

}  // namespace paceline
