// SPDX-License-Identifier: MIT
#include "exec/processes/streams.hpp"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exec/processes/several_groups.hpp"
#include "tests/exec/processes/stranger.hpp"
#include "training/learning/host_arrays.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t kFloats = 4 << 20;  // 16 MiB: beyond the sockets' buffers

/// One worker in each of two processes, for copies around a ring.
Plan ring_plan() {
  Plan plan;
  plan.workers = 2;
  plan.processes = {0, 1};
  plan.cut.buckets.push_back({0, 1, {0, kFloats, 4.0 * kFloats}});
  plan.schedule = ring(2);
  return plan;
}

struct Part {
  BufferRef buffer;
  Slice slice;
};

Part part_of(RoleId role, Buffer buffer, std::int64_t begin = 0, std::int64_t end = kFloats) {
  return {{role, buffer}, {begin, end, 4.0 * static_cast<double>(end - begin)}};
}

Command::Copy copy(const Part& from, const BufferRef& to) {
  return {from.buffer, to, from.slice};
}

/// A process that lends its buffers to others, of two roles.
class Lender final : public GroupListener, private Arrivals {
 public:
  explicit Lender(Group& group)
      : group_(group),
        plan_(ring_plan()),
        buffers(buffers_of(*ring_, plan_, group.rank()), {optimizer_.part().get(), 1, 1, 1, {}},
                std::vector<float>(kFloats, 0.5F), 0, store_),
        streams(group) {
    streams.lend(buffers, this);
    group_.listen(this);
  }
  ~Lender() override {
    group_.listen(nullptr);
    streams.take_back();
  }
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;

  std::span<float> open(const Part& part) { return buffers.open(part.buffer, part.slice); }
  void on_frame(int, FrameKind, FrameReader) override {}
  void on_lost(int process) override { streams.shut_down(process); }
  void on_stream(int from, Connection connection) override {
    streams.serve(from, std::move(connection));
  }

 private:
  void arrived(RoleId, RoleId from) override {
    if (from >= 2) throw ProtocolError("there is no such role");
  }
  void wake() override {}

  Group& group_;
  Plan plan_;
  Choice<Aggregation> ring_{"allreduce"};
  HostArrays store_;
  Choice<Optimizer> optimizer_{"sgd"};

 public:
  Buffers buffers;
  Streams streams;
};

TEST(StreamsTest, FloatsArriveWhereTheyBelong) {
  run_processes(2, [](Group& group) {
    Lender lender(group);
    group.agree({});
    if (group.leads()) {
      const std::span<float> mine = lender.open(part_of(0, Buffer::gradient));
      for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = static_cast<float>(i % 1000);
      lender.streams.push({0, StreamKind::push}, 1,
                          copy(part_of(0, Buffer::gradient), {1, Buffer::landing}), mine);
      const std::span<float> back = lender.open(part_of(0, Buffer::landing, 5, 8));
      lender.streams.fetch({0, StreamKind::fetch}, 1,
                           copy(part_of(1, Buffer::landing, 7, 10), {0, Buffer::landing}), back);
      EXPECT_THAT(back, testing::ElementsAre(7, 8, 9));
    }
    group.agree({});
    if (group.leads()) return;
    const std::span<float> landed = lender.open(part_of(1, Buffer::landing));
    EXPECT_EQ(landed.front(), 0);
    EXPECT_EQ(landed.back(), static_cast<float>((kFloats - 1) % 1000));
  });
}

/// The request of a stream, as a frame.
FrameWriter request(FrameKind kind, const Part& part, RoleId announcer = -1) {
  struct Request {
    BufferRef buffer;
    Slice slice;
    RoleId announcer;
  };
  FrameWriter frame(kind);
  frame.put(Request{part.buffer, part.slice, announcer});
  return frame;
}

/// Opens a connection to process 0 as a stream of process 1; process 0 serves it.
Connection open_stream(const Secret& secret, const Endpoint& there) {
  Connection connection = connect_with(secret, there);
  connection.expires_after(milliseconds(3000));
  FrameWriter hello(FrameKind::stream);
  connection.send(hello.put(1));
  Frame answer;
  connection.receive(answer);
  EXPECT_EQ(answer.kind, FrameKind::stream);
  return connection;
}

/// Process 0, which lends its buffers, and its address and secret for other programs.
class StreamsOfOthersTest : public testing::Test {
 protected:
  StreamsOfOthersTest() : all_(memberships(2)) {
    other_ = std::async(std::launch::async, [this] { return meet(std::move(all_[1]), "test"); });
    there_ = all_[0].leader.front();
    secret_ = all_[0].secret;
    group_.emplace(std::move(all_[0]), "test");
    mesh_ = other_.get();
    lender_.emplace(*group_);
  }
  ~StreamsOfOthersTest() override {
    mesh_.reset();
    lender_.reset();
  }

  /// The reason why process 0 refuses a request; process 0 continues to serve others.
  std::string refusal_of(const FrameWriter& request, std::size_t floats = 0) {
    Connection stream = open_stream(secret_, there_);
    const std::vector<float> values(floats);
    stream.send(request.bytes(), std::as_bytes(std::span(values)));
    Frame answer;
    stream.receive(answer);
    EXPECT_EQ(answer.kind, FrameKind::refuse);
    return answer.reader().take_text();
  }
  void expect_that_it_serves() {
    Connection stream = open_stream(secret_, there_);
    stream.send(request(FrameKind::fetch, part_of(0, Buffer::weights, 0, 2)));
    Frame answer;
    stream.receive(answer);
    EXPECT_EQ(answer.kind, FrameKind::floats);
    EXPECT_EQ(answer.reader().take<std::uint64_t>(), 2U);
    std::array<float, 2> floats{};
    stream.receive(std::as_writable_bytes(std::span(floats)));
    EXPECT_THAT(floats, testing::ElementsAre(0.5F, 0.5F));
    EXPECT_FALSE(group_->is_lost(1));
  }

  std::vector<Membership> all_;
  std::future<Mesh> other_;
  Endpoint there_;
  Secret secret_;
  std::optional<Group> group_;
  std::optional<Mesh> mesh_;
  std::optional<Lender> lender_;
};

TEST_F(StreamsOfOthersTest, PartsThatAreNotHereAreRefused) {
  const auto no_part = HasSubstr("no such part");
  const auto fetch_error = [&](const Part& part) {
    return refusal_of(request(FrameKind::fetch, part));
  };
  EXPECT_THAT(fetch_error(part_of(-1, Buffer::weights)), no_part);
  EXPECT_THAT(fetch_error(part_of(2, Buffer::weights)), no_part);
  EXPECT_THAT(fetch_error(part_of(1, Buffer::weights)), no_part);  // process 1 has it
  EXPECT_THAT(fetch_error(part_of(0, Buffer::snapshot)), no_part);
  EXPECT_THAT(fetch_error(part_of(0, static_cast<Buffer>(99))), no_part);
  EXPECT_THAT(fetch_error(part_of(0, Buffer::weights, -1, 1)), no_part);
  EXPECT_THAT(fetch_error(part_of(0, Buffer::weights, 0, kFloats + 1)), no_part);
  EXPECT_THAT(fetch_error(part_of(0, Buffer::weights, 2, 1)), no_part);
  Part slot = part_of(0, Buffer::gradient);
  slot.buffer.slot = 1;
  EXPECT_THAT(fetch_error(slot), no_part);
  slot.buffer.slot = -1;
  EXPECT_THAT(fetch_error(slot), no_part);
  EXPECT_THAT(refusal_of(request(FrameKind::push, part_of(1, Buffer::landing))), no_part);
  expect_that_it_serves();
}

TEST_F(StreamsOfOthersTest, AnArrivalFromARoleThatThereIsNotIsRefused) {
  EXPECT_THAT(refusal_of(request(FrameKind::push, part_of(0, Buffer::landing, 0, 2), 2), 2),
              HasSubstr("no such role"));
  expect_that_it_serves();
}

TEST_F(StreamsOfOthersTest, WhatIsNoRequestEndsTheStreamAndNoOther) {
  Connection stream = open_stream(secret_, there_);
  stream.send(request(FrameKind::heartbeat, part_of(0, Buffer::weights)));
  Frame answer;
  EXPECT_THROW(stream.receive(answer), ConnectionError);
  EXPECT_THAT(refusal_of(FrameWriter(FrameKind::push)), HasSubstr("received a truncated frame"));
  Connection noise = open_stream(secret_, there_);
  const std::string http = "GET / HTTP/1.1\r\n\r\n";
  noise.send(std::as_bytes(std::span(http)));
  noise.receive(answer);
  EXPECT_EQ(answer.kind, FrameKind::refuse);
  expect_that_it_serves();
}

TEST_F(StreamsOfOthersTest, AConnectionThatClosesDuringAPushEndsItsStreamAlone) {
  {
    Connection stream = open_stream(secret_, there_);
    stream.send(request(FrameKind::push, part_of(0, Buffer::landing)));
    const std::vector<float> half(kFloats / 2);
    stream.send(std::as_bytes(std::span(half)));
  }
  expect_that_it_serves();
}

/// The error of opening a stream to process 1, which sends `answer`, or nothing; "open" on success.
std::string open_error(const std::optional<FrameWriter>& answer) {
  std::vector<Membership> all = memberships(2);
  std::future<Mesh> other =
      std::async(std::launch::async, [&] { return meet(std::move(all[1]), "test"); });
  Group group(std::move(all[0]), "test");
  Mesh mesh = other.get();
  std::jthread accepts([&] {
    std::optional<Accepted> stream = mesh.listener.accept(steady_clock::now() + milliseconds(3000));
    ASSERT_TRUE(stream);
    EXPECT_EQ(stream->hello.kind, FrameKind::stream);
    EXPECT_EQ(stream->hello.reader().take<int>(), 0);
    if (answer) stream->connection.send(*answer);
  });
  Streams streams(group);
  try {
    streams.open({0, StreamKind::push}, 1);
  } catch (const ProcessLost& lost) {
    return lost.what();
  }
  return "open";
}

TEST(StreamsTest, AStreamIsOpenOnceTheOtherSideConfirmsIt) {
  EXPECT_EQ(open_error(FrameWriter(FrameKind::stream)), "open");
  EXPECT_THAT(open_error({}), AllOf(HasSubstr("process 1 ("), HasSubstr("connection was closed")));
  FrameWriter refusal(FrameKind::refuse);
  refusal.put_text("Resource temporarily unavailable");
  EXPECT_THAT(open_error(refusal), HasSubstr("was lost: it refused a stream (Resource "
                                             "temporarily unavailable)"));
  EXPECT_THAT(open_error(FrameWriter(FrameKind::go)), HasSubstr("stream reply has frame kind"));
}

TEST(StreamsTest, WhereNothingListensTheErrorStatesTheReason) {
  std::vector<Membership> all = memberships(2);
  std::future<Mesh> other =
      std::async(std::launch::async, [&] { return meet(std::move(all[1]), "test"); });
  Group group(std::move(all[0]), "test");
  Mesh mesh = other.get();
  const std::uint16_t port = mesh.listener.port();
  mesh.listener.stop();
  { const Listener closes = std::move(mesh.listener); }
  Streams streams(group, milliseconds(200));
  EXPECT_THROW(streams.open({0, StreamKind::push}, 1), ProcessLost);
  EXPECT_THAT(group.loss(), HasSubstr("was lost: cannot connect to 127.0.0.1:" +
                                      std::to_string(port) + " (Connection refused)"));
}

TEST(StreamsTest, AStreamThatIsNotAcceptedTimesOut) {
  std::vector<Membership> all = memberships(2);
  std::future<Mesh> other =
      std::async(std::launch::async, [&] { return meet(std::move(all[1]), "test"); });
  Group group(std::move(all[0]), "test");
  const Mesh mesh = other.get();  // connections stay in its listener's backlog
  Streams streams(group, milliseconds(200));
  EXPECT_THROW(streams.open({0, StreamKind::push}, 1), ProcessLost);
  EXPECT_THAT(group.loss(), AllOf(HasSubstr("was lost: cannot connect to 127.0.0.1:"),
                                  HasSubstr("(Connection timed out)")));
}

TEST(StreamsTest, AStreamThatIsAcceptedButNotServedTimesOut) {
  std::vector<Membership> all = memberships(2);
  std::future<Mesh> other =
      std::async(std::launch::async, [&] { return meet(std::move(all[1]), "test"); });
  Group group(std::move(all[0]), "test");
  Mesh mesh = other.get();
  std::jthread accepts([&] {
    const auto stream = mesh.listener.accept(steady_clock::now() + milliseconds(3000));
    std::this_thread::sleep_for(milliseconds(600));
  });
  Streams streams(group, milliseconds(200));
  EXPECT_THROW(streams.open({0, StreamKind::push}, 1), ProcessLost);
  EXPECT_THAT(group.loss(), HasSubstr("was lost: receiving failed (Connection timed out)"));
}

// Without the secret, a stream could read and overwrite weights.
TEST_F(StreamsOfOthersTest, AnUnauthenticatedStreamIsNotServed) {
  Stranger stranger(there_);
  EXPECT_FALSE(stranger.shake_hands(Secret()));
  FrameWriter hello(FrameKind::stream);
  stranger.send(hello.put(1).bytes());
  stranger.send(request(FrameKind::push, part_of(0, Buffer::weights, 0, 2)).bytes());
  stranger.send_value(std::array<float, 2>{7, 7});
  EXPECT_TRUE(stranger.is_closed_within(milliseconds(1000)));
  const auto idle = idle_strangers(there_, 16);
  expect_that_it_serves();  // 0.5, 0.5
}

}  // namespace
}  // namespace paceline
