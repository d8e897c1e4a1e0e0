// SPDX-License-Identifier: MIT
#include "exec/processes/rendezvous.hpp"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/diagnostics.hpp"
#include "tests/exec/processes/several_groups.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;

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

TEST(RendezvousTest, AnotherExperimentIsOneClearErrorOnAll) {
  for (const std::string& text : refusals(memberships(3), {"a", "a", "b"})) {
    EXPECT_THAT(text, AllOf(HasSubstr("process 2 ("), HasSubstr("runs another experiment")));
  }
}

TEST(RendezvousTest, OtherNumbersOfProcessesAreRefused) {
  std::vector<Membership> all = memberships(2);
  all[1].size = 3;
  all[0].patience = milliseconds(300);  // a third one might still come
  for (const std::string& text : refusals(std::move(all), {"a", "a"})) {
    EXPECT_THAT(text, HasSubstr("expects 3 processes, process 0 expects 2"));
  }
}

TEST(RendezvousTest, TwoProcessesWithOneNumberAreRefused) {
  std::vector<Membership> all = memberships(3);
  all[2].rank = 1;
  const std::vector<std::string> said = refusals(std::move(all), {"a", "a", "a"});
  for (const std::string& text : said) {
    EXPECT_THAT(text, HasSubstr("two processes have rank 1"));
  }
}

TEST(RendezvousTest, WhoDoesNotComeIsNamed) {
  std::vector<Membership> all = memberships(4);
  for (Membership& one : all) one.patience = milliseconds(300);
  all.erase(all.begin() + 3);
  all.erase(all.begin() + 1);
  for (const std::string& text : refusals(std::move(all), {"a", "a"})) {
    EXPECT_THAT(text, HasSubstr("only 2 of 4 processes joined"));
    EXPECT_THAT(text, HasSubstr("missing: process 1, 3"));
  }
}

TEST(RendezvousTest, StrangersAtTheDoorAreNobody) {
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

/// What meeting comes to in a thread of its own.
std::future<std::string> say(Membership membership, const std::string& identity) {
  return std::async(std::launch::async,
                    [own = std::move(membership), identity]() mutable -> std::string {
                      try {
                        meet(std::move(own), identity);
                      } catch (const SpecError& error) {
                        return error.what();
                      }
                      return "met";
                    });
}

TEST(RendezvousTest, WhoComesAfterTheOneThatDoesNotFitHearsWhyToo) {
  std::vector<Membership> all = memberships(4);
  for (Membership& one : all) one.patience = milliseconds(3000);
  std::future<std::string> leader = say(std::move(all[0]), "a");
  const std::string third = say(std::move(all[3]), "b").get();
  EXPECT_THAT(third, AllOf(HasSubstr("process 3 ("), HasSubstr("runs another experiment")));
  EXPECT_EQ(say(std::move(all[1]), "a").get(), third);
  EXPECT_EQ(say(std::move(all[2]), "a").get(), third);
  EXPECT_EQ(leader.get(), third);  // as soon as all have been told
}

/// The frame by which process `rank` of `size` joins.
FrameWriter join_of(int rank, int size, const std::string& identity) {
  FrameWriter join(FrameKind::join);
  join.put(rank).put(size).put(std::uint16_t{1}).put_text("first").put_text(identity);
  return join;
}

TEST(RendezvousTest, AProcessThatWasStoppedBeforeMayBeStartedAgain) {
  std::vector<Membership> all = memberships(3);
  for (Membership& one : all) one.patience = milliseconds(3000);
  const Endpoint there = all[0].leader.front();
  std::future<std::string> leader = say(std::move(all[0]), "a");
  {
    Connection first = connect_to(std::span(&there, 1), steady_clock::now() + milliseconds(3000));
    first.send(join_of(1, 3, "a"));
  }
  std::future<std::string> second = say(std::move(all[1]), "a");
  std::future<std::string> third = say(std::move(all[2]), "a");
  EXPECT_EQ(leader.get(), "met");
  EXPECT_EQ(second.get(), "met");
  EXPECT_EQ(third.get(), "met");
}

TEST(RendezvousTest, WhoCameLongBeforeTheOthersHasPatienceWithThemOnceWelcomed) {
  std::vector<Membership> all = memberships(3);
  all[1].patience = milliseconds(300);
  all[2].patience = all[0].patience = milliseconds(3000);
  std::future<std::string> leader = say(std::move(all[0]), "a");
  std::future<std::string> early = say(std::move(all[1]), "a");
  EXPECT_EQ(early.wait_for(milliseconds(400)), std::future_status::timeout);
  EXPECT_EQ(say(std::move(all[2]), "a").get(), "met");
  EXPECT_EQ(early.get(), "met");
  EXPECT_EQ(leader.get(), "met");
}

TEST(RendezvousTest, WhoNeverCallsIsNamedAndSoIsThePort) {
  std::vector<Membership> all = memberships(3);
  all[1].patience = milliseconds(200);
  const Endpoint there = all[0].leader.front();
  std::future<std::string> leader = say(std::move(all[0]), "a");
  std::future<Mesh> second =
      std::async(std::launch::async, [&] { return meet(std::move(all[1]), "a"); });
  Connection third = connect_to(std::span(&there, 1), steady_clock::now() + milliseconds(3000));
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
