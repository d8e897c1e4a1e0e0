// SPDX-License-Identifier: MIT
#include "exec/processes/connect.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/processes/listener.hpp"
#include "tests/exec/processes/no_more_files.hpp"
#include "tests/exec/processes/several_groups.hpp"
#include "tests/exec/processes/stranger.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;

constexpr milliseconds kLong{3000};

/// The error of connecting for `time`.
std::string error_of(const Endpoint& there, const Secret& secret, milliseconds time,
                     const std::shared_ptr<EventLoop>& loop = std::make_shared<EventLoop>()) {
  try {
    connect_to(loop, std::span(&there, 1), secret, steady_clock::now() + time);
  } catch (const ConnectionError& error) {
    return error.what();
  }
  return "";
}

/// A program that accepts one connection and runs `work` with it.
class OtherProgram {
 public:
  explicit OtherProgram(const std::function<void(Stranger&)>& work)
      : thread_([this, work] {
          Stranger one(acceptor_);
          acceptor_.close();
          work(one);
        }) {}
  Endpoint endpoint() const { return endpoint_; }

 private:
  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_{context_,
                                           {boost::asio::ip::make_address("127.0.0.1"), 0}};
  Endpoint endpoint_{"127.0.0.1", acceptor_.local_endpoint().port()};
  std::jthread thread_;
};

TEST(ConnectTest, AProcessThatListensLateIsReached) {
  const Secret secret;
  const std::uint16_t port = Listener({"127.0.0.1", 0}, secret).port();
  const auto start = steady_clock::now();
  std::jthread late([&] {
    std::this_thread::sleep_for(milliseconds(200));
    Listener listener({"127.0.0.1", port}, secret);
    EXPECT_TRUE(listener.accept(steady_clock::now() + kLong));
  });
  Connection connection = connect_with(secret, {"127.0.0.1", port});
  EXPECT_GE(steady_clock::now() - start, milliseconds(200));
  connection.send(FrameWriter(FrameKind::join));
}

TEST(ConnectTest, AnAddressWithoutAListenerIsAnErrorThatNamesIt) {
  const Endpoint nowhere{"127.0.0.1", Listener({"127.0.0.1", 0}, Secret()).port()};
  EXPECT_EQ(error_of(nowhere, Secret(), milliseconds(100)),
            "cannot connect to " + to_string(nowhere) + " (Connection refused)");
}

TEST(ConnectTest, AnotherSecretIsAnErrorAtOnce) {
  Listener listener({"127.0.0.1", 0}, Secret());
  std::jthread accepts(
      [&] { EXPECT_FALSE(listener.accept(steady_clock::now() + milliseconds(500))); });
  const Endpoint there{"127.0.0.1", listener.port()};
  const auto start = steady_clock::now();
  EXPECT_THROW(connect_with(Secret(), there), WrongSecret);
  EXPECT_LT(steady_clock::now() - start, milliseconds(2000));
  EXPECT_THAT(error_of(there, Secret(), kLong), HasSubstr("it has another secret (give all "));
  EXPECT_EQ(listener.rejected(), 2);
}

TEST(ConnectTest, AProofThatIsSentBackIsRefused) {
  const OtherProgram program([](Stranger& victim) {
    victim.send_value(Challenge());
    const auto response = victim.receive<Response>();
    victim.send_value(response.proof);  // the other end's own proof, sent back
    EXPECT_TRUE(victim.is_closed_within(kLong));
  });
  EXPECT_THAT(error_of(program.endpoint(), Secret(), kLong), HasSubstr("it has another secret"));
}

TEST(ConnectTest, AnotherProgramIsDistinguishedFromAProcess) {
  const OtherProgram program([](Stranger& victim) {
    const std::string banner =
        "SSH-2.0-OpenSSH_9.2\x1b[31m and more, up to the length of a challenge";
    victim.send(std::as_bytes(std::span(banner)));
    EXPECT_TRUE(victim.is_closed_within(kLong));
  });
  EXPECT_THAT(error_of(program.endpoint(), Secret(), milliseconds(50)),
              AllOf(HasSubstr("cannot connect to 127.0.0.1:"),
                    HasSubstr("(another program, or another version of paceline, listens there)")));
}

TEST(ConnectTest, AServerThatSendsAByteNowAndThenIsGivenUpInTime) {
  const OtherProgram program([](Stranger& victim) {
    while (!victim.is_closed_within(milliseconds(50))) victim.send_value('p');
  });
  const auto start = steady_clock::now();
  EXPECT_THAT(error_of(program.endpoint(), Secret(), milliseconds(300)),
              HasSubstr("(Connection timed out)"));
  EXPECT_LT(steady_clock::now() - start, kLong);
}

TEST(ConnectTest, WithoutRoomForASocketTheErrorStatesTheReason) {
  const Listener listener({"127.0.0.1", 0}, Secret());
  const Endpoint there{"127.0.0.1", listener.port()};
  const auto loop = std::make_shared<EventLoop>();
  std::string problem;
  {
    const NoMoreFiles none;
    problem = error_of(there, Secret(), milliseconds(100), loop);
  }
  EXPECT_THAT(problem, HasSubstr("(Too many open files)"));
}

}  // namespace
}  // namespace paceline
