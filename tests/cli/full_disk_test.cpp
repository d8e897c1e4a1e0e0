// SPDX-License-Identifier: MIT
// A disk that fills up during a run: the table is printed, no file is half written, and the exit
// code says that something was lost. A limit on the size of files stands for the disk.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class FullDisk : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    before_ = ::signal(SIGXFSZ, SIG_IGN);  // as the program does
    ::getrlimit(RLIMIT_FSIZE, &unlimited_);
    write("a.yaml",
          "name: a\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\nmachine: ideal\n"
          "workers: [4]\nsteps: 50\nwarmup: 1\n");
  }
  void TearDown() override {
    ::setrlimit(RLIMIT_FSIZE, &unlimited_);
    ::signal(SIGXFSZ, before_);
    CommandTest::TearDown();
  }
  int run_with_files_up_to(rlim_t bytes) {
    const rlimit limit{bytes, unlimited_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const int code = run({"simulate", "a.yaml"});
    ::setrlimit(RLIMIT_FSIZE, &unlimited_);
    return code;
  }
  static int files() {
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator("results")) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }

 private:
  rlimit unlimited_{};
  void (*before_)(int) = SIG_DFL;
};

TEST_F(FullDisk, TheTableIsPrintedWhenNoFileCanBeWritten) {
  ASSERT_EQ(run_with_files_up_to(0), 1);
  EXPECT_THAT(out, HasSubstr("workers"));
  EXPECT_THAT(out, testing::Not(HasSubstr("results: ")));
  EXPECT_THAT(err, StartsWith("paceline: error: cannot write results/a/points/"));
  EXPECT_THAT(err, HasSubstr(" (File too large)\n"));
  EXPECT_EQ(files(), 0);
}

TEST_F(FullDisk, FilesThatFitAreWhole) {
  ASSERT_EQ(run({"simulate", "a.yaml", "-o", "whole"}), 0) << err;
  const std::string results = read("whole/results.csv");
  ASSERT_GT(std::filesystem::file_size("whole/steps.csv"), results.size());
  ASSERT_EQ(run_with_files_up_to(results.size()), 1);
  EXPECT_EQ(read("results/a/results.csv"), results);
  EXPECT_FALSE(std::filesystem::exists("results/a/steps.csv"));
}

// Before a point runs, with a way out.
TEST_F(FullDisk, AFolderThatCannotBeWrittenIsRefused) {
  const auto refused = [&](const std::string& folder) {
    EXPECT_EQ(run({"simulate", "a.yaml", "-o", folder}), 2) << folder;
    EXPECT_EQ(out, "");
    return err;
  };
  const std::string end = ": give another folder with -o\n";
  write("file", "");
  EXPECT_EQ(refused("file"), "paceline: error: cannot make folder file (Not a directory)" + end);
  EXPECT_EQ(refused("file/x"),
            "paceline: error: cannot make folder file/x (Not a directory)" + end);
  std::filesystem::create_directories("o");
  write("o/points", "");
  EXPECT_EQ(refused("o"), "paceline: error: cannot make folder o/points (Not a directory)" + end);
  std::filesystem::create_directories("r/results.csv");
  EXPECT_EQ(refused("r"), "paceline: error: cannot write r/results.csv (Is a directory)" + end);
  if (::geteuid() == 0) return;  // it may write everywhere
  std::filesystem::create_directories("locked");
  std::filesystem::permissions(
      "locked", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(refused("locked"),
            "paceline: error: cannot write locked/results.csv (Permission denied)" + end);
  EXPECT_EQ(refused("locked/new"),
            "paceline: error: cannot make folder locked/new (Permission denied)" + end);
}

// As /dev/null would be by a file that is renamed to it.
TEST_F(FullDisk, ADeviceOrAPipeIsNeverReplaced) {
  ASSERT_EQ(::mkfifo("pipe", 0600), 0);
  EXPECT_EQ(run({"topology", "discover", "-o", "pipe", "--force"}), 1);
  EXPECT_THAT(err, HasSubstr("cannot write pipe (Invalid argument)"));
  EXPECT_TRUE(std::filesystem::is_fifo("pipe"));
}

}  // namespace
}  // namespace paceline
