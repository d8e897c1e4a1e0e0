// SPDX-License-Identifier: MIT
#include <future>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/diagnostics.hpp"
#include "tests/exec/processes/several_groups.hpp"

namespace paceline {
namespace {

using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;

TEST(GroupTest, AllMeetAndKnowEachOther) {
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

/// What every process says when those of `identities` meet.
std::vector<std::string> refusals(std::vector<Membership> all,
                                  const std::vector<std::string>& identities) {
  std::vector<std::future<std::string>> said;
  for (std::size_t i = 0; i < all.size(); ++i) {
    said.push_back(std::async(std::launch::async, [&, i] {
      try {
        meet(std::move(all[i]), identities[i]);
      } catch (const std::runtime_error& error) {
        return std::string(error.what());
      }
      return std::string("met");
    }));
  }
  std::vector<std::string> texts;
  for (auto& one : said) texts.push_back(one.get());
  return texts;
}

TEST(GroupTest, AnotherExperimentIsOneClearErrorOnAll) {
  for (const std::string& text : refusals(memberships(3), {"a", "a", "b"})) {
    EXPECT_THAT(text, AllOf(HasSubstr("process 2 ("), HasSubstr("runs another experiment")));
  }
}

TEST(GroupTest, OtherNumbersOfProcessesAreRefused) {
  std::vector<Membership> all = memberships(2);
  all[1].size = 3;
  for (const std::string& text : refusals(std::move(all), {"a", "a"})) {
    EXPECT_THAT(text, HasSubstr("is one of 3 processes and process 0 one of 2"));
  }
}

TEST(GroupTest, TwoProcessesWithOneNumberAreRefused) {
  std::vector<Membership> all = memberships(3);
  all[2].rank = 1;
  const std::vector<std::string> said = refusals(std::move(all), {"a", "a", "a"});
  for (const std::string& text : said) {
    EXPECT_THAT(text, HasSubstr("two processes say that they are process 1"));
  }
}

TEST(GroupTest, WhoDoesNotComeIsNamed) {
  std::vector<Membership> all = memberships(4);
  for (Membership& one : all) one.patience = std::chrono::milliseconds(300);
  all.erase(all.begin() + 3);
  all.erase(all.begin() + 1);
  for (const std::string& text : refusals(std::move(all), {"a", "a"})) {
    EXPECT_THAT(text, HasSubstr("only 2 of 4 processes have come"));
    EXPECT_THAT(text, HasSubstr("missing: process 1, 3"));
  }
}

TEST(GroupTest, StrangersAtTheDoorAreNobody) {
  std::vector<Membership> all = memberships(2);
  const Endpoint leader = all.front().leader.front();
  std::future<Mesh> first =
      std::async(std::launch::async, [&] { return meet(std::move(all[0]), "a"); });
  Connection stranger =
      connect_to(std::span(&leader, 1), steady_clock::now() + std::chrono::seconds(5));
  const std::string noise = "GET / HTTP/1.1\r\n\r\n";
  stranger.send(std::as_bytes(std::span(noise)));
  const Mesh second = meet(std::move(all[1]), "a");
  EXPECT_TRUE(second.control[0].open());
  EXPECT_TRUE(first.get().control[1].open());
}

/// A process of its own that joins as number 1 and does nothing; killed and buried at the end.
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

TEST(GroupTest, AProcessThatHangsIsLostAfterFiveSeconds) {
  std::vector<Membership> all = memberships(2);
  const Child child(all);
  Group group(std::move(all[0]), "test");
  child.send(SIGSTOP);
  const auto start = steady_clock::now();
  EXPECT_THROW(group.receive(1, FrameKind::figures), ProcessLost);
  EXPECT_GT(steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(8));
  EXPECT_THAT(group.loss(), HasSubstr("was lost: no heartbeat for 5 s"));
}

TEST(GroupTest, WhoSaysGoodbyeIsNotLost) {
  std::vector<Membership> all = memberships(2);
  std::jthread second([&] { const Group group(std::move(all[1]), "test"); });
  Group group(std::move(all[0]), "test");
  EXPECT_THROW(group.receive(1, FrameKind::figures), ProcessLost);
  EXPECT_EQ(group.loss(), "");
}

}  // namespace
}  // namespace paceline
