// SPDX-License-Identifier: MIT
#include "exec/processes/connection.hpp"

#include <array>
#include <exception>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "exec/processes/launch.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

constexpr milliseconds kLong{3000};

Connection call(const Endpoint& there) {
  return connect_to(std::span(&there, 1), steady_clock::now() + kLong);
}

/// Both ends of a connection.
struct Pair {
  Listener listener{Endpoint{"127.0.0.1", 0}};
  Connection calls = call({"127.0.0.1", listener.port()});
  Connection accepts = listener.accept(kLong).value();
};

TEST(ConnectionTest, EndpointsAreReadAsTheyAreWritten) {
  for (const char* text : {"a:7700", "10.0.0.1:1", "[::1]:65535", "[fe80::1%eth0]:7700"}) {
    const std::optional<Endpoint> endpoint = read_endpoint(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(to_string(*endpoint), text);
  }
  EXPECT_EQ(read_endpoint("[::1]:7")->host, "::1");
  EXPECT_EQ(read_endpoint("[::1]:7")->port, 7);
  for (const char* text :
       {"", "a", ":7", "a:", "a:0", "a:65536", "a:-1", "a:7x", "::1:7", "[]:7"}) {
    EXPECT_FALSE(read_endpoint(text)) << text;
  }
}

TEST(ConnectionTest, WhereaboutsAreReadAsTheyAreWritten) {
  const std::vector<Endpoint> read = read_whereabouts(whereabouts(7700));
  const std::vector<std::string> own = own_addresses();
  ASSERT_EQ(read.size(), own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(read[i].host, own[i]);
    EXPECT_EQ(read[i].port, 7700);
  }
  EXPECT_TRUE(read_whereabouts("").empty());
  EXPECT_TRUE(read_whereabouts("7700").empty());
}

TEST(ConnectionTest, ANumberIsListenedAtANameIsListenedAtEverywhere) {
  for (const char* number : {"127.0.0.1", "::1", "localhost"}) {
    EXPECT_EQ(to_listen_at({number, 7}).host, number);
    EXPECT_EQ(to_listen_at({number, 7}).port, 7);
  }
  std::array<char, 256> name{};
  ASSERT_EQ(gethostname(name.data(), name.size() - 1), 0);
  if (std::string(name.data()) == "localhost") GTEST_SKIP() << "a computer without a name";
  const Endpoint everywhere = to_listen_at({name.data(), 0});
  EXPECT_NE(everywhere.host, name.data());
  // 127.0.0.2 is this computer too, and no name stands for it
  const Listener listener(everywhere);
  EXPECT_TRUE(call({"127.0.0.2", listener.port()}).open());
}

TEST(ConnectionTest, WhereNothingCanListenTheReasonIsTold) {
  const Listener first({"127.0.0.1", 0});
  try {
    const Listener second({"127.0.0.1", first.port()});
    ADD_FAILURE() << "two listen at one port";
  } catch (const ConnectionError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "cannot listen at 127.0.0.1:" + std::to_string(first.port()) + " (Address already in use)");
  }
}

TEST(ConnectionTest, WhoListensLateIsReached) {
  const std::uint16_t port = Listener({"127.0.0.1", 0}).port();
  const auto start = steady_clock::now();
  std::jthread late([&] {
    std::this_thread::sleep_for(milliseconds(200));
    Listener listener({"127.0.0.1", port});
    EXPECT_TRUE(listener.accept(kLong));
  });
  EXPECT_TRUE(call({"127.0.0.1", port}).open());
  EXPECT_GE(steady_clock::now() - start, milliseconds(200));
}

TEST(ConnectionTest, WhoNeverListensIsAnErrorThatNamesThePlace) {
  const std::uint16_t port = Listener({"127.0.0.1", 0}).port();
  const Endpoint nowhere{"127.0.0.1", port};
  try {
    connect_to(std::span(&nowhere, 1), steady_clock::now() + milliseconds(100));
    ADD_FAILURE() << "nobody listens";
  } catch (const ConnectionError& error) {
    EXPECT_EQ(std::string(error.what()),
              "cannot connect to " + to_string(nowhere) + " (Connection refused)");
  }
}

TEST(ConnectionTest, ItHasEndedOnceTheOtherEndIsClosedAndNothingIsLeftToReceive) {
  Pair pair;
  EXPECT_FALSE(pair.accepts.ended());
  pair.calls.send(FrameWriter(FrameKind::goodbye));
  pair.calls.shut_down();
  EXPECT_FALSE(pair.accepts.ended());
  Frame frame;
  pair.accepts.receive(frame);
  EXPECT_TRUE(pair.accepts.ended());
  EXPECT_THROW(pair.accepts.receive(frame), ConnectionError);
}

TEST(ConnectionTest, SendingToWhoTakesNothingEndsWhereItIsLimited) {
  Pair pair;
  pair.calls.limit_sends(milliseconds(200));
  const std::vector<std::byte> much(64U << 20);
  const auto start = steady_clock::now();
  try {
    pair.calls.send(much);
    ADD_FAILURE() << "64 MiB are nowhere";
  } catch (const ConnectionError& error) {
    EXPECT_STREQ(error.what(), "sending failed (Connection timed out)");
  }
  EXPECT_LT(steady_clock::now() - start, kLong);
}

TEST(ConnectionTest, HearingEveryPieceIsForWhoWaits) {
  Pair pair;
  FrameWriter writer(FrameKind::figures);
  writer.put_text("piece by piece");
  pair.calls.send(writer);
  int pieces = 0;
  Frame frame;
  pair.accepts.receive(frame, [&pieces] { ++pieces; });
  EXPECT_EQ(frame.reader().take_text(), "piece by piece");
  EXPECT_GE(pieces, 2);  // a header and what follows it
}

/// This process may open no more files while this lives; what is expected is looked at afterwards,
/// since a sanitizer needs files itself.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(0);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    close(next);
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

TEST(ConnectionTest, WhoCannotAcceptDoesNotAskAllTheTimeAndAcceptsLater) {
  Listener listener({"127.0.0.1", 0});
  const Connection caller = call({"127.0.0.1", listener.port()});
  bool accepted = true;
  steady_clock::duration lasted{};
  {
    const NoMoreFiles none;
    const auto start = steady_clock::now();
    accepted = listener.accept(kLong).has_value();
    lasted = steady_clock::now() - start;
  }
  EXPECT_FALSE(accepted);
  EXPECT_GE(lasted, milliseconds(20));
  EXPECT_LT(lasted, milliseconds(2000));
  EXPECT_TRUE(listener.accept(kLong));
}

TEST(ConnectionTest, WithoutRoomForASocketTheReasonIsTold) {
  const Listener listener({"127.0.0.1", 0});
  const Endpoint there{"127.0.0.1", listener.port()};
  std::exception_ptr thrown;  // asked only later: sanitizers need files to look at an object's type
  {
    const NoMoreFiles none;
    try {
      connect_to(std::span(&there, 1), steady_clock::now() + milliseconds(100));
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  ASSERT_TRUE(thrown);
  std::string problem;
  try {
    std::rethrow_exception(thrown);
  } catch (const ConnectionError& error) {
    problem = error.what();
  }
  EXPECT_THAT(problem, HasSubstr("(Too many open files)"));
}

}  // namespace
}  // namespace paceline
