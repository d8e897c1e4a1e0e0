// SPDX-License-Identifier: MIT
#include "cli/progress.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/colour.hpp"
#include "cli/text_table.hpp"

namespace paceline {
namespace {

using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST(TimeLeft, IsThatOfTheRestAtTheSameRate) {
  EXPECT_EQ(time_left(seconds(10), 0, 4), "");
  EXPECT_EQ(time_left(seconds(10), 1, 4), "about 30 s left");
  EXPECT_EQ(time_left(seconds(0), 1, 4), "about 1 s left");
  EXPECT_EQ(time_left(seconds(60), 1, 4), "about 3 min left");
  EXPECT_EQ(time_left(seconds(7200), 1, 3), "about 4 h left");
  EXPECT_EQ(time_left(seconds(10), 4, 4), "");
}

struct Shown {
  std::ostringstream out, err;
  Terminal terminal{out, err};
};

TEST(Progress, NamesThePointOnATerminal) {
  Shown shown;
  shown.terminal.live = true;
  {
    ProgressBar bar(shown.terminal, "predicting", 2, false);
    bar.set_current("vgg16, async, 8 workers");
  }
  EXPECT_THAT(shown.err.str(),
              HasSubstr("\rpredicting [....................] 0/2  vgg16, async, 8 workers\x1b[K"));
  EXPECT_THAT(shown.err.str(), EndsWith("\r\x1b[K")) << "the bar is wiped at the end";
  EXPECT_THAT(shown.err.str(), Not(HasSubstr("\x1b[3"))) << "no colour where none is taken";
}

TEST(Progress, IsNeverWiderThanTheTerminal) {
  Shown shown;
  shown.terminal.live = true;
  shown.terminal.width = 60;
  {
    ProgressBar bar(shown.terminal, "predicting", 2, false);
    bar.set_current(std::string(200, 'x'));
  }
  std::istringstream lines(shown.err.str());
  for (std::string line; std::getline(lines, line, '\r');) EXPECT_LT(line.size(), 60U + 3U) << line;
  EXPECT_THAT(shown.err.str(), HasSubstr("xxx..."));
}

TEST(Progress, IsPlainElsewhere) {
  Shown shown;
  {
    ProgressBar bar(shown.terminal, "predicting", 2, false);
    bar.set_current("vgg16");
    bar.advance();
  }
  EXPECT_EQ(shown.err.str(), "") << "the run is over before a line is due";
}

TEST(Colours, MarkTheWordErrorAlone) {
  EXPECT_EQ(coloured_errors("a.yaml:1:2: error: no\n", false), "a.yaml:1:2: error: no\n");
  EXPECT_EQ(coloured_errors("a: error: no\nb: note: error: yes", true),
            "a: \x1b[31merror:\x1b[0m no\nb: note: \x1b[31merror:\x1b[0m yes");
  EXPECT_EQ(coloured("", Colour::red, true), "");
  EXPECT_EQ(width_of(coloured("12 %", Colour::red, true)), 4U);
}

TEST(Colours, ObeyNoColor) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(colour_allowed());
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(colour_allowed());
  unsetenv("NO_COLOR");
  EXPECT_TRUE(colour_allowed());
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(is_terminal(2));
}

TEST(TextTable, AlignsColouredCells) {
  EXPECT_EQ(text_table({{"n", true}}, {{coloured("7", Colour::red, true)}, {"12"}}),
            " n\n \x1b[31m7\x1b[0m\n12\n");
}

}  // namespace
}  // namespace paceline
