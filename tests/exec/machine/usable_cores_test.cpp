// SPDX-License-Identifier: MIT
#include "exec/machine/usable_cores.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <sched.h>

#include "exec/machine/stream_thread.hpp"

namespace paceline {
namespace {

TEST(UsableCoresTest, EachHasASocketAndSocketsAreNumberedFromZero) {
  const std::vector<int> sockets = sockets_of_cores();
  ASSERT_EQ(static_cast<int>(sockets.size()), usable_cores());
  EXPECT_EQ(sockets.front(), 0);
  int seen = 0;
  for (const int socket : sockets) {
    EXPECT_LE(socket, seen);
    seen = std::max(seen, socket + 1);
  }
}

/// The number of cores that a thread at `place` may use, once that is `expected`.
int cores_of_thread(const ThreadPlace& place, int expected) {
  WallTime time;
  int cores = 0;
  {
    StreamThread thread(time, "placed", place);
    thread.add([&] {
      // the constructor pins the thread while this may run already
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (cores != expected && std::chrono::steady_clock::now() < deadline) {
        cores = usable_cores();
        sched_yield();
      }
    });
  }
  return cores;
}

TEST(StreamThreadTest, StaysOnItsCores) {
  EXPECT_EQ(cores_of_thread({}, usable_cores()), usable_cores());
  EXPECT_EQ(cores_of_thread({{0}, true}, 1), 1);
  if (usable_cores() < 2) GTEST_SKIP() << "one core";
  EXPECT_EQ(cores_of_thread({{0, 1}}, 2), 2);
}

}  // namespace
}  // namespace paceline
