// SPDX-License-Identifier: MIT
#include "exec/processes/frame.hpp"

#include <array>
#include <cstdio>

namespace paceline {

void check_header(const FrameHeader& header) {
  if (header.version != FrameHeader::kVersion || header.zero != 0 ||
      static_cast<int>(header.kind) >= kFrameKinds) {
    throw ProtocolError("received a frame header of version " + std::to_string(header.version) +
                        " and kind " + std::to_string(static_cast<int>(header.kind)) +
                        ", expected version " + std::to_string(FrameHeader::kVersion) +
                        " and a kind below " + std::to_string(kFrameKinds) +
                        " (run the same build in every process)");
  }
  if (header.bytes > FrameHeader::kMostBytes) {
    throw ProtocolError("received a frame of " + std::to_string(header.bytes) + " bytes (at most " +
                        std::to_string(FrameHeader::kMostBytes) + ")");
  }
}

void FrameWriter::restart(FrameKind kind) {
  FrameHeader header;
  header.kind = kind;
  bytes_.resize(sizeof header);
  std::memcpy(bytes_.data(), &header, sizeof header);
}

FrameWriter& FrameWriter::add(const void* from, std::size_t size) {
  const std::size_t before = bytes_.size();
  if (before - sizeof(FrameHeader) + size > FrameHeader::kMostBytes) {
    throw std::length_error("a frame is longer than frames may be");
  }
  if (size > 0) {
    bytes_.resize(before + size);
    std::memcpy(bytes_.data() + before, from, size);
  }
  const auto length = static_cast<std::uint32_t>(bytes_.size() - sizeof(FrameHeader));
  std::memcpy(bytes_.data() + offsetof(FrameHeader, bytes), &length, sizeof length);
  return *this;
}

FrameWriter& FrameWriter::put_text(const std::string& text) {
  put(static_cast<std::uint32_t>(text.size()));
  return add(text.data(), text.size());
}

void FrameReader::fail() {
  throw ProtocolError("received a truncated frame");
}

std::span<const std::byte> FrameReader::some(std::size_t size) {
  if (size > left_.size()) fail();
  const std::span<const std::byte> taken = left_.first(size);
  left_ = left_.subspan(size);
  return taken;
}

std::string as_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (line.size() >= kLongestLine) return line + "...";
    if (c >= 0x20 && c < 0x7f) {
      line += c;
      continue;
    }
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(c));
    line += code.data();
  }
  return line;
}

std::string FrameReader::take_text() {
  const auto size = take<std::uint32_t>();
  const std::span<const std::byte> text = some(size);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

}  // namespace paceline
