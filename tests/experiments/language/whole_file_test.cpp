// SPDX-License-Identifier: MIT
#include "experiments/language/whole_file.hpp"

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class WholeFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "paceline-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      all.insert(entry.path().filename().string());
    }
    return all;
  }
  std::filesystem::path folder_;
};

TEST_F(WholeFile, IsWrittenAndNothingElse) {
  write_whole(folder_ / "a.csv", "1");
  write_whole(folder_ / "a.csv", "22");
  EXPECT_THAT(names(), ElementsAre("a.csv"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "a.csv"), 2U);
  write_whole_unflushed(folder_ / "a.csv", "333");
  EXPECT_THAT(names(), ElementsAre("a.csv"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "a.csv"), 3U);
}

// A killed program has left ABCDEF, another process is writing GHIJKL, and the other files belong
// to the user.
TEST_F(WholeFile, RemovesWhatKilledProgramsHaveLeft) {
  for (const char* name :
       {".paceline-tmp-ABCDEF", ".paceline-tmp-GHIJKL", ".paceline-tmp-ABC", "notes.backup"}) {
    std::ofstream(folder_ / name) << "x";
  }
  const int busy = ::open((folder_ / ".paceline-tmp-GHIJKL").c_str(), O_RDONLY);
  ASSERT_EQ(::flock(busy, LOCK_EX), 0);
  write_whole(folder_ / "a.csv", "1");
  ::close(busy);
  EXPECT_THAT(names(), UnorderedElementsAre(".paceline-tmp-GHIJKL", ".paceline-tmp-ABC",
                                            "notes.backup", "a.csv"));
}

TEST_F(WholeFile, SaysBeforehandWhereItCannotBe) {
  std::ofstream(folder_ / "file") << "x";
  try {
    expect_writable(folder_ / "file" / "a.csv");
    FAIL();
  } catch (const WriteError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot make folder"));
  }
  EXPECT_THROW(expect_writable(folder_), WriteError) << "a folder is no file";
  expect_writable(folder_ / "new" / "a.csv");
  EXPECT_THAT(names(), ElementsAre("file", "new"));
}

// A rename replaces a link and not its end: as root, /dev/stdout would become a file.
TEST_F(WholeFile, NeverReplacesALinkToWhatIsNoFile) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder_ / "folder");
  for (const char* end : {"pipe", "folder"}) {
    const std::filesystem::path link = folder_ / (std::string("to-") + end);
    std::filesystem::create_symlink(end, link);
    EXPECT_THROW(write_whole(link, "1"), WriteError) << end;
    EXPECT_THROW(expect_writable(link), WriteError) << end;
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << end;
  }
  std::filesystem::create_symlink("nothing", folder_ / "dangling");
  write_whole(folder_ / "dangling", "1");
  EXPECT_THAT(names(), UnorderedElementsAre("pipe", "folder", "to-pipe", "to-folder", "dangling"));
}

}  // namespace
}  // namespace paceline
