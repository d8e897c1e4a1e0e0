// SPDX-License-Identifier: MIT
/// \file
/// Slow spells that last: a worker is in its usual state or in a slow one, and each mini-batch but
/// its first begins with a chance `enter` to become slow and `leave` to recover. It is slow for a
/// share enter / (enter + leave) of its mini-batches, for 1 / leave of them at a time. The first
/// state is drawn from that share.
///
/// Step s has one uniform number u_s of its own: the next state is slow where u_s < enter (it was
/// usual) or u_s < 1 - leave (it was slow). So the state at a step follows from the numbers back to
/// the last one that decides whatever the state was before it, and is a pure function of the step.
#pragma once
#include "experiments/share.hpp"
#include "training/stragglers/law/weighted_parts.hpp"

namespace paceline {

class MarkovStraggler final : public PartsStraggler {
 public:
  Seconds draw(const Draw& at) const override { return (slow_at(at) ? slow_ : usual_)->draw(at); }
  /// Of the long run; `lasting` tells that a worker's draws are not independent.
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
  /// Puts the states together. False after noting what is wrong with them.
  bool settle(const Tree& tree, Diagnostics& diagnostics);

 private:
  double slow_share() const { return enter_.fraction / (enter_.fraction + leave_.fraction); }

  Choice<Straggler> usual_;
  Choice<Straggler> slow_;
  Percent enter_{0};
  Percent leave_{0};
};

}  // namespace paceline
