// SPDX-License-Identifier: MIT
#include "exec/processes/connection.hpp"

#include <array>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLong{3000};

/// Both ends of a connection.
struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) throw std::bad_alloc();
    one = Connection(loop, ends[0]);
    other = Connection(loop, ends[1]);
  }
  std::shared_ptr<EventLoop> loop = std::make_shared<EventLoop>();
  Connection one, other;
};

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const ConnectionError& error) {
    return error.what();
  }
  return "";
}

TEST(ConnectionTest, ItHasEndedOnceTheOtherEndIsClosedAndNothingIsLeftToReceive) {
  Pair pair;
  EXPECT_FALSE(pair.other.ended());
  pair.one.send(FrameWriter(FrameKind::goodbye));
  pair.one.shut_down();
  EXPECT_FALSE(pair.other.ended());
  Frame frame;
  pair.other.receive(frame);
  EXPECT_TRUE(pair.other.ended());
  EXPECT_EQ(error_of([&] { pair.other.receive(frame); }), "its connection was closed");
}

TEST(ConnectionTest, BothPartsOfASendArriveInTheirOrder) {
  Pair pair;
  FrameWriter head(FrameKind::push);
  head.put(7);
  const std::vector<float> floats{1, 2, 3};
  pair.one.send(head.bytes(), std::as_bytes(std::span(floats)));
  Frame frame;
  pair.other.receive(frame);
  EXPECT_EQ(frame.reader().take<int>(), 7);
  std::array<float, 3> received{};
  pair.other.receive(std::as_writable_bytes(std::span(received)));
  EXPECT_THAT(received, testing::ElementsAre(1, 2, 3));
}

TEST(ConnectionTest, ADeadlineEndsASendThatTheOtherEndDoesNotReceive) {
  Pair pair;
  pair.one.expires_after(milliseconds(200), "sending");
  const std::vector<std::byte> much(64U << 20);
  const auto start = steady_clock::now();
  EXPECT_EQ(error_of([&] { pair.one.send(much); }), "sending failed (Connection timed out)");
  EXPECT_LT(steady_clock::now() - start, kLong);
}

// A time limit per receive would restart with every byte.
TEST(ConnectionTest, ADeadlineHoldsForTheWholeFrameHoweverItsBytesTrickleIn) {
  Pair pair;
  std::jthread slow([&](const std::stop_token& enough) {
    FrameWriter frame(FrameKind::figures);
    frame.put_text(std::string(1000, 'x'));
    for (const std::byte one : frame.bytes()) {
      if (enough.stop_requested()) return;
      if (!error_of([&] { pair.one.send(std::span(&one, 1)); }).empty()) return;
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  pair.other.expires_after(milliseconds(300));
  Frame frame;
  const auto start = steady_clock::now();
  EXPECT_EQ(error_of([&] { pair.other.receive(frame); }),
            "receiving failed (Connection timed out)");
  EXPECT_GE(steady_clock::now() - start, milliseconds(250));
  EXPECT_LT(steady_clock::now() - start, kLong);
}

TEST(ConnectionTest, ADeadlineThatWasCancelledEndsNothing) {
  Pair pair;
  pair.other.expires_after(milliseconds(50));
  pair.other.expires_never();
  std::this_thread::sleep_for(milliseconds(150));
  pair.one.send(FrameWriter(FrameKind::goodbye));
  Frame frame;
  pair.other.receive(frame);
  EXPECT_EQ(frame.kind, FrameKind::goodbye);
}

TEST(ConnectionTest, SendingNowNeverWaitsNorTearsAFrame) {
  Pair pair;
  FrameWriter frame(FrameKind::figures);
  frame.put_text(std::string(10'000, 'x'));
  int sent = 0;
  while (pair.one.send_now(frame)) ++sent;
  EXPECT_FALSE(pair.one.send_now(frame));
  std::jthread rest([&] { pair.one.send(FrameWriter(FrameKind::goodbye)); });
  Frame received;
  for (int i = 0; i < sent; ++i) {
    pair.other.receive(received);
    ASSERT_EQ(received.kind, FrameKind::figures);
    ASSERT_EQ(received.reader().take_text().size(), 10'000U);
  }
  pair.other.receive(received);
  EXPECT_EQ(received.kind, FrameKind::goodbye);
}

TEST(ConnectionTest, EveryPieceOfAFrameIsReported) {
  Pair pair;
  FrameWriter writer(FrameKind::figures);
  writer.put_text("piece by piece");
  pair.one.send(writer);
  int pieces = 0;
  Frame frame;
  pair.other.receive(frame, [&pieces] { ++pieces; });
  EXPECT_EQ(frame.reader().take_text(), "piece by piece");
  EXPECT_GE(pieces, 2);  // the header and the payload
}

TEST(ConnectionTest, AnAnnouncedLengthAllocatesNothing) {
  Pair pair;
  FrameHeader header;
  header.kind = FrameKind::figures;
  header.bytes = FrameHeader::kMostBytes;
  pair.one.send(std::as_bytes(std::span(&header, 1)));
  pair.one.shut_down();
  Frame frame;
  EXPECT_NE(error_of([&] { pair.other.receive(frame); }), "");
  EXPECT_LE(frame.payload.capacity(), 2U << 20);
}

}  // namespace
}  // namespace paceline
