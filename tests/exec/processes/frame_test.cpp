// SPDX-License-Identifier: MIT
#include "exec/processes/frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

std::span<const std::byte> payload_of(const FrameWriter& frame) {
  return frame.bytes().subspan(sizeof(FrameHeader));
}

FrameHeader header_of(const FrameWriter& frame) {
  FrameHeader header;
  std::memcpy(&header, frame.bytes().data(), sizeof header);
  return header;
}

TEST(FrameTest, WhatIsPutIsTaken) {
  FrameWriter frame(FrameKind::message);
  const std::array<float, 3> floats{1, 2, 3};
  frame.put(std::int64_t{-7}).put_text("lost").put(true).put_all(std::span<const float>(floats));
  EXPECT_EQ(header_of(frame).kind, FrameKind::message);
  EXPECT_EQ(header_of(frame).bytes, payload_of(frame).size());
  EXPECT_NO_THROW(check_header(header_of(frame)));
  FrameReader reader(payload_of(frame));
  EXPECT_EQ(reader.take<std::int64_t>(), -7);
  EXPECT_EQ(reader.take_text(), "lost");
  EXPECT_TRUE(reader.take<bool>());
  EXPECT_THAT(reader.take_rest<float>(), testing::ElementsAre(1, 2, 3));
  EXPECT_THROW(reader.take<char>(), ProtocolError);
  EXPECT_THROW(reader.take<char>(), ProtocolError);
}

TEST(FrameTest, RestartedItHoldsNothingOfBefore) {
  FrameWriter frame(FrameKind::events);
  frame.put_text("a long text that is there no more");
  frame.restart(FrameKind::go);
  frame.put('x');
  EXPECT_EQ(header_of(frame).kind, FrameKind::go);
  EXPECT_EQ(header_of(frame).bytes, 1U);
}

TEST(FrameTest, BytesThatAreMissingAreAnErrorNeverRead) {
  FrameWriter frame(FrameKind::message);
  frame.put(std::int32_t{1}).put_text("four");
  for (std::size_t cut = 0; cut < payload_of(frame).size(); ++cut) {
    FrameReader reader(payload_of(frame).first(cut));
    EXPECT_THROW(
        {
          reader.take<std::int32_t>();
          reader.take_text();
        },
        ProtocolError)
        << cut;
  }
}

TEST(FrameTest, ATextThatSaysItIsLongerThanTheFrameIsAnError) {
  FrameWriter frame(FrameKind::message);
  frame.put(std::uint32_t{0xffffffff}).put('x');
  FrameReader reader(payload_of(frame));
  EXPECT_THROW(reader.take_text(), ProtocolError);
}

TEST(FrameTest, ALineHasNoControlCharactersAndABoundedLength) {
  EXPECT_EQ(as_line("host-1 (a/b)"), "host-1 (a/b)");
  EXPECT_EQ(as_line("\x1b]0;title\x07\r\n"), "\\x1b]0;title\\x07\\x0d\\x0a");
  EXPECT_EQ(as_line("\xc2\x9b\x7f"), "\\xc2\\x9b\\x7f");
  EXPECT_LE(as_line(std::string(1U << 20, 'x')).size(), kLongestLine + 3);
  FrameWriter frame(FrameKind::refuse);
  frame.put_text("no\x1b[31m");
  EXPECT_EQ(FrameReader(payload_of(frame)).take_line(), "no\\x1b[31m");
}

TEST(FrameTest, ARestThatIsNoWholeNumberOfValuesIsAnError) {
  FrameWriter frame(FrameKind::events);
  frame.put('a').put('b').put('c');
  FrameReader reader(payload_of(frame));
  EXPECT_THROW(reader.take_rest<std::uint16_t>(), ProtocolError);
}

TEST(FrameTest, HeadersOfOthersAreRefused) {
  FrameHeader other_version;
  other_version.version = FrameHeader::kVersion + 1;
  EXPECT_THROW(check_header(other_version), ProtocolError);
  FrameHeader unknown;
  unknown.kind = static_cast<FrameKind>(kFrameKinds);
  EXPECT_THROW(check_header(unknown), ProtocolError);
  FrameHeader huge;
  huge.bytes = FrameHeader::kMostBytes + 1;
  EXPECT_THROW(check_header(huge), ProtocolError);
  FrameHeader http;
  std::memcpy(&http, "GET / HT", sizeof http);
  EXPECT_THROW(check_header(http), ProtocolError);
}

}  // namespace
}  // namespace paceline
