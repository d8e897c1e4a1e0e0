// SPDX-License-Identifier: MIT
/// \file
/// A group of processes for tests: each is a thread of this one, and they meet on the loopback.
#pragma once
#include <functional>
#include <thread>
#include <vector>

#include "exec/processes/group.hpp"

namespace paceline {

/// What the processes 0 to size - 1 know before they meet; process 0 listens already.
inline std::vector<Membership> memberships(int size) {
  std::vector<Membership> all(static_cast<std::size_t>(size));
  all.front().listener.emplace(Endpoint{"127.0.0.1", 0});
  const Endpoint leader{"127.0.0.1", all.front().listener->port()};
  for (int rank = 0; rank < size; ++rank) {
    Membership& one = all[static_cast<std::size_t>(rank)];
    one.rank = rank;
    one.size = size;
    one.leader = {leader};
  }
  return all;
}

/// Each process does `work(group)`.
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
