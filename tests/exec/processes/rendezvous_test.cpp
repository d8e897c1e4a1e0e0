// SPDX-License-Identifier: MIT
#include "exec/processes/rendezvous.hpp"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/diagnostics.hpp"
#include "tests/exec/processes/several_groups.hpp"
#include "tests/exec/processes/stranger.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;

/// The error of every process if processes with these `identities` meet.
std::vector<std::string> refusals(std::vector<Membership> all,
                                  const std::vector<std::string>& identities) {
  std::vector<std::future<std::string>> futures;
  for (std::size_t i = 0; i < all.size(); ++i) {
    futures.push_back(std::async(std::launch::async, [&, i] {
      try {
        meet(std::move(all[i]), identities[i]);
      } catch (const std::runtime_error& error) {
        return std::string(error.what());
      }
      return std::string("met");
    }));
  }
  std::vector<std::string> texts;
  for (auto& one : futures) texts.push_back(one.get());
  return texts;
}

TEST(RendezvousTest, AnotherExperimentIsOneClearErrorOnAll) {
  for (const std::string& text : refusals(memberships(3), {"a", "a", "b"})) {
    EXPECT_THAT(text, AllOf(HasSubstr("process 2 ("), HasSubstr("runs another experiment")));
  }
}

TEST(RendezvousTest, AnotherNumberOfProcessesIsRefused) {
  std::vector<Membership> all = memberships(2);
  all[1].size = 3;
  all[0].patience = milliseconds(300);  // process 0 waits for a third process
  for (const std::string& text : refusals(std::move(all), {"a", "a"})) {
    EXPECT_THAT(text, HasSubstr("expects 3 processes, process 0 expects 2"));
  }
}

TEST(RendezvousTest, TwoProcessesOfOneRankAreRefused) {
  std::vector<Membership> all = memberships(3);
  all[2].rank = 1;
  const std::vector<std::string> errors = refusals(std::move(all), {"a", "a", "a"});
  for (const std::string& text : errors) {
    EXPECT_THAT(text, HasSubstr("two processes have rank 1"));
  }
}

TEST(RendezvousTest, MissingProcessesAreNamed) {
  std::vector<Membership> all = memberships(4);
  for (Membership& one : all) one.patience = milliseconds(300);
  all.erase(all.begin() + 3);
  all.erase(all.begin() + 1);
  for (const std::string& text : refusals(std::move(all), {"a", "a"})) {
    EXPECT_THAT(text, HasSubstr("only 2 of 4 processes joined"));
    EXPECT_THAT(text, HasSubstr("missing: process 1, 3"));
  }
}

/// The result of meeting on a thread: "met", or the error.
std::future<std::string> meet_on_a_thread(Membership membership, const std::string& identity) {
  return std::async(std::launch::async,
                    [own = std::move(membership), identity]() mutable -> std::string {
                      try {
                        meet(std::move(own), identity);
                      } catch (const std::runtime_error& error) {
                        return error.what();
                      }
                      return "met";
                    });
}

/// The frame by which process `rank` of `size` joins.
FrameWriter join_of(int rank, int size, const std::string& identity) {
  FrameWriter join(FrameKind::join);
  join.put(rank).put(size).put(std::uint16_t{1}).put_text("first").put_text(identity);
  return join;
}

/// Two processes meet although strangers have connected to process 0 before.
void expect_meeting_beside(const std::function<void(const Endpoint&)>& strangers) {
  std::vector<Membership> all = memberships(2);
  const Endpoint leader = all.front().leader.front();
  std::future<Mesh> first =
      std::async(std::launch::async, [&] { return meet(std::move(all[0]), "a"); });
  strangers(leader);
  const auto start = steady_clock::now();
  const Mesh second = meet(std::move(all[1]), "a");
  EXPECT_TRUE(second.control[0].open());
  EXPECT_TRUE(first.get().control[1].open());
  EXPECT_LT(steady_clock::now() - start, milliseconds(2000));
}

TEST(RendezvousTest, UnauthenticatedConnectionsDoNotDisturbAMeeting) {
  std::vector<std::unique_ptr<Stranger>> idle;
  expect_meeting_beside([&](const Endpoint& leader) {
    idle = idle_strangers(leader, 40);
    const std::string noise = "GET / HTTP/1.1\r\n\r\n";
    idle.front()->send(std::as_bytes(std::span(noise)));
  });
}

TEST(RendezvousTest, AnUnauthenticatedJoinEndsNothing) {
  expect_meeting_beside([](const Endpoint& leader) {
    Stranger stranger(leader);
    EXPECT_FALSE(stranger.shake_hands(Secret()));
    stranger.send(join_of(1, 99, "another identity").bytes());
  });
}

TEST(RendezvousTest, APeerFrameWithoutContentIsIgnored) {
  std::vector<Membership> all = memberships(3);
  const Secret secret = all[0].secret;
  const Endpoint there = all[0].leader.front();
  std::future<std::string> leader = meet_on_a_thread(std::move(all[0]), "a");
  std::future<Mesh> second =
      std::async(std::launch::async, [&] { return meet(std::move(all[1]), "a"); });
  Connection third = connect_with(secret, there);
  third.send(join_of(2, 3, "a"));
  Frame welcome;
  third.receive(welcome);
  FrameReader table = welcome.reader();
  table.take_text();  // the host of process 0
  table.take_text();  // the host of process 1 and the address at which it listens
  Endpoint of_second{table.take_text(), 0};
  of_second.port = table.take<std::uint16_t>();
  Connection empty = connect_with(secret, of_second);
  empty.send(FrameWriter(FrameKind::peer));
  Connection good = connect_with(secret, of_second);
  FrameWriter hello(FrameKind::peer);
  good.send(hello.put(2).put_text("a"));
  EXPECT_TRUE(second.get().control[2].open());
  EXPECT_EQ(leader.get(), "met");
}

TEST(RendezvousTest, AnotherSecretIsAnErrorAtOnceAndCountedByProcessZero) {
  std::vector<Membership> all = memberships(2);
  all[0].patience = milliseconds(600);
  all[1].secret = Secret();
  std::future<std::string> leader = meet_on_a_thread(std::move(all[0]), "a");
  EXPECT_THAT(meet_on_a_thread(std::move(all[1]), "a").get(),
              AllOf(HasSubstr("process 0 (127.0.0.1:"), HasSubstr("it has another secret")));
  EXPECT_THAT(leader.get(), HasSubstr("missing: process 1; connections with another secret: 1)"));
}

TEST(RendezvousTest, TextOfAnotherProcessCannotControlTheTerminal) {
  std::vector<Membership> all = memberships(2);
  const Secret secret = all[0].secret;
  const Endpoint there = all[0].leader.front();
  std::future<std::string> leader = meet_on_a_thread(std::move(all[0]), "a");
  Connection one = connect_with(secret, there);
  FrameWriter join(FrameKind::join);
  one.send(join.put(1)
               .put(2)
               .put(std::uint16_t{1})
               .put_text("\x1b[2J" + std::string(5000, 'x') + "\n")
               .put_text("b"));
  const std::string error = leader.get();
  EXPECT_THAT(error, HasSubstr("process 1 (\\x1b[2Jxxx"));
  EXPECT_LT(error.size(), 1500U);
  EXPECT_TRUE(std::none_of(error.begin(), error.end(), [](char c) { return c < 0x20; }));
}

TEST(RendezvousTest, ProcessesThatJoinAfterARefusalReceiveItsReason) {
  std::vector<Membership> all = memberships(4);
  for (Membership& one : all) one.patience = milliseconds(3000);
  std::future<std::string> leader = meet_on_a_thread(std::move(all[0]), "a");
  const std::string third = meet_on_a_thread(std::move(all[3]), "b").get();
  EXPECT_THAT(third, AllOf(HasSubstr("process 3 ("), HasSubstr("runs another experiment")));
  EXPECT_EQ(meet_on_a_thread(std::move(all[1]), "a").get(), third);
  EXPECT_EQ(meet_on_a_thread(std::move(all[2]), "a").get(), third);
  EXPECT_EQ(leader.get(), third);  // returns when all have been refused
}

TEST(RendezvousTest, AProcessThatWasStoppedBeforeMayBeStartedAgain) {
  std::vector<Membership> all = memberships(3);
  for (Membership& one : all) one.patience = milliseconds(3000);
  const Secret secret = all[0].secret;
  const Endpoint there = all[0].leader.front();
  std::future<std::string> leader = meet_on_a_thread(std::move(all[0]), "a");
  {
    Connection first = connect_with(secret, there);
    first.send(join_of(1, 3, "a"));
  }
  std::future<std::string> second = meet_on_a_thread(std::move(all[1]), "a");
  std::future<std::string> third = meet_on_a_thread(std::move(all[2]), "a");
  EXPECT_EQ(leader.get(), "met");
  EXPECT_EQ(second.get(), "met");
  EXPECT_EQ(third.get(), "met");
}

TEST(RendezvousTest, TheTimeLimitStartsAgainWithTheWelcome) {
  std::vector<Membership> all = memberships(3);
  all[1].patience = milliseconds(300);
  all[2].patience = all[0].patience = milliseconds(3000);
  std::future<std::string> leader = meet_on_a_thread(std::move(all[0]), "a");
  std::future<std::string> early = meet_on_a_thread(std::move(all[1]), "a");
  EXPECT_EQ(early.wait_for(milliseconds(400)), std::future_status::timeout);
  EXPECT_EQ(meet_on_a_thread(std::move(all[2]), "a").get(), "met");
  EXPECT_EQ(early.get(), "met");
  EXPECT_EQ(leader.get(), "met");
}

TEST(RendezvousTest, AProcessThatNeverConnectsIsNamedWithThePort) {
  std::vector<Membership> all = memberships(3);
  all[1].patience = milliseconds(200);
  const Secret secret = all[0].secret;
  const Endpoint there = all[0].leader.front();
  std::future<std::string> leader = meet_on_a_thread(std::move(all[0]), "a");
  std::future<Mesh> second =
      std::async(std::launch::async, [&] { return meet(std::move(all[1]), "a"); });
  Connection third = connect_with(secret, there);
  third.send(join_of(2, 3, "a"));
  try {
    second.get();
    ADD_FAILURE() << "process 2 never called";
  } catch (const ConnectionError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("no connection from process 2 at 127.0.0.1:"),
                                    HasSubstr(" within 200 ms")));
  }
}

}  // namespace
}  // namespace paceline
