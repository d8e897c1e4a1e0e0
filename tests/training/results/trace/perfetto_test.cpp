// SPDX-License-Identifier: MIT
// The JSON of a trace, line by line.
#include "training/results/trace/perfetto.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/costs/prediction.hpp"
#include "training/results/trace/gradient_arrows.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Matches text that contains this JSON, written with single quotes.
auto HasJson(std::string json) {
  std::replace(json.begin(), json.end(), '\'', '"');
  return HasSubstr(json);
}

class PerfettoTest : public testing::Test {
 protected:
  PerfettoTest()
      : file_(load_experiment_text(
            "p.yaml",
            "name: p\nmodel: {kind: synthetic, compute: 9 ms, gradient: 10 MB, tensors: 2}\n"
            "machine: dgx1-p100\nworkers: 2\naggregation: parameter-server\n",
            {})),
        setting_(make_prediction(file_.points.front(), nullptr)) {
    trace_.workers = 2;
    trace_.begin = {1'000'000};  // 1 us
    trace_.end = {21'000'000};
  }

  Span& add(SpanKind kind, Stream stream, std::int64_t begin_ns, std::int64_t end_ns) {
    Span span;
    span.kind = kind;
    span.stream = stream;
    if (stream.role < 2) span.work = {stream.role, 7};
    span.begin = {begin_ns * 1000};
    span.end = {end_ns * 1000};
    trace_.spans.push_back(span);
    return trace_.spans.back();
  }

  ExperimentFile file_;
  Setting setting_;
  Trace trace_;
};

TEST_F(PerfettoTest, ASliceHasItsTimesItsNameAndWhatItWasAbout) {
  Span& push = add(SpanKind::copy, {1, StreamKind::push}, 1500, 6500);
  push.from = 1;
  push.to = 2;
  push.bytes = 20'000;
  add(SpanKind::delay, {0, StreamKind::compute}, 0, 3000);  // began before the window
  Span& forward = add(SpanKind::compute, {0, StreamKind::compute}, 3000, 8000);
  forward.layers = {Pass::forward, 0, 2};
  trace_.moments.push_back({Moment::Kind::cancelled, 0, 7, {9'000'000}});
  trace_.moments.push_back({Moment::Kind::version, -1, 3, {21'000'000}});
  const std::string lines = perfetto_events(trace_, names_of(setting_), copy_links_of(setting_));
  EXPECT_THAT(lines, HasJson("'ph':'X','tid':100006,'ts':0.500,'dur':5.000,"
                             "'name':'push to server','args':{'step':7,'bytes':20000,"
                             "'GB/s':4,'links':'gpu1->plx0, plx0->cpu0'}}"
                             "\n"));
  EXPECT_THAT(lines, HasJson("'tid':100000,'ts':0.000,'dur':2.000,'name':'delay (cancelled)'"));
  EXPECT_THAT(lines, HasJson("'name':'forward (cancelled)','args':{'step':7,'cancelled':true}}"));
  EXPECT_THAT(lines, HasJson("'args':{'name':'worker 1 push'}}"));
  EXPECT_THAT(lines, HasJson("'ph':'C','ts':0.500,'name':'plx0->cpu0','args':{'GB/s':4}}"));
  EXPECT_THAT(lines, HasJson("'ph':'C','ts':5.500,'name':'plx0->cpu0','args':{'GB/s':0}}"));
  EXPECT_THAT(lines, HasJson("'ts':8.000,'name':'step 7 cancelled'}"));
  EXPECT_THAT(lines, HasJson("'ph':'i','s':'p','ts':20.000,'name':'version 3'}"));
  EXPECT_THAT(lines, Not(HasSubstr("the trace ends here")));
}

TEST_F(PerfettoTest, SlicesOfATrackFollowEachOtherWhateverTheClocksSay) {
  add(SpanKind::delay, {0, StreamKind::compute}, 1000, 3000);
  Span& whole = add(SpanKind::compute, {0, StreamKind::compute}, 2999, 8000);
  whole.layers = {Pass::backward, 0, 2};
  Span& part = add(SpanKind::part, {0, StreamKind::compute}, 2999, 7999);
  part.layers = {Pass::backward, 1, 2};
  add(SpanKind::update, {2, StreamKind::compute}, 9000, 9500).version = 4;
  trace_.taken = {{0, 7, 3, 4}};
  const std::string lines = perfetto_events(trace_, names_of(setting_), copy_links_of(setting_));
  EXPECT_THAT(lines, HasJson("'ts':0.000,'dur':2.000,'name':'delay'"));
  EXPECT_THAT(lines, HasJson("'ts':2.000,'dur':4.999,'name':'synthetic1'"));
  EXPECT_THAT(lines, HasJson("'ts':2.000,'dur':5.000,'name':'backward'"));
  // An arrow begins where its slice is drawn.
  EXPECT_THAT(lines, HasJson("'ph':'s','tid':100000,'ts':2.000,'name':'gradient','id':1}"));
  EXPECT_THAT(lines, HasJson("'ph':'f','bp':'e','tid':100010,'ts':8.000,'name':'gradient'"));
}

TEST_F(PerfettoTest, WhatTakesNoTimeStandsBeforeWhatBeginsThen) {
  add(SpanKind::compute, {0, StreamKind::compute}, 1000, 3000).layers = {Pass::backward, 0, 2};
  add(SpanKind::compute, {0, StreamKind::compute}, 3000, 8000).layers = {Pass::forward, 0, 2};
  add(SpanKind::update, {0, StreamKind::compute}, 3000, 3000).version = 4;
  const std::string lines = perfetto_events(trace_, names_of(setting_), copy_links_of(setting_));
  const auto place = [&](std::string json) {
    std::replace(json.begin(), json.end(), '\'', '"');
    EXPECT_THAT(lines, HasSubstr(json));
    return lines.find(json);
  };
  const std::size_t backward = place("'ts':0.000,'dur':2.000,'name':'backward'");
  const std::size_t update = place("'ts':2.000,'dur':0.000,'name':'update'");
  const std::size_t forward = place("'ts':2.000,'dur':5.000,'name':'forward'");
  EXPECT_LT(backward, update);
  EXPECT_LT(update, forward);
}

TEST_F(PerfettoTest, WhatIsNothingIsNotDrawn) {
  const Stream server{2, StreamKind::compute};
  add(SpanKind::sum, server, 2000, 2000).from = 0;
  add(SpanKind::sum, server, 2000, 4000).from = 1;
  add(SpanKind::delay, {0, StreamKind::compute}, 500, 1000);     // ends as the window begins
  add(SpanKind::delay, {1, StreamKind::compute}, 21000, 22000);  // begins as the window ends
  add(SpanKind::update, server, 21000, 21000).version = 5;  // but it ends at the end of the window
  const std::string lines = perfetto_events(trace_, names_of(setting_), copy_links_of(setting_));
  EXPECT_THAT(lines, Not(HasSubstr("sum of worker 0")));
  EXPECT_THAT(lines, HasJson("'ts':1.000,'dur':2.000,'name':'sum of worker 1'"));
  EXPECT_THAT(lines, Not(HasSubstr("delay")));
  EXPECT_THAT(lines, HasJson("'ts':20.000,'dur':0.000,'name':'update'"));
}

TEST_F(PerfettoTest, LoadsOfLinksEndWithTheTrace) {
  Span& push = add(SpanKind::copy, {1, StreamKind::push}, 16000, 26000);
  push.from = 1;
  push.to = 2;
  push.bytes = 123'456'789;
  const std::string lines = perfetto_events(trace_, names_of(setting_), copy_links_of(setting_));
  EXPECT_THAT(lines, HasJson("'bytes':123456789,"));
  std::string loads;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    const std::string line = lines.substr(at, end - at);
    if (line.find("plx0->cpu0\",\"args\":{\"GB/s\"") != std::string::npos) loads += line + "\n";
    at = end + 1;
  }
  std::replace(loads.begin(), loads.end(), '"', '\'');
  EXPECT_EQ(loads,
            "'ph':'C','ts':15.000,'name':'plx0->cpu0','args':{'GB/s':12345.7}}\n"
            "'ph':'C','ts':20.000,'name':'plx0->cpu0','args':{'GB/s':0}}\n");
}

TEST_F(PerfettoTest, ArrowsLeadFromTheLastPushToTheUpdate) {
  for (const std::int64_t begin : {2000, 3000}) {
    Span& push = add(SpanKind::copy, {0, StreamKind::push}, begin, begin + 1000);
    push.from = 0;
    push.to = 2;
  }
  add(SpanKind::compute, {1, StreamKind::compute}, 2000, 4000).layers = {Pass::backward, 0, 1};
  add(SpanKind::update, {2, StreamKind::compute}, 5000, 6000).version = 4;
  trace_.taken = {{0, 7, 3, 4}, {1, 7, 3, 4}, {1, 8, 3, 5}};  // no update makes version 5 here
  const std::vector<Arrow> arrows = gradient_arrows(trace_, 3);
  ASSERT_EQ(arrows.size(), 2U);
  EXPECT_EQ(arrows[0].from, &trace_.spans[1]);
  EXPECT_EQ(arrows[0].to, &trace_.spans[3]);
  EXPECT_EQ(arrows[1].from, &trace_.spans[2]);  // no copy was needed
  const std::string lines = perfetto_events(trace_, names_of(setting_), copy_links_of(setting_));
  EXPECT_THAT(lines, HasJson("'ph':'s','tid':100001,'ts':2.000,'name':'gradient','id':1}"));
  EXPECT_THAT(lines,
              HasJson("'ph':'f','bp':'e','tid':100010,'ts':4.000,'name':'gradient','id':1}"));
}

TEST(PerfettoEvents, NameTheirProcess) {
  const TraceProcess process{3, "a \"b\"", "3", "\"point\":1"};
  EXPECT_EQ(perfetto_events_of(process, "\"ph\":\"X\"}\n\"ph\":\"C\"}\n"),
            "{\"pid\":3,\"cat\":\"3\",\"ph\":\"X\"},\n{\"pid\":3,\"cat\":\"3\",\"ph\":\"C\"},\n");
  EXPECT_THAT(perfetto_process(process),
              HasJson("'name':'process_name','args':{'name':'a \\'b\\'','point':1}},"));
}

TEST_F(PerfettoTest, TheFirstWorkersMemoryIsACounter) {
  Span& forward = add(SpanKind::compute, {0, StreamKind::compute}, 3000, 8000);
  forward.layers = {Pass::forward, 0, 2};
  Span& later = add(SpanKind::compute, {0, StreamKind::compute}, 8000, 25'000);  // after the end
  later.layers = {Pass::backward, 0, 2};
  const WorkerMemory memory{Bytes{2e9}, {Bytes{1e9}, Bytes{5e8}}};
  const std::string lines =
      perfetto_events(trace_, names_of(setting_), copy_links_of(setting_), memory);
  EXPECT_THAT(lines, HasJson("'ph':'C','ts':0.000,'name':'memory of worker 0','args':{'GB':2}}"));
  EXPECT_THAT(lines, HasJson("'ph':'C','ts':7.000,'name':'memory of worker 0','args':{'GB':3.5}}"));
  EXPECT_THAT(lines, Not(HasJson("'ts':20.000,'name':'memory of worker 0'")));
}

}  // namespace
}  // namespace paceline
