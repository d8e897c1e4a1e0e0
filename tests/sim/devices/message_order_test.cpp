// SPDX-License-Identifier: MIT
// Messages that wait for work leave when that ends, in the order in which they were sent, whatever
// else waits for the same work.
#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "sim/devices/simulated_machine.hpp"

namespace paceline {
namespace {

struct Number {
  std::int64_t value = 0;
};
using Numbers = MessageKinds<Number>;

/// A message, when it arrived.
struct Arrived {
  std::int64_t ps = 0;
  std::int64_t number = 0;
  friend bool operator==(const Arrived&, const Arrived&) = default;
  friend auto operator<=>(const Arrived&, const Arrived&) = default;
};

Costs free_costs() {
  Costs costs;
  costs.forward = costs.backward = {Seconds{0}};
  return costs;
}

Task<> receiver(Backend& backend, std::size_t messages, std::vector<Arrived>& arrived) {
  while (arrived.size() < messages) {
    const Message message = co_await backend.receive(1);
    Numbers::read(message, [&](const Number& number) {
      arrived.push_back({backend.now().ps, number.value});
    });
  }
}

Stream stream_of(std::size_t number) {
  return {0, static_cast<StreamKind>(number)};
}
Seconds picoseconds(std::int64_t number) {
  return to_seconds(number);
}

/// Delays on all streams of role 0, and messages to role 1 after one or two of them; after some
/// delays there are others, queued before the message or between two. Returns what must arrive.
Task<> sender(Backend& backend, unsigned seed, std::vector<Arrived>& expected) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  std::vector<Token> ends;
  std::vector<std::int64_t> ends_ps;
  std::vector<std::int64_t> free_ps(kStreamKinds, 0);
  const auto queue = [&](std::size_t stream, std::size_t after) {
    const std::int64_t length = 1000 * (1 + static_cast<std::int64_t>(below(500))) +
                                static_cast<std::int64_t>(ends.size());  // no two end together
    const bool alone = after >= ends.size();
    const std::int64_t from = std::max(free_ps[stream], alone ? 0 : ends_ps[after]);
    const Token token = backend.delay(stream_of(stream), picoseconds(length), {},
                                      alone ? After{} : After{ends[after]});
    ends.push_back(token);
    ends_ps.push_back(free_ps[stream] = from + length);
  };
  for (std::size_t stream = 0; stream < kStreamKinds; ++stream) queue(stream, 1000);
  for (std::int64_t number = 0; number < 200; ++number) {
    const std::size_t first = below(ends.size()), second = below(ends.size());
    if (below(3) == 0) queue(below(kStreamKinds), first);
    const bool two = below(3) == 0;
    backend.send(1, Numbers::make(0, Number{number}),
                 two ? After{ends[first], ends[second]} : After{ends[first]});
    expected.push_back({two ? std::max(ends_ps[first], ends_ps[second]) : ends_ps[first], number});
    if (below(4) == 0) queue(below(kStreamKinds), second);
  }
  std::ranges::sort(expected);
  co_return;
}

TEST(MessageOrderTest, MessagesLeaveInTheirOrderWhenWorkEnds) {
  const Machine machine = ideal(2);
  const Costs costs = free_costs();
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SimulatedMachine clock(machine, costs, {0, 0}, 2, nullptr);
    std::vector<Arrived> arrived, expected;
    clock.start_role(0, sender(clock, seed, expected));
    clock.start_role(1, receiver(clock, 200, arrived));
    clock.run();
    EXPECT_EQ(arrived, expected) << "seed " << seed;
  }
}

/// Messages of a mini-batch that is cancelled are not sent; others that wait for it are, at once.
Task<> canceller(Backend& backend) {
  const WorkId work{0, 0};
  const Token end = backend.delay({0, StreamKind::compute}, picoseconds(1000), work);
  const Token other = backend.delay({0, StreamKind::compute}, picoseconds(1000), work);
  backend.send(1, Numbers::make(0, Number{1}), end, work);
  backend.send(1, Numbers::make(0, Number{2}), other, work);
  backend.send(1, Numbers::make(0, Number{3}), other);
  co_await backend.finished(0, backend.delay({0, StreamKind::push}, picoseconds(400), {}));
  backend.cancel(work);
}

TEST(MessageOrderTest, CancelledWorkSendsNothing) {
  const Machine machine = ideal(2);
  const Costs costs = free_costs();
  SimulatedMachine clock(machine, costs, {0, 0}, 2, nullptr);
  std::vector<Arrived> arrived;
  clock.start_role(0, canceller(clock));
  clock.start_role(1, receiver(clock, 1, arrived));
  clock.run();
  EXPECT_EQ(arrived, (std::vector<Arrived>{{400, 3}}));
}

/// A role takes what came while it did something else, and what came while it waited, in order.
Task<> late_receiver(Backend& backend, std::vector<std::int64_t>& numbers) {
  for (int i = 0; i < 4; ++i) {
    const Message message = co_await backend.receive(1);
    Numbers::read(message, [&](const Number& number) { numbers.push_back(number.value); });
    if (i == 0)
      co_await backend.finished(1, backend.delay({1, StreamKind::push}, picoseconds(50), {}));
  }
}

Task<> steady_sender(Backend& backend) {
  const Stream compute{0, StreamKind::compute};
  for (std::int64_t i = 0; i < 3; ++i)
    backend.send(1, Numbers::make(0, Number{i}), backend.delay(compute, picoseconds(10), {}));
  backend.send(1, Numbers::make(0, Number{3}), backend.delay(compute, picoseconds(90), {}));
  co_return;
}

TEST(MessageOrderTest, AMailboxKeepsItsOrder) {
  const Machine machine = ideal(2);
  const Costs costs = free_costs();
  SimulatedMachine clock(machine, costs, {0, 0}, 2, nullptr);
  std::vector<std::int64_t> numbers;
  clock.start_role(1, late_receiver(clock, numbers));
  clock.start_role(0, steady_sender(clock));
  clock.run();
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(clock.now().ps, 120);
}

}  // namespace
}  // namespace paceline
