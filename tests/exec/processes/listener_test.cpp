// SPDX-License-Identifier: MIT
// Attacks on a port by strangers that do not know the secret: their bytes are never parsed, and
// they do not prevent processes from being accepted.
#include "exec/processes/listener.hpp"

#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exec/processes/no_more_files.hpp"
#include "tests/exec/processes/several_groups.hpp"
#include "tests/exec/processes/stranger.hpp"

namespace paceline {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLong{3000};

/// A number in /proc/self/status.
std::size_t status_of(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1));
  }
  return 0;
}

/// A listener that accepts on a thread.
class ListenerTest : public testing::Test {
 protected:
  ListenerTest() {
    listener_.accept_with([this](Accepted one) {
      const std::lock_guard lock(mutex_);
      accepted_.push_back(std::move(one));
    });
  }
  ~ListenerTest() override { listener_.stop(); }
  std::size_t accepted() {
    const std::lock_guard lock(mutex_);
    return accepted_.size();
  }
  void expect_that_processes_are_accepted() {
    const std::size_t before = accepted();
    const auto start = steady_clock::now();
    Connection one = connect_with(secret_, there_);
    one.send(FrameWriter(FrameKind::stream));
    while (accepted() == before && steady_clock::now() - start < kLong) {
      std::this_thread::sleep_for(milliseconds(5));
    }
    EXPECT_EQ(accepted(), before + 1);
    EXPECT_LT(steady_clock::now() - start, milliseconds(2000));
  }

  Secret secret_;
  Listener listener_{Endpoint{"127.0.0.1", 0}, secret_};
  Endpoint there_{"127.0.0.1", listener_.port()};
  std::mutex mutex_;
  std::vector<Accepted> accepted_;
};

TEST_F(ListenerTest, AProcessWithTheSecretIsAcceptedWithItsFirstFrame) {
  Connection one = connect_with(secret_, there_);
  FrameWriter hello(FrameKind::join);
  one.send(hello.put_text("hello"));
  for (int i = 0; i < 400 && accepted() == 0; ++i) std::this_thread::sleep_for(milliseconds(5));
  ASSERT_EQ(accepted(), 1U);
  EXPECT_EQ(accepted_.front().hello.kind, FrameKind::join);
  EXPECT_EQ(accepted_.front().hello.reader().take_text(), "hello");
  one.send(FrameWriter(FrameKind::goodbye));
  Frame frame;
  accepted_.front().connection.receive(frame);
  EXPECT_EQ(frame.kind, FrameKind::goodbye);
}

TEST_F(ListenerTest, FramesBeforeTheHandshakeAreNotParsed) {
  Stranger stranger(there_);
  FrameWriter stream(FrameKind::stream);
  stream.put(1).put_text(std::string(100, '\x1b'));  // longer than a response
  stranger.send(stream.bytes());
  EXPECT_TRUE(stranger.is_closed_within(kLong));
  EXPECT_EQ(accepted(), 0U);
  EXPECT_EQ(listener_.rejected(), 1);
  expect_that_processes_are_accepted();
}

TEST_F(ListenerTest, AnotherSecretIsRejectedWithoutAProofOfItsOwn) {
  Stranger stranger(there_);
  EXPECT_FALSE(stranger.shake_hands(Secret()));
  EXPECT_TRUE(stranger.is_closed_within(kLong));
  EXPECT_EQ(accepted(), 0U);
}

TEST_F(ListenerTest, AReplayedProofIsRejected) {
  Response replayed;
  {
    Stranger process(there_);
    const auto challenge = process.receive<Challenge>();
    replayed.nonce = random_nonce();
    replayed.proof = Proofs(secret_, challenge.nonce, replayed.nonce).connecting;
    process.send_value(replayed);
    process.receive<Digest>();
  }
  Stranger stranger(there_);
  stranger.receive<Challenge>();
  stranger.send_value(replayed);
  EXPECT_EQ(stranger.receive<Digest>(), Digest{});
  EXPECT_TRUE(stranger.is_closed_within(kLong));
  EXPECT_EQ(listener_.rejected(), 1);
}

TEST_F(ListenerTest, AByteNowAndThenDoesNotExtendTheDeadline) {
  Stranger stranger(there_);
  Stranger silent(there_);
  const auto start = steady_clock::now();
  while (steady_clock::now() - start < Listener::kHandshakeTime - milliseconds(500)) {
    stranger.send_value('x');
    std::this_thread::sleep_for(milliseconds(300));
  }
  EXPECT_TRUE(stranger.is_closed_within(milliseconds(2000)));
  EXPECT_TRUE(silent.is_closed_within(milliseconds(2000)));
  EXPECT_GE(steady_clock::now() - start, Listener::kHandshakeTime - milliseconds(100));
}

TEST_F(ListenerTest, TheDeadlineIncludesTheFirstFrame) {
  Stranger process(there_);
  ASSERT_TRUE(process.shake_hands(secret_));
  const auto start = steady_clock::now();
  for (int i = 0; i < 5; ++i) {
    process.send_value(std::byte{0});
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_TRUE(process.is_closed_within(Listener::kHandshakeTime));
  EXPECT_LT(steady_clock::now() - start, Listener::kHandshakeTime + milliseconds(500));
}

TEST_F(ListenerTest, ALongFirstFrameIsRefusedByItsHeader) {
  Stranger process(there_);
  ASSERT_TRUE(process.shake_hands(secret_));
  FrameHeader header;
  header.kind = FrameKind::join;
  header.bytes = Listener::kMostHelloBytes + 1;
  process.send_value(header);
  EXPECT_TRUE(process.is_closed_within(milliseconds(1000)));
  Stranger noise(there_);
  ASSERT_TRUE(noise.shake_hands(secret_));
  noise.send_value(std::array<char, 8>{'G', 'E', 'T', ' ', '/', ' ', 'H', 'T'});
  EXPECT_TRUE(noise.is_closed_within(milliseconds(1000)));
  EXPECT_EQ(accepted(), 0U);
}

TEST_F(ListenerTest, IdleConnectionsDelayNoProcess) {
  const auto idle = idle_strangers(there_, 90);
  expect_that_processes_are_accepted();
}

TEST_F(ListenerTest, ManyConnectionsTakeNoThreadsAndABoundedNumberOfFiles) {
  const auto files = [] {
    const auto all = std::filesystem::directory_iterator("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  expect_that_processes_are_accepted();
  const std::size_t threads = status_of("Threads");
  const auto before = files();
  std::vector<std::unique_ptr<Stranger>> idle;
  constexpr int kMany = 3 * static_cast<int>(Listener::kMostHandshakes) / 2;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 5 * kMany) {  // four descriptors per stranger, all in this process
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 5 * kMany);
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur < 5 * kMany) GTEST_SKIP() << "too few files for the strangers";
  for (int i = 0; i < kMany; ++i) idle.push_back(std::make_unique<Stranger>(there_));
  expect_that_processes_are_accepted();
  EXPECT_EQ(status_of("Threads"), threads);
  EXPECT_LE(files() - before,
            4 * kMany + static_cast<std::ptrdiff_t>(Listener::kMostHandshakes) + 20);
  EXPECT_TRUE(idle.front()->is_closed_within(milliseconds(1000)));  // the oldest connection
}

TEST(ListenersTest, WhereNothingCanListenTheErrorStatesTheReason) {
  const Listener first({"127.0.0.1", 0}, Secret());
  try {
    const Listener second({"127.0.0.1", first.port()}, Secret());
    ADD_FAILURE() << "two listen at one port";
  } catch (const ConnectionError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "cannot listen at 127.0.0.1:" + std::to_string(first.port()) + " (Address already in use)");
  }
}

TEST(ListenersTest, WithoutFreeFilesItPausesAndAcceptsLater) {
  const Secret secret;
  Listener listener({"127.0.0.1", 0}, secret);
  EXPECT_FALSE(listener.accept(steady_clock::now()));
  Stranger process(Endpoint{"127.0.0.1", listener.port()});
  {
    const NoMoreFiles none;
    const std::clock_t start = std::clock();
    listener.accept(steady_clock::now() + milliseconds(300));
    EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC / 10);  // no busy loop
  }
  ASSERT_TRUE(process.shake_hands(secret));
  process.send(FrameWriter(FrameKind::join).bytes());
  EXPECT_TRUE(listener.accept(steady_clock::now() + kLong));
}

}  // namespace
}  // namespace paceline
