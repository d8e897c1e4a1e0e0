// SPDX-License-Identifier: MIT
/// \file
/// What processes say to each other, as bytes: a header of 8 bytes (length of what follows, kind,
/// version of the protocol), then plain values and texts in the order in which they were put. Who
/// reads checks every length, so that no bytes from the network are believed.
///
/// Values travel as they lie in memory: processes of one group are of one build (the rendezvous
/// checks it) on computers of one byte order.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace paceline {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

/// Bytes from the network that are none of ours.
struct ProtocolError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class FrameKind : std::uint8_t {
  join,       ///< to process 0: who I am and where I listen
  welcome,    ///< from process 0: where all listen
  refuse,     ///< why there is no group, no stream, or nothing more to say
  peer,       ///< opens the control connection between two others
  stream,     ///< opens the connection of a stream; back: it is served
  heartbeat,  ///< I am alive
  goodbye,    ///< I end, and all is well
  ping,
  pong,
  message,  ///< of a role
  cancel,   ///< a mini-batch
  stop,     ///< the repeat has ended in my process; why
  ready,    ///< a process has come to the beginning or the end of something
  go,       ///< process 0: all have
  point,    ///< process 0: what to run next
  events,   ///< what a process has observed
  figures,  ///< what a process has measured
  shard,    ///< a part of a version of the model
  push,     ///< floats for a buffer
  fetch,    ///< asks for floats of a buffer
  floats,   ///< they follow, or the floats of a push have arrived
};
inline constexpr int kFrameKinds = static_cast<int>(FrameKind::floats) + 1;

struct FrameHeader {
  static constexpr std::uint8_t kVersion = 1;
  /// No frame is longer; what is longer travels in several, or raw behind one.
  static constexpr std::uint32_t kMostBytes = 64U << 20;

  std::uint32_t bytes = 0;  ///< that follow the header
  FrameKind kind = FrameKind::heartbeat;
  std::uint8_t version = kVersion;
  std::uint16_t zero = 0;
};
static_assert(sizeof(FrameHeader) == 8);

/// Throws ProtocolError if no process of this build has said it.
void check_header(const FrameHeader& header);

/// A frame to send. It keeps its memory from frame to frame.
class FrameWriter {
 public:
  explicit FrameWriter(FrameKind kind) { restart(kind); }
  void restart(FrameKind kind);
  template <class T>
  FrameWriter& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return add(&value, sizeof value);
  }
  FrameWriter& put_text(const std::string& text);
  /// As many values as fit are to be told by the caller.
  template <class T>
  FrameWriter& put_all(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    return add(values.data(), values.size_bytes());
  }
  /// Header and all.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  FrameWriter& add(const void* from, std::size_t size);
  std::vector<std::byte> bytes_;
};

/// Takes a frame apart; every `take` throws ProtocolError where the frame ends too early.
class FrameReader {
 public:
  explicit FrameReader(std::span<const std::byte> payload) : left_(payload) {}
  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, some(sizeof value).data(), sizeof value);
    return value;
  }
  std::string take_text();
  /// Everything that is left, as values of a type.
  template <class T>
  std::vector<T> take_rest() {
    static_assert(std::is_trivially_copyable_v<T>);
    if (left_.size() % sizeof(T) != 0) fail();
    std::vector<T> values(left_.size() / sizeof(T));
    const std::span<const std::byte> all = some(left_.size());
    if (!all.empty()) std::memcpy(values.data(), all.data(), all.size());
    return values;
  }

 private:
  [[noreturn]] static void fail();
  std::span<const std::byte> some(std::size_t size);
  std::span<const std::byte> left_;
};

/// A frame that was received.
struct Frame {
  FrameKind kind = FrameKind::heartbeat;
  std::vector<std::byte> payload;
  FrameReader reader() const { return FrameReader(payload); }
};

}  // namespace paceline
