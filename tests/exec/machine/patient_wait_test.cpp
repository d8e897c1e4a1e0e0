// SPDX-License-Identifier: MIT
#include "exec/machine/patient_wait.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace paceline {
namespace {

/// How often `look_again` looks, where the third look finds what it looks for.
int looks(Seconds patience) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  int count = 0;
  look_again(lock, patience, [&] { return ++count == 3; });
  EXPECT_TRUE(lock.owns_lock());
  return count;
}

TEST(PatientWaitTest, ReturnsOnceItIsReady) {
  EXPECT_EQ(looks(Seconds{3600}), 3);
}

TEST(PatientWaitTest, WithoutPatienceItDoesNotLook) {
  EXPECT_EQ(looks(Seconds{}), 0);
}

TEST(PatientWaitTest, GivesUpWhenItsPatienceIsOver) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  bool looked = false;
  look_again(lock, Seconds{1e-6}, [&] {
    looked = true;
    return false;
  });
  EXPECT_TRUE(looked);
  EXPECT_TRUE(lock.owns_lock());
}

TEST(PatientWaitTest, OthersMayTakeTheLockMeanwhile) {
  std::mutex mutex;
  bool ready = false;
  std::unique_lock lock(mutex);
  std::thread other([&] {
    const std::lock_guard mine(mutex);
    ready = true;
  });
  look_again(lock, Seconds{3600}, [&] { return ready; });
  EXPECT_TRUE(ready);
  other.join();
}

}  // namespace
}  // namespace paceline
