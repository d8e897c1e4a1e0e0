// SPDX-License-Identifier: MIT
#include "training/results/columns.hpp"

#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(Columns, HaveEachANameAndAMeaning) {
  std::set<std::string> names;
  for (const Column& column : columns()) {
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
    EXPECT_NE(std::string(column.meaning), "") << column.name;
  }
}

TEST(Columns, OfFiguresAreNoneTwice) {
  std::set<const void*> places;
  const Measurement blank;
  std::size_t count = 0;
  for (const Column& column : columns()) {
    if (column.figure() == nullptr) continue;
    ++count;
    places.insert(&(blank.*column.figure()->value));
  }
  EXPECT_EQ(places.size(), count);
}

TEST(Columns, SayWhatTheRowSays) {
  Measurement measurement;
  measurement.step_mean = 0.5;
  measurement.delay = 0.125;
  measurement.iteration_mean = 0.25;
  measurement.status = "bound";
  ResultLine line;
  line.measurement = &measurement;
  line.workers = 8;
  line.speedup = 1.5;
  std::string text;
  for (const Column& column : columns()) {
    const Tree value = column.value(line);
    if (!value.text.empty()) text += std::string(column.name) + "=" + to_flow(value) + " ";
  }
  EXPECT_EQ(text,
            "workers=8 iteration_s_mean=0.25 step_s_mean=0.5 delay_s=0.125 speedup=1.5 "
            "status=bound updates_per_s=4 injected_share=0.25 ");
}

// docs/model.md has the table; this test prints it if they differ.
TEST(Columns, AreThoseOfThePage) {
  std::ifstream file(std::string(PACELINE_SOURCE_DIR) + "/docs/model.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(page, testing::HasSubstr(columns_page()));
}

}  // namespace
}  // namespace paceline
