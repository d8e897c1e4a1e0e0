// SPDX-License-Identifier: MIT
#include "topology/import/host_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> hosts(const std::string& list) {
  return hosts_of(list, {});
}

std::string error_of(const std::string& list) {
  try {
    hosts(list);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

TEST(HostList, has_ranges_with_their_leading_zeros) {
  EXPECT_THAT(hosts("n[1-3,7]"), ElementsAre("n1", "n2", "n3", "n7"));
  EXPECT_THAT(hosts("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(hosts("login,gpu5"), ElementsAre("login", "gpu5"));
  EXPECT_THAT(hosts(""), IsEmpty());
}

TEST(HostList, multiplies_several_ranges_of_a_name) {
  EXPECT_THAT(hosts("r[1-2]n[0-1]x,z"), ElementsAre("r1n0x", "r1n1x", "r2n0x", "r2n1x", "z"));
}

TEST(HostList, is_refused_where_it_is_none) {
  EXPECT_THAT(error_of("n[1-3"), HasSubstr("'n[1-3' is not a list of computers: brackets do not"));
  EXPECT_THAT(error_of("n1-3]"), HasSubstr("brackets do not match"));
  EXPECT_THAT(error_of("n[[1]]"), HasSubstr("brackets do not match"));
  EXPECT_THAT(error_of("n[3-1]"), HasSubstr("'3-1' is no range of numbers (such as n[1-4,7])"));
  EXPECT_THAT(error_of("n[a-c]"), HasSubstr("'a-c' is no range"));
  EXPECT_THAT(error_of("n[0-999999999]"), HasSubstr("it is too long"));
  EXPECT_THAT(error_of("n[0-999]m[0-999]"), HasSubstr("it is too long"));
}

}  // namespace
}  // namespace paceline
