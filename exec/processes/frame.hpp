// SPDX-License-Identifier: MIT
/// \file
/// The messages between processes as bytes: a header of 8 bytes (length of the payload, kind,
/// version of the protocol), then plain values and texts in the order of the `put` calls. Reading
/// checks every length.
///
/// Values have the layout of memory: the processes of a group have the same build (checked by the
/// rendezvous), on computers of the same byte order.
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

/// The received bytes are not a frame of this build.
struct ProtocolError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class FrameKind : std::uint8_t {
  join,       ///< first, to process 0: rank, size, port and identity of the sender
  welcome,    ///< from process 0: the addresses at which all processes listen
  refuse,     ///< the reason why a group or a stream is refused, or why the sender leaves
  peer,       ///< first, on the control connection of two processes other than 0
  stream,     ///< first, on a stream's connection; as reply: the stream is served
  heartbeat,  ///< shows that the sender is alive
  goodbye,    ///< the sender ends without an error
  ping,
  pong,
  message,  ///< between roles
  cancel,   ///< cancels a mini-batch
  death,    ///< a worker of the sender has died, and the cause
  stop,     ///< the repeat has ended in the sender, and the reason
  ready,    ///< the sender has reached the beginning or the end of a phase
  go,       ///< from process 0: all processes are ready
  point,    ///< from process 0: the next point to execute
  events,   ///< observed by the sender
  figures,  ///< measured by the sender
  shard,    ///< a part of a version of the model
  meet,     ///< that with which the devices of the processes connect
  push,     ///< floats for a buffer
  fetch,    ///< requests floats of a buffer
  floats,   ///< the floats follow; as reply to a push: acknowledgement
};
inline constexpr int kFrameKinds = static_cast<int>(FrameKind::floats) + 1;

struct FrameHeader {
  static constexpr std::uint8_t kVersion = 1;
  /// Longer data is sent in several frames, or as raw bytes after a frame.
  static constexpr std::uint32_t kMostBytes = 64U << 20;

  std::uint32_t bytes = 0;  ///< after the header
  FrameKind kind = FrameKind::heartbeat;
  std::uint8_t version = kVersion;
  std::uint16_t zero = 0;
};
static_assert(sizeof(FrameHeader) == 8);

/// Throws ProtocolError if no process of this build sends such a header.
void check_header(const FrameHeader& header);

inline constexpr std::size_t kLongestLine = 1000;
/// `text` as one line of printable ASCII; other characters become escapes like `\x1b`, so that a
/// text from another computer cannot control the terminal.
std::string as_line(const std::string& text);

/// A frame to send. Its memory is reused.
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
  /// The values must be the last of the frame, or the caller must put their number first.
  template <class T>
  FrameWriter& put_all(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    return add(values.data(), values.size_bytes());
  }
  /// The header and the payload.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  FrameWriter& add(const void* from, std::size_t size);
  std::vector<std::byte> bytes_;
};

/// Reads the values of a frame; every `take` throws ProtocolError if the frame is too short.
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
  /// A text for printing: without control characters and at most kLongestLine long.
  std::string take_line() { return as_line(take_text()); }
  /// The rest of the frame, as values of one type.
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

/// A received frame.
struct Frame {
  FrameKind kind = FrameKind::heartbeat;
  std::vector<std::byte> payload;
  FrameReader reader() const { return FrameReader(payload); }
};

}  // namespace paceline
