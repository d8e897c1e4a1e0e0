// SPDX-License-Identifier: MIT
#include <future>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/exec/processes/several_groups.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;

TEST(GroupTest, AllMeetAndAreConnectedToEachOther) {
  std::mutex mutex;
  std::set<int> ranks;
  run_processes(4, [&](Group& group) {
    EXPECT_EQ(group.size(), 4);
    EXPECT_EQ(group.leads(), group.rank() == 0);
    for (int to = 0; to < 4; ++to) {
      FrameWriter frame(FrameKind::figures);
      group.send(to, frame.put(group.rank()));
    }
    for (int from = 0; from < 4; ++from) {
      if (from == group.rank()) continue;
      EXPECT_EQ(group.receive(from, FrameKind::figures).reader().take<int>(), from);
    }
    const std::lock_guard lock(mutex);
    ranks.insert(group.rank());
  });
  EXPECT_EQ(ranks, (std::set<int>{0, 1, 2, 3}));
}

TEST(GroupTest, TheWorstVerdictIsThatOfAll) {
  run_processes(3, [&](Group& group) {
    EXPECT_EQ(group.agree({}).verdict.kind, Verdict::Kind::good);
    Verdict mine;
    if (group.rank() == 1) mine = {Verdict::Kind::diverged, "one"};
    if (group.rank() == 2) mine = {Verdict::Kind::failed, "two"};
    const Group::Agreed agreed = group.agree(mine);
    EXPECT_EQ(agreed.verdict.kind, Verdict::Kind::failed);
    EXPECT_EQ(agreed.verdict.text, "two");
  });
}

TEST(GroupTest, ClocksOfOneComputerAreOneClock) {
  run_processes(2, [&](Group& group) {
    const ClockOffset offset = group.offset_of_leader();
    EXPECT_LE(std::abs(offset.offset_ns), offset.error_ns);
    EXPECT_LT(offset.error_ns, 50'000'000);
    group.agree({});
  });
}

/// A separate process that joins as number 1 and does nothing; killed and reaped at the end.
class Child {
 public:
  explicit Child(std::vector<Membership>& all) : process_(fork()) {
    if (process_ != 0) return;
    Group group(std::move(all[1]), "test");
    for (;;) pause();
  }
  ~Child() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  void send(int signal) const { kill(process_, signal); }

 private:
  pid_t process_;
};

TEST(GroupTest, AProcessThatIsKilledIsLostAtOnce) {
  std::vector<Membership> all = memberships(2);
  const Child child(all);
  Group group(std::move(all[0]), "test");
  EXPECT_FALSE(group.is_lost(1));
  child.send(SIGKILL);
  const auto start = steady_clock::now();
  EXPECT_THROW(group.receive(1, FrameKind::figures), ProcessLost);
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_TRUE(group.is_lost(1));
  EXPECT_THAT(group.loss(), AllOf(HasSubstr("process 1 ("), HasSubstr("was lost: its connection "
                                                                      "was closed")));
}

TEST(GroupTest, AProcessThatHangsIsLostOnceItHasBeenSilentForTooLong) {
  EXPECT_EQ(Membership{}.silence, std::chrono::seconds(5));  // the documented value
  std::vector<Membership> all = memberships(2);
  all[0].silence = std::chrono::seconds(1);
  const Child child(all);
  Group group(std::move(all[0]), "test");
  child.send(SIGSTOP);
  const auto start = steady_clock::now();
  EXPECT_THROW(group.receive(1, FrameKind::figures), ProcessLost);
  EXPECT_GT(steady_clock::now() - start, milliseconds(800));
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_THAT(group.loss(), HasSubstr("was lost: no heartbeat for 1 s"));
}

TEST(GroupTest, AProcessThatHasEndedIsAbsentButNotLost) {
  std::vector<Membership> all = memberships(2);
  std::jthread second([&] { const Group group(std::move(all[1]), "test"); });
  Group group(std::move(all[0]), "test");
  EXPECT_THROW(group.receive(1, FrameKind::figures), ProcessLost);
  EXPECT_EQ(group.loss(), "");
  EXPECT_THAT(group.absence(), AllOf(HasSubstr("process 1 ("), HasSubstr(") has ended")));
  EXPECT_EQ(group.agree({}).verdict.kind, Verdict::Kind::good);  // of the processes that are left
  const Verdict of_all = group.agree_with_all({}).verdict;
  EXPECT_EQ(of_all.kind, Verdict::Kind::failed);
  EXPECT_EQ(of_all.text, group.absence());
}

TEST(GroupTest, AProcessThatAnExceptionEndsIsLost) {
  std::vector<Membership> all = memberships(2);
  std::jthread second([&] {
    try {
      const Group group(std::move(all[1]), "test");
      throw std::runtime_error("out of luck");
    } catch (const std::runtime_error&) {
    }
  });
  Group group(std::move(all[0]), "test");
  EXPECT_THROW(group.receive(1, FrameKind::figures), ProcessLost);
  EXPECT_THAT(group.loss(), HasSubstr("was lost: its connection was closed"));
}

TEST(GroupTest, AProcessThatIsGivenUpReceivesTheReason) {
  std::vector<Membership> all = memberships(2);
  std::jthread second([&] {
    Group group(std::move(all[1]), "test");
    group.note_broken(0, "cannot connect to a:7700 (Connection timed out)");
  });
  Group group(std::move(all[0]), "test");
  EXPECT_THROW(group.receive(1, FrameKind::figures), ProcessLost);
  EXPECT_THAT(group.loss(), HasSubstr("was lost: it left the group (cannot connect to a:7700 "
                                      "(Connection timed out))"));
}

/// A process that has connections and sends nothing on them by itself.
std::future<Mesh> meet_later(Membership membership) {
  return std::async(std::launch::async, [own = std::move(membership)]() mutable {
    return meet(std::move(own), "test");
  });
}

TEST(GroupTest, AFrameOnASlowLinkMayTakeLongerThanTheLimitOfSilence) {
  std::vector<Membership> all = memberships(2);
  all[0].silence = milliseconds(400);
  std::future<Mesh> other = meet_later(std::move(all[1]));
  Group group(std::move(all[0]), "test");
  Mesh mesh = other.get();
  std::jthread slow([&] {
    FrameWriter frame(FrameKind::figures);
    frame.put_text(std::string(120, 'x'));
    for (auto rest = frame.bytes(); !rest.empty();) {  // 1 s in total, no heartbeat in between
      const auto piece = rest.first(std::min<std::size_t>(rest.size(), 6));
      try {
        mesh.control[0].send(piece);
      } catch (const ConnectionError&) {  // the group gave the process up
        return;
      }
      rest = rest.subspan(piece.size());
      std::this_thread::sleep_for(milliseconds(45));
    }
  });
  const auto start = steady_clock::now();
  EXPECT_EQ(group.receive(1, FrameKind::figures).reader().take_text(), std::string(120, 'x'));
  EXPECT_GT(steady_clock::now() - start, milliseconds(800));
  slow.join();
  EXPECT_THROW(group.receive(1, FrameKind::figures), ProcessLost);
  EXPECT_THAT(group.loss(), HasSubstr("no heartbeat for 400 ms"));
}

TEST(GroupTest, AProcessThatReceivesNothingIsLostToTheSender) {
  std::vector<Membership> all = memberships(2);
  all[0].silence = milliseconds(400);
  std::future<Mesh> other = meet_later(std::move(all[1]));
  Group group(std::move(all[0]), "test");
  Mesh mesh = other.get();
  std::jthread alive([&](const std::stop_token& enough) {
    while (!enough.stop_requested()) {  // alive, but reads nothing
      mesh.control[0].send_now(FrameWriter(FrameKind::heartbeat));
      std::this_thread::sleep_for(milliseconds(50));
    }
  });
  FrameWriter frame(FrameKind::figures);
  frame.put_text(std::string(40U << 20, 'x'));
  const auto start = steady_clock::now();
  group.send(1, frame);
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_TRUE(group.is_lost(1));
  EXPECT_THAT(group.loss(), HasSubstr("sending failed (Connection timed out)"));
}

TEST(GroupTest, UnreadFramesAreDroppedAtTheNextAgreement) {
  run_processes(2, [](Group& group) {
    if (!group.leads()) {
      FrameWriter aborted(FrameKind::events);
      group.send(0, aborted.put(1));
      group.agree({});
      FrameWriter next(FrameKind::events);
      group.send(0, next.put(2));
      group.agree({Verdict::Kind::failed, "why"});
      return;
    }
    group.agree({});
    EXPECT_EQ(group.receive(1, FrameKind::events, FrameKind::ready).reader().take<int>(), 2);
    const Frame end = group.receive(1, FrameKind::events, FrameKind::ready);
    EXPECT_EQ(end.kind, FrameKind::ready);
    FrameReader ready = end.reader();
    EXPECT_EQ(read_verdict(ready).text, "why");
    EXPECT_EQ(group.agree({}).verdict.text, "why");  // it was still in the queue
  });
}

TEST(GroupTest, RunsAreCountedOn) {
  run_processes(2, [](Group& group) {
    const std::uint32_t first = group.next_run();
    EXPECT_GT(group.next_run(), first);
    group.agree({});
  });
}

}  // namespace
}  // namespace paceline
