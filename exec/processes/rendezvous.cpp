// SPDX-License-Identifier: MIT
#include "exec/processes/rendezvous.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

#include "exec/processes/connect.hpp"
#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// After a refusal, processes that join within this time are refused for the same reason.
constexpr milliseconds kRefusals{5000};
// Time beyond the patience of process 0 in which its answer to a join must arrive.
constexpr milliseconds kAnswer{2000};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// The first frame of a process to process 0.
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
  join.host = from.take_line();
  join.identity = from.take_text();
  return join;
}

[[noreturn]] void fail(const std::string& why) {
  throw SpecError("paceline: error: " + why);
}

/// The reason why a process cannot join the group of process 0; "" if it can.
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
        mesh_{{}, {}, {}, self_.secret, listen()} {
    const auto size = static_cast<std::size_t>(self_.size);
    mesh_.control.resize(size);
    mesh_.hosts.resize(size);
    mesh_.endpoints.resize(size);
    own_ = {self_.rank, self_.size, mesh_.listener.port(), host_name(), identity};
  }

  Mesh hold() {
    if (self_.size > 1) self_.rank == 0 ? lead() : join();
    mesh_.hosts[static_cast<std::size_t>(self_.rank)] = own_.host;
    return std::move(mesh_);
  }

 private:
  /// Processes other than 0 listen only at the address from which they reach process 0.
  Listener listen() {
    if (self_.listener) return std::move(*self_.listener);
    const Endpoint& leader = self_.leader.front();
    if (self_.rank == 0) return {to_listen_at(leader), self_.secret};
    const auto loop = std::make_shared<EventLoop>();
    try {
      leader_ = connect_to(loop, self_.leader, self_.secret, until_);
    } catch (const WrongSecret& error) {
      fail("process 0 (" + to_string(leader) + "): " + error.what());
    }
    return {{leader_.own_host(), self_.port}, self_.secret, loop};
  }
  Connection& control(int rank) { return mesh_.control[static_cast<std::size_t>(rank)]; }

  void renew_patience(milliseconds patience) { until_ = Clock::now() + patience; }

  void lead() {
    mesh_.endpoints[0].port = own_.port;
    while (count_joined() < self_.size) {
      if (Clock::now() >= until_) give_up();
      auto joining = next_join();
      if (!joining) continue;
      auto& [connection, join] = *joining;
      count_joined();  // drops processes that have ended
      if (const std::string why = unfit(join, own_, mesh_); !why.empty()) {
        refuse(connection, why);
        refuse_all(why, 1 + refuse_joined(why), std::max(self_.size, join.size));
      }
      const auto rank = static_cast<std::size_t>(join.rank);
      mesh_.endpoints[rank] = {connection.peer_host(), join.port};
      mesh_.hosts[rank] = join.host;
      mesh_.control[rank] = std::move(connection);
    }
    FrameWriter table(FrameKind::welcome);
    table.put_text(own_.host);
    for (int rank = 1; rank < self_.size; ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      table.put_text(mesh_.hosts[index]).put_text(mesh_.endpoints[index].host);
      table.put(mesh_.endpoints[index].port);
    }
    for (int rank = 1; rank < self_.size; ++rank) control(rank).send(table);
  }

  std::optional<std::pair<Connection, Join>> next_join() {
    std::optional<Accepted> next = mesh_.listener.accept(until_);
    if (!next || next->hello.kind != FrameKind::join) return std::nullopt;
    try {
      return std::pair(std::move(next->connection), read_join(next->hello.reader()));
    } catch (const ProtocolError&) {
      return std::nullopt;
    }
  }

  /// The number of processes that have joined and not ended. A restarted process joins again.
  int count_joined() {
    int count = 1;
    for (Connection& joined : mesh_.control) {
      if (joined.open() && joined.ended()) joined = Connection();
      if (joined.open()) ++count;
    }
    return count;
  }

  /// No group is formed: processes that join later are refused for the same reason, for a while.
  [[noreturn]] void refuse_all(const std::string& why, int refused, int size) {
    renew_patience(std::min(self_.patience, kRefusals));
    while (refused < size - 1 && Clock::now() < until_) {
      auto joining = next_join();
      if (!joining) continue;
      refuse(joining->first, why);
      ++refused;
    }
    fail(why);
  }

  /// Returns the number of refused processes.
  int refuse_joined(const std::string& why) {
    int refused = 0;
    for (Connection& joined : mesh_.control) {
      if (!joined.open()) continue;
      refuse(joined, why);
      ++refused;
    }
    return refused;
  }

  [[noreturn]] void give_up() {
    const int joined = count_joined();
    const int rejected = mesh_.listener.rejected();
    const std::string why =
        "only " + std::to_string(joined) + " of " + std::to_string(self_.size) +
        " processes joined within " + to_text(self_.patience) + " (missing: process " +
        missing_from(1) +
        (rejected > 0 ? "; connections with another secret: " + std::to_string(rejected) : "") +
        ")";
    refuse_joined(why);
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
      leader_.expires_after(self_.patience + kAnswer);
      leader_.send(frame_of(own_));
      leader_.receive(answer);
    } catch (const ConnectionError&) {
      throw ConnectionError("process 0 (" + to_string(self_.leader.front()) +
                            ") did not start the group (see its output)");
    }
    leader_.expires_never();
    FrameReader table = answer.reader();
    if (answer.kind == FrameKind::refuse) fail(table.take_line());
    if (answer.kind != FrameKind::welcome) {
      throw ProtocolError("process 0 replied to a join with frame kind " +
                          std::to_string(static_cast<int>(answer.kind)) + ", expected " +
                          std::to_string(static_cast<int>(FrameKind::welcome)));
    }
    for (std::size_t rank = 0; rank < mesh_.hosts.size(); ++rank) {
      mesh_.hosts[rank] = table.take_line();
      if (rank == 0) continue;
      mesh_.endpoints[rank].host = table.take_text();
      mesh_.endpoints[rank].port = table.take<std::uint16_t>();
    }
    control(0) = std::move(leader_);
    renew_patience(self_.patience);  // the last process may have joined much later
    connect_to_lower();
    accept_higher();
  }

  /// Of two processes, the one with the higher rank opens the connection.
  void connect_to_lower() {
    for (int rank = 1; rank < self_.rank; ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      try {
        control(rank) = connect_to(mesh_.listener.loop(), std::span(&mesh_.endpoints[index], 1),
                                   self_.secret, until_);
      } catch (const ConnectionError& error) {
        throw ConnectionError("process " + std::to_string(rank) + " (" + mesh_.hosts[index] +
                              ") is unreachable: " + error.what());
      }
      FrameWriter hello(FrameKind::peer);
      control(rank).send(hello.put(self_.rank).put_text(own_.identity));
    }
  }

  void accept_higher() {
    for (int missing = self_.size - 1 - self_.rank; missing > 0;) {
      std::optional<Accepted> next = mesh_.listener.accept(until_);
      if (!next && Clock::now() >= until_) {
        throw ConnectionError("no connection from process " + missing_from(self_.rank + 1) +
                              " at " + to_string(Endpoint{control(0).own_host(), own_.port}) +
                              " within " + to_text(self_.patience));
      }
      if (!next || !is_higher_peer(next->hello)) continue;
      control(next->hello.reader().take<int>()) = std::move(next->connection);
      --missing;
    }
  }

  bool is_higher_peer(const Frame& frame) {
    if (frame.kind != FrameKind::peer) return false;
    try {
      FrameReader hello = frame.reader();
      const auto rank = hello.take<int>();
      return rank > self_.rank && rank < self_.size && !control(rank).open() &&
             hello.take_text() == own_.identity;
    } catch (const ProtocolError&) {
      return false;
    }
  }

  Membership self_;
  Clock::time_point until_;
  Connection leader_;  ///< to process 0; used by the other processes
  Mesh mesh_;
  Join own_;
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
