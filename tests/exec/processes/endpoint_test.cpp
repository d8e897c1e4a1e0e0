// SPDX-License-Identifier: MIT
#include "exec/processes/endpoint.hpp"

#include <array>

#include <gtest/gtest.h>
#include <unistd.h>

#include "exec/processes/launch.hpp"
#include "exec/processes/listener.hpp"
#include "tests/exec/processes/stranger.hpp"

namespace paceline {
namespace {

TEST(EndpointTest, EndpointsAreReadAsTheyAreWritten) {
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

TEST(EndpointTest, WhereaboutsAreReadAsTheyAreWritten) {
  const std::vector<std::string> own = own_addresses();
  const std::vector<Endpoint> read = read_whereabouts(whereabouts(7700, own));
  ASSERT_EQ(read.size(), own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(read[i].host, own[i]);
    EXPECT_EQ(read[i].port, 7700);
  }
  EXPECT_TRUE(read_whereabouts("").empty());
  EXPECT_TRUE(read_whereabouts("7700").empty());
}

TEST(EndpointTest, TheLoopbackIsReachedFromThisComputerOnly) {
  for (const char* here : {"localhost", "127.0.0.1", "127.1.2.3", "::1"}) {
    EXPECT_TRUE(is_loopback({here, 7})) << here;
  }
  for (const char* there : {"", "0.0.0.0", "::", "10.0.0.1", "a.name", "128.0.0.1"}) {
    EXPECT_FALSE(is_loopback({there, 7})) << there;
  }
}

TEST(EndpointTest, AtANumberItListensThereAtANameOnAllNetworkCards) {
  for (const char* number : {"127.0.0.1", "::1", "localhost"}) {
    EXPECT_EQ(to_listen_at({number, 7}).host, number);
    EXPECT_EQ(to_listen_at({number, 7}).port, 7);
  }
  std::array<char, 256> name{};
  ASSERT_EQ(gethostname(name.data(), name.size() - 1), 0);
  if (std::string(name.data()) == "localhost") GTEST_SKIP() << "a computer without a name";
  const Endpoint everywhere = to_listen_at({name.data(), 0});
  EXPECT_NE(everywhere.host, name.data());
  // 127.0.0.2 is also this computer, and has no name
  const Listener listener(everywhere, Secret());
  EXPECT_NO_THROW(Stranger(Endpoint{"127.0.0.2", listener.port()}));
}

}  // namespace
}  // namespace paceline
