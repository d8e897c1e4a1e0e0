// SPDX-License-Identifier: MIT
#include "cli/interrupt.hpp"

#include <iostream>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cli/command_fixture.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Sends SIGINT to this process when a text has been written, then swallows it.
class InterruptsAt final : public std::stringbuf {
 public:
  explicit InterruptsAt(std::string text) : text_(std::move(text)) {}

 private:
  std::streamsize xsputn(const char* data, std::streamsize size) override {
    seen_.append(data, static_cast<std::size_t>(size));
    if (!done_ && seen_.find(text_) != std::string::npos) {
      done_ = true;
      ::raise(SIGINT);
    }
    return size;
  }

  std::string text_, seen_;
  bool done_ = false;
};

/// The exit code of `work` in a process of its own.
int in_process(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);  // the line about the interrupt
    stop_cleanly_on_interrupt();
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Interrupt, EndsWithoutASalvage) {
  EXPECT_EQ(in_process([] { ::raise(SIGINT); }), 130);
  EXPECT_EQ(in_process([] { ::raise(SIGTERM); }), 130);
}

TEST(Interrupt, ASalvageThatIsNotNeededDoesNothing) {
  EXPECT_EQ(in_process([] { const Salvage salvage([] { ::_exit(1); }); }), 0);
}

TEST(Interrupt, ASecondSignalEndsASalvageThatHangs) {
  EXPECT_EQ(in_process([] {
              const Salvage salvage([] {
                ::raise(SIGINT);
                ::_exit(1);
              });
              ::raise(SIGINT);
            }),
            130);
}

// The first point is finished before, the second one takes long.
TEST_F(CommandTest, CtrlCLeavesTheTableAndTheResultsOfTheFinishedPoints) {
  write(
      "a.yaml",
      "name: a\nmodel: {kind: synthetic, compute: 10 ms, gradient: 1 MB}\nmachine: dgx1-p100\n"
      "workers: 2\nsteps: 20\nwarmup: 1\nstragglers: {compute: {kind: exponential, mean: 1 ms}}\n");
  ASSERT_EQ(run({"simulate", "a.yaml", "-o", "r"}), 0) << err;
  const std::string before = read("r/results.csv");
  std::filesystem::remove("r/results.csv");
  EXPECT_EQ(in_process([] {
              std::ofstream out("out.txt");
              InterruptsAt interrupts("1 of 2 points reused");
              std::ostream err(&interrupts);
              const std::vector<std::string> args{
                  "simulate", "a.yaml", "-o", "r", "--set", "steps=[20,10000000]", "-j", "1"};
              run_command(args, out, err);
            }),
            130);
  EXPECT_THAT(read("out.txt"), HasSubstr("predicted"));
  const std::string after = read("r/results.csv");
  EXPECT_THAT(after, HasSubstr("predicted"));
  EXPECT_THAT(after, StartsWith("experiment,")) << "whole, with its heading";
  EXPECT_EQ(run({"simulate", "a.yaml", "-o", "r"}), 0) << err;
  EXPECT_THAT(err, HasSubstr("1 of 1 point reused"));
  EXPECT_EQ(read("r/results.csv"), before);
}

}  // namespace
}  // namespace paceline
