// SPDX-License-Identifier: MIT
#include "experiments/language/override.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "tests/experiments/language/sample_spec.hpp"

namespace paceline {
namespace {

constexpr const char* kBase =
    "{workers: [1, 2], update: k-async, aggregation: {kind: ps, overlap: true}, batch: 64}";

std::string after(const std::string& assignment, const std::string& base = kBase) {
  Tree tree = parse_yaml("t", base);
  try {
    apply_override(tree, assignment);
  } catch (const SpecError& error) {
    return error.what();
  }
  return to_flow(tree);
}

TEST(Override, ReplacesAValue) {
  EXPECT_EQ(after("a=2", "{a: 1}"), "{a: 2}");
  EXPECT_EQ(after("a=[1, 2]", "{a: 1}"), "{a: [1, 2]}");
  EXPECT_EQ(after("a={kind: k-sync, k: 2}", "{a: {b: 1}}"), "{a: {kind: k-sync, k: 2}}");
  EXPECT_EQ(after("a.b=false", "{a: {b: 1, c: 2}}"), "{a: {b: false, c: 2}}");
  EXPECT_EQ(after("a=25 MiB", "{a: 1}"), "{a: 25 MiB}");
  EXPECT_EQ(after("a='8'", "{a: 1}"), "{a: \"8\"}");
  EXPECT_EQ(after("a=x=y", "{a: 1}"), "{a: x=y}");
}

TEST(Override, MakesMappingsOnTheWay) {
  EXPECT_EQ(after("a.b.c=1", "{}"), "{a: {b: {c: 1}}}");
  EXPECT_EQ(after("a.b=1", "{a: }"), "{a: {b: 1}}");
  EXPECT_EQ(after("stragglers.workers.3.slowdown=2", "{a: 1}"),
            "{a: 1, stragglers: {workers: {3: {slowdown: 2}}}}");
}

TEST(Override, ABareNameBecomesItsKind) {
  EXPECT_EQ(after("update.k=2", "{update: k-async}"), "{update: {kind: k-async, k: 2}}");
}

TEST(Override, NullTakesAKeyOut) {
  EXPECT_EQ(after("batch=null", "{batch: 64, a: 1}"), "{a: 1}");
  EXPECT_EQ(after("a.b=~", "{a: {b: 1, c: 2}}"), "{a: {c: 2}}");
  EXPECT_EQ(after("bacth=null", "{batch: 64}"),
            "--set bacth=null:1:1: error: cannot remove 'bacth': the file does not have it");
}

TEST(Override, MistakesStandInTheTextThatWasGiven) {
  EXPECT_EQ(after("workers"), "--set workers:1:1: error: expected key=value");
  EXPECT_EQ(after("=3"), "--set =3:1:1: error: '' is not a key (letters, digits, '-' and '_')");
  EXPECT_EQ(after("a..b=3"),
            "--set a..b=3:1:3: error: '' is not a key (letters, digits, '-' and '_')");
  EXPECT_EQ(after("a b=3"),
            "--set a b=3:1:1: error: 'a b' is not a key (letters, digits, '-' and '_')");
  EXPECT_EQ(after("a="), "--set a=:1:3: error: 'a' has no value");
  EXPECT_EQ(after("a.b= "), "--set a.b= :1:5: error: 'a.b' has no value");
  EXPECT_EQ(after("a={b: 1, b: 2}"), "--set a={b: 1, b: 2}:1:10: error: duplicate key 'b'");
  EXPECT_EQ(after("workers.0=1"),
            "--set workers.0=1:1:9: error: 'workers' is a list (set it whole)");
  EXPECT_NE(after("a=" + std::string("\xFF")).find("is not UTF-8"), std::string::npos);
}

TEST(Override, ANamedDocumentIsChanged) {
  const std::vector<std::string> references{"machine"};
  const auto changed = [&](const std::string& yaml, const std::vector<std::string>& assignments) {
    Tree tree = parse_yaml("t", yaml);
    apply_overrides(tree, assignments, references);
    return to_flow(tree);
  };
  EXPECT_EQ(changed("{machine: dgx-a100, update: k-sync}",
                    {"machine.price=3 USD/h", "machine.host.cores=8", "update.k=2"}),
            "{machine: {of: dgx-a100, price: 3 USD/h, host: {cores: 8}}, update: {kind: k-sync, k: "
            "2}}");
  EXPECT_EQ(changed("{zip: [{machine: a}, {machine: {of: b, count: 2}}]}", {"machine.count=4"}),
            "{zip: [{machine: {of: a, count: 4}}, {machine: {of: b, count: 4}}]}");
}

TEST(Override, LongAndDeepTextIsRefused) {
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  EXPECT_NE(after(deep + "=1").find("nested too deeply (at most 32 keys)"), std::string::npos);
  EXPECT_NE(after("a=" + std::string(1000, '[')).find("error: "), std::string::npos);
}

TEST(Override, SeveralValuesAreAListAsTyped) {
  Tree tree = parse_yaml("t", "{name: a, model: m}");
  apply_overrides(tree, {"workers=1,2,4"});
  Diagnostics diagnostics;
  read<sample::Spec>(tree, diagnostics);
  EXPECT_EQ(diagnostics.lines().at(0),
            "--set workers=1,2,4:1:9: error: '1,2,4' is not an integer (several values are a list: "
            "[1,2,4])");
}

TEST(Override, LaterErrorsNameIt) {
  Tree tree = parse_yaml("t", "{name: a, model: m}");
  apply_overrides(tree, {"workers=two", "link.latency=3 GB", "precison=fp16"});
  Diagnostics diagnostics;
  read<sample::Spec>(tree, diagnostics);
  EXPECT_EQ(diagnostics.lines().at(0), "--set workers=two:1:9: error: 'two' is not an integer");
  EXPECT_EQ(diagnostics.lines().at(1),
            "--set link.latency=3 GB:1:1: error: missing key 'bandwidth'");
  EXPECT_EQ(diagnostics.lines().at(2),
            "--set link.latency=3 GB:1:14: error: '3 GB' is not a time (write a number and one of: "
            "ns, us, ms, s, min, h)");
  EXPECT_EQ(diagnostics.lines().at(3).substr(0, 48),
            "--set precison=fp16:1:1: error: unknown key 'pre");
}

std::string zipped(const std::string& yaml, const std::string& assignment) {
  Tree tree = parse_yaml("t", yaml);
  apply_override(tree, assignment);
  return to_flow(tree);
}

TEST(Override, WinsOverTheRowsOfZip) {
  EXPECT_EQ(zipped("{zip: [{model: a, batch: 64}, {model: b, batch: 32}]}", "batch=16"),
            "{zip: [{model: a}, {model: b}], batch: 16}");
  EXPECT_EQ(zipped("{zip: [{model: a, batch: 64}, {model: a, batch: 32}]}", "batch=16"),
            "{zip: [{model: a}], batch: 16}")
      << "rows that no longer differ are one";
  EXPECT_EQ(zipped("{zip: [{batch: 64}, {batch: 32}]}", "batch=[1, 2]"), "{batch: [1, 2]}")
      << "rows that say nothing more are none";
  EXPECT_EQ(zipped("{batch: 8, zip: [{batch: 64}, {batch: 32}]}", "steps=3"),
            "{batch: 8, zip: [{batch: 64}, {batch: 32}], steps: 3}")
      << "a key that the rows do not give";
}

TEST(Override, ReachesIntoTheRowsOfZip) {
  EXPECT_EQ(zipped("{zip: [{update: sync}, {update: {kind: k-sync, k: 2}}]}", "update.k=4"),
            "{zip: [{update: {kind: sync, k: 4}}, {update: {kind: k-sync, k: 4}}]}");
  EXPECT_EQ(zipped("{zip: [{s: {a: 1, b: 2}}, {s: {a: 3, b: 4}}]}", "s.a=9"),
            "{zip: [{s: {b: 2}}, {s: {b: 4}}], s: {a: 9}}");
  EXPECT_EQ(zipped("{zip: [{s: {of: x, a: 1}}, {s: {kind: y}}]}", "s.a=9"),
            "{zip: [{s: {of: x, a: 9}}, {s: {kind: y, a: 9}}]}")
      << "a value that one row describes in parts";
  EXPECT_EQ(zipped("{zip: [{s: {a: 1}}, {s: {a: 3}}]}", "s.a=9"), "{s: {a: 9}}");
  EXPECT_EQ(zipped("{zip: [{s: {a: 1}, b: 1}, {s: {a: 3}, b: 2}]}", "s=x"),
            "{zip: [{b: 1}, {b: 2}], s: x}");
}

TEST(Override, TakesAKeyOutOfTheRowsOfZip) {
  EXPECT_EQ(zipped("{zip: [{model: a, batch: 64}, {model: b, batch: 32}]}", "batch=null"),
            "{zip: [{model: a}, {model: b}]}");
  EXPECT_EQ(zipped("{zip: [{s: {a: 1}, b: 1}, {s: {a: 3}, b: 2}]}", "s.a=null"),
            "{zip: [{b: 1}, {b: 2}]}");
  EXPECT_EQ(zipped("{s: {c: 5}, zip: [{s: {a: 1, b: 2}}, {s: {a: 3, b: 4}}]}", "s.a=null"),
            "{s: {c: 5}, zip: [{s: {b: 2}}, {s: {b: 4}}]}");
  EXPECT_EQ(zipped("{s: {a: 5, c: 6}, zip: [{s: {a: 1}}, {s: {a: 3}}]}", "s.a=null"),
            "{s: {c: 6}}");
}

TEST(Overrides, AreAppliedInOrderAndReportedTogether) {
  Tree tree = parse_yaml("t", "{a: 1}");
  try {
    apply_overrides(tree, {"a=2", "b", "a.=1", "a=3"});
    FAIL() << "nothing was thrown";
  } catch (const SpecError& error) {
    EXPECT_STREQ(error.what(),
                 "--set b:1:1: error: expected key=value\n"
                 "--set a.=1:1:3: error: '' is not a key (letters, digits, '-' and '_')");
  }
  EXPECT_EQ(to_flow(tree), "{a: 3}");
}

}  // namespace
}  // namespace paceline
