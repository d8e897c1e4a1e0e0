// SPDX-License-Identifier: MIT
#include "topology/import/vertex_name.hpp"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(VertexName, is_the_preferred_name_where_that_is_valid) {
  EXPECT_EQ(vertex_name("mlx5_0", "nic0"), "mlx5_0");
  EXPECT_EQ(vertex_name("eth 0:1", "nic0"), "eth-0-1");
  EXPECT_EQ(vertex_name(std::string(100, 'a'), "nic0"), std::string(48, 'a'));
  for (const char* no : {"", "0000:07:00.0", "gpu3", "cpu0", "nvswitch1", "null", "true"}) {
    EXPECT_EQ(vertex_name(no, "nic0"), "nic0") << no;
  }
}

}  // namespace
}  // namespace paceline
