// SPDX-License-Identifier: MIT
#include "exec/processes/rendezvous.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

#include "experiments/diagnostics.hpp"

namespace paceline {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// What a stranger gets to say who it is.
constexpr milliseconds kIntroduction{2000};
// For how long processes that come after one that does not fit are told so, too.
constexpr milliseconds kRefusals{5000};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// What a process says of itself.
struct Join {
  int rank = 0;
  int size = 0;
  std::uint16_t port = 0;
  std::string host;
  std::string identity;
};

FrameWriter frame_of(const Join& join) {
  FrameWriter frame(FrameKind::join);
  frame.put(join.rank).put(join.size).put(join.port).put_text(join.host).put_text(join.identity);
  return frame;
}

Join read_join(FrameReader from) {
  Join join;
  join.rank = from.take<int>();
  join.size = from.take<int>();
  join.port = from.take<std::uint16_t>();
  join.host = from.take_text();
  join.identity = from.take_text();
  return join;
}

[[noreturn]] void fail(const std::string& why) {
  throw SpecError("paceline: error: " + why);
}

/// Why a process cannot be of the group of process 0; "" if it can.
std::string unfit(const Join& join, const Join& leader, const Mesh& mesh) {
  const std::string name = "process " + std::to_string(join.rank) + " (" + join.host + ")";
  if (join.size != leader.size) {
    return name + " expects " + std::to_string(join.size) + " processes, process 0 expects " +
           std::to_string(leader.size) + " (start all with the same --processes)";
  }
  if (join.rank < 1 || join.rank >= leader.size) {
    return name + " has a rank outside 1 to " + std::to_string(leader.size - 1) +
           " (correct its --rank)";
  }
  if (mesh.control[static_cast<std::size_t>(join.rank)].open()) {
    return "two processes have rank " + std::to_string(join.rank) + " (give each its own --rank)";
  }
  if (join.identity != leader.identity) {
    return name + " runs another experiment, or another build of paceline, than process 0 (" +
           leader.host + ") (start all with the same files, options and program)";
  }
  return "";
}

class Meeting {
 public:
  Meeting(Membership membership, const std::string& identity)
      : self_(std::move(membership)),
        until_(Clock::now() + self_.patience),
        mesh_{{}, {}, {}, listen()} {
    const auto size = static_cast<std::size_t>(self_.size);
    mesh_.control.resize(size);
    mesh_.hosts.resize(size);
    mesh_.endpoints.resize(size);
    said_ = {self_.rank, self_.size, mesh_.listener.port(), host_name(), identity};
  }

  Mesh hold() {
    if (self_.size > 1) self_.rank == 0 ? welcome_all() : join();
    mesh_.hosts[static_cast<std::size_t>(self_.rank)] = said_.host;
    return std::move(mesh_);
  }

 private:
  /// The others listen where they reach process 0 from, and nowhere else.
  Listener listen() {
    if (self_.listener) return std::move(*self_.listener);
    if (self_.rank == 0) return Listener(to_listen_at(self_.leader.front()));
    leader_ = connect_to(self_.leader, until_);
    return Listener({leader_.own_host(), self_.port});
  }
  Connection& control(int rank) { return mesh_.control[static_cast<std::size_t>(rank)]; }

  void renew_patience(milliseconds patience) { until_ = Clock::now() + patience; }

  /// Whoever comes next and can introduce itself; others are none of ours.
  std::optional<std::pair<Connection, Frame>> next(FrameKind kind) {
    const auto left = std::chrono::duration_cast<milliseconds>(until_ - Clock::now());
    std::optional<Connection> caller = mesh_.listener.accept(std::max(left, milliseconds{0}));
    if (!caller) return std::nullopt;
    Frame frame;
    try {
      caller->limit_waits(kIntroduction);
      caller->receive(frame);
      caller->limit_waits(milliseconds{0});
    } catch (const std::runtime_error&) {
      return std::nullopt;
    }
    if (frame.kind != kind) return std::nullopt;
    return std::pair(std::move(*caller), std::move(frame));
  }

  void welcome_all() {
    mesh_.endpoints[0].port = said_.port;
    while (count_here() < self_.size) {
      if (Clock::now() >= until_) give_up();
      auto came = next_join();
      if (!came) continue;
      auto& [caller, join] = *came;
      count_here();  // who has ended makes room
      if (const std::string why = unfit(join, said_, mesh_); !why.empty()) {
        refuse(caller, why);
        refuse_all(why, 1 + refuse_here(why), std::max(self_.size, join.size));
      }
      const auto rank = static_cast<std::size_t>(join.rank);
      mesh_.endpoints[rank] = {caller.peer_host(), join.port};
      mesh_.hosts[rank] = join.host;
      mesh_.control[rank] = std::move(caller);
    }
    FrameWriter table(FrameKind::welcome);
    table.put_text(said_.host);
    for (int rank = 1; rank < self_.size; ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      table.put_text(mesh_.hosts[index]).put_text(mesh_.endpoints[index].host);
      table.put(mesh_.endpoints[index].port);
    }
    for (int rank = 1; rank < self_.size; ++rank) control(rank).send(table);
  }

  std::optional<std::pair<Connection, Join>> next_join() {
    auto came = next(FrameKind::join);
    if (!came) return std::nullopt;
    try {
      return std::pair(std::move(came->first), read_join(came->second.reader()));
    } catch (const ProtocolError&) {
      return std::nullopt;
    }
  }

  /// How many have come and are still there. Who has been started again comes again.
  int count_here() {
    int here = 1;
    for (Connection& joined : mesh_.control) {
      if (joined.open() && joined.ended()) joined = Connection();
      if (joined.open()) ++here;
    }
    return here;
  }

  /// There is no group: the others of `size` hear why as they come, for a while.
  [[noreturn]] void refuse_all(const std::string& why, int refused, int size) {
    renew_patience(std::min(self_.patience, kRefusals));
    while (refused < size - 1 && Clock::now() < until_) {
      auto came = next_join();
      if (!came) continue;
      refuse(came->first, why);
      ++refused;
    }
    fail(why);
  }

  /// How many.
  int refuse_here(const std::string& why) {
    int refused = 0;
    for (Connection& joined : mesh_.control) {
      if (!joined.open()) continue;
      refuse(joined, why);
      ++refused;
    }
    return refused;
  }

  [[noreturn]] void give_up() {
    const int here = count_here();
    const std::string why = "only " + std::to_string(here) + " of " + std::to_string(self_.size) +
                            " processes joined within " + to_text(self_.patience) +
                            " (missing: process " + missing_from(1) + ")";
    refuse_here(why);
    throw ConnectionError(why);
  }
  /// "1, 3"
  std::string missing_from(int first) {
    std::string all;
    for (int rank = first; rank < self_.size; ++rank) {
      if (!control(rank).open()) all += (all.empty() ? "" : ", ") + std::to_string(rank);
    }
    return all;
  }

  void join() {
    mesh_.endpoints[0] = {leader_.peer_host(), leader_.peer_port()};
    Frame answer;
    try {
      leader_.send(frame_of(said_));
      leader_.limit_waits(self_.patience + kIntroduction);
      leader_.receive(answer);
    } catch (const ConnectionError&) {
      throw ConnectionError("process 0 (" + to_string(self_.leader.front()) +
                            ") did not start the group (see its output)");
    }
    leader_.limit_waits(milliseconds{0});
    FrameReader table = answer.reader();
    if (answer.kind == FrameKind::refuse) fail(table.take_text());
    if (answer.kind != FrameKind::welcome) {
      throw ProtocolError("process 0 replied to a join with frame kind " +
                          std::to_string(static_cast<int>(answer.kind)) + ", expected " +
                          std::to_string(static_cast<int>(FrameKind::welcome)));
    }
    for (std::size_t rank = 0; rank < mesh_.hosts.size(); ++rank) {
      mesh_.hosts[rank] = table.take_text();
      if (rank == 0) continue;
      mesh_.endpoints[rank].host = table.take_text();
      mesh_.endpoints[rank].port = table.take<std::uint16_t>();
    }
    control(0) = std::move(leader_);
    renew_patience(self_.patience);  // others may have come much later
    call_lower();
    await_higher();
  }

  /// Of two, the one with the higher number calls.
  void call_lower() {
    for (int rank = 1; rank < self_.rank; ++rank) {
      const Endpoint& there = mesh_.endpoints[static_cast<std::size_t>(rank)];
      try {
        control(rank) = connect_to(std::span(&there, 1), until_);
      } catch (const ConnectionError& error) {
        throw ConnectionError("process " + std::to_string(rank) + " (" +
                              mesh_.hosts[static_cast<std::size_t>(rank)] +
                              ") is unreachable: " + error.what());
      }
      FrameWriter hello(FrameKind::peer);
      control(rank).send(hello.put(self_.rank).put_text(said_.identity));
    }
  }

  void await_higher() {
    for (int waiting = self_.size - 1 - self_.rank; waiting > 0;) {
      if (Clock::now() >= until_) {
        throw ConnectionError("no connection from process " + missing_from(self_.rank + 1) +
                              " at " + to_string(Endpoint{control(0).own_host(), said_.port}) +
                              " within " + to_text(self_.patience));
      }
      auto came = next(FrameKind::peer);
      if (!came) continue;
      FrameReader hello = came->second.reader();
      const auto rank = hello.take<int>();
      if (rank <= self_.rank || rank >= self_.size || control(rank).open() ||
          hello.take_text() != said_.identity) {
        continue;
      }
      control(rank) = std::move(came->first);
      --waiting;
    }
  }

  Membership self_;
  Clock::time_point until_;
  Connection leader_;  ///< of the others, to process 0
  Mesh mesh_;
  Join said_;
};

}  // namespace

std::string to_text(milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s"
                                  : std::to_string(time.count()) + " ms";
}

Mesh meet(Membership membership, const std::string& identity) {
  return Meeting(std::move(membership), identity).hold();
}

}  // namespace paceline
