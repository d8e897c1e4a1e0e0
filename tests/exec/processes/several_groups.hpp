// SPDX-License-Identifier: MIT
/// \file
/// A group of processes for tests: each is a thread of this process, and they meet on the loopback.
#pragma once
#include <functional>
#include <thread>
#include <vector>

#include "exec/processes/connect.hpp"
#include "exec/processes/group.hpp"

namespace paceline {

/// The memberships of processes 0 to size - 1; process 0 already listens.
inline std::vector<Membership> memberships(int size) {
  std::vector<Membership> all(static_cast<std::size_t>(size));
  const Secret secret = all.front().secret;
  all.front().listener.emplace(Endpoint{"127.0.0.1", 0}, secret);
  const Endpoint leader{"127.0.0.1", all.front().listener->port()};
  for (int rank = 0; rank < size; ++rank) {
    Membership& one = all[static_cast<std::size_t>(rank)];
    one.rank = rank;
    one.size = size;
    one.secret = secret;
    one.leader = {leader};
  }
  return all;
}

/// Connects within 3 s and proves the secret.
inline Connection connect_with(const Secret& secret, const Endpoint& there) {
  return connect_to(std::make_shared<EventLoop>(), std::span(&there, 1), secret,
                    std::chrono::steady_clock::now() + std::chrono::milliseconds(3000));
}

/// Runs `work(group)` on each process.
inline void run_processes(int size, const std::function<void(Group&)>& work) {
  std::vector<std::jthread> threads;
  for (Membership& membership : memberships(size)) {
    threads.emplace_back([&work, own = std::move(membership)]() mutable {
      Group group(std::move(own), "test");
      work(group);
    });
  }
}

}  // namespace paceline
