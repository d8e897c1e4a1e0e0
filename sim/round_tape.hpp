// SPDX-License-Identifier: MIT
/// \file
/// The events of a few rounds, to be played as if there had been many. Where nothing is drawn at
/// random, the rounds of synchronous training soon repeat each other to the picosecond, and
/// simulating each of them again would only cost time. A tape takes the place of the observer
/// during a short run; if its rounds repeat, it plays their events to the observer, with those of
/// one round as often as rounds were left out. The observer sees what the whole run would have
/// shown it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "training/runtime/observer.hpp"
#include "training/strategies/plan.hpp"

namespace paceline {

class RoundTape final : public Observer {
 public:
  /// Rounds on a tape. The first ones settle, `kCompared` are compared, the last ones end the run.
  static constexpr std::int64_t kRounds = 6;
  static constexpr std::int64_t kCompared = 3;
  static constexpr std::int64_t kLast = 4;  ///< of those compared; the one that is repeated

  /// Whether the rounds of a plan can repeat each other: all workers take part in each, and nothing
  /// is drawn at random. \param variation of the workers' step times
  static bool suits(const Plan& plan, double variation);

  explicit RoundTape(const Plan& plan);

  /// Whether all compared rounds are the same, in every operation of every role.
  bool repeats() const;
  /// Plays the tape with round `kLast` `more` times more. Requires repeats().
  /// \return false if the clock would end before; nothing is played then
  bool play(Observer& observer, std::int64_t more) const;

  void begun(RoleId worker, std::int64_t step, Instant at) override;
  void span(WorkId work, Activity activity, Instant begin, Instant end) override;
  void gradient_computed(WorkId work, Instant at, double loss) override;
  void accepted(RoleId worker, std::int64_t step, std::int64_t computed,
                std::int64_t applied) override;
  void cancelled(RoleId worker, std::int64_t step, std::int64_t version, Instant at) override;
  void updated(RoleId role, std::int64_t version, Instant at) override;
  void operation(Stream stream, const Command& command, Instant begin, Instant end) override;

 private:
  enum class Kind : std::uint8_t {
    begun,
    span,
    gradient_computed,
    accepted,
    cancelled,
    updated,
    operation
  };
  struct Event {
    Kind kind = Kind::begun;
    Activity activity = Activity::compute;
    StreamKind stream = StreamKind::compute;
    RoleId role = 0;
    std::int64_t step = -1;     ///< -1: of no mini-batch
    std::int64_t version = -1;  ///< of the weights, or that an update makes; -1: none
    std::int64_t applied = -1;  ///< accepted: the version applied to
    std::int64_t begin_ps = 0, end_ps = 0;
    std::size_t command = 0;  ///< operation: the place in commands_
    /// Of operations the hash of a round compares the rest.
    friend bool operator==(const Event& a, const Event& b) {
      return a.kind == b.kind && a.activity == b.activity && a.stream == b.stream &&
             a.role == b.role && a.step == b.step && a.begin_ps == b.begin_ps &&
             a.end_ps == b.end_ps && a.version == b.version && a.applied == b.applied;
    }
  };
  /// The end of a round.
  struct Border {
    std::size_t events = 0;  ///< on the tape so far
    std::int64_t at_ps = 0;
    std::uint64_t operations = 0;  ///< a hash of all operations of the round
  };
  bool in_step(std::span<const Event> round) const;
  Event moved(Event event, std::int64_t rounds) const;
  void add(const Event& event) { events_.push_back(event); }
  void play(Observer& observer, std::size_t first, std::size_t last, std::int64_t rounds) const;
  void play(Observer& observer, const Event& event) const;
  std::int64_t period_ps() const;

  RoleId marker_;  ///< the role that ends a round with its update
  int workers_;
  std::int64_t steps_;  ///< mini-batches of a worker in a round
  std::vector<Event> events_;
  std::vector<Command> commands_;  ///< of servers' operations; others are only compared
  std::vector<Border> borders_;    ///< by round; the first is the beginning
  std::uint64_t hash_ = 0;
};

}  // namespace paceline
