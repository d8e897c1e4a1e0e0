// SPDX-License-Identifier: MIT
// The profile that commands find by themselves.
#include "cli/profile_file.hpp"

#include <chrono>
#include <filesystem>
#include <sstream>

#include "cli/computer.hpp"
#include "tests/cli/command_fixture.hpp"
#include "tests/cli/made_up_profile.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

class DefaultProfile : public CommandTest {
 protected:
  /// Writes a profile with this time to handle an operation, in a file of this age.
  static void save(const std::filesystem::path& path, Seconds handling, std::chrono::hours age) {
    Profile profile = made_up_profile();
    profile.host.operation_handling = handling;
    std::filesystem::create_directories(path.parent_path());
    save_profile(path, profile);
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
  }
  static Seconds found() {
    std::ostringstream err;
    const std::optional<Profile> profile = load_default_profile(err);
    EXPECT_EQ(err.str(), "");
    return profile ? profile->host.operation_handling : Seconds{};
  }
  const std::filesystem::path of_folder_ =
      std::filesystem::path("results") / ".profiles" / (this_computer().host + ".yaml");
};

TEST_F(DefaultProfile, IsTheLaterOfCacheAndFolder) {
  EXPECT_EQ(found(), Seconds{});
  save(of_folder_, Seconds{1e-6}, std::chrono::hours{2});
  EXPECT_EQ(found(), Seconds{1e-6});
  save(default_profile_path(), Seconds{2e-6}, std::chrono::hours{1});
  EXPECT_EQ(found(), Seconds{2e-6});
  save(of_folder_, Seconds{3e-6}, std::chrono::hours{0});
  EXPECT_EQ(found(), Seconds{3e-6});
}

}  // namespace
}  // namespace paceline
