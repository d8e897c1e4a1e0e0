// SPDX-License-Identifier: MIT
#include "experiments/language/zip.hpp"

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

std::string merged(const std::string& base, const std::string& over) {
  Tree tree = parse_yaml("base", base);
  merge(tree, parse_yaml("over", over));
  return to_flow(tree);
}

TEST(Merge, GoesKeyByKey) {
  EXPECT_EQ(merged("{a: 1, b: {c: 2, d: 3}}", "{b: {d: 4, e: 5}, f: 6}"),
            "{a: 1, b: {c: 2, d: 4, e: 5}, f: 6}");
  EXPECT_EQ(merged("{a: [1, 2]}", "{a: 3}"), "{a: 3}");
  EXPECT_EQ(merged("{a: [1, 2]}", "{a: {b: 3}}"), "{a: {b: 3}}");
}

TEST(Merge, AKindReplacesAndABareNameIsAKind) {
  EXPECT_EQ(merged("{u: {kind: k-async, k: 4}}", "{u: {kind: ssp, slack: 2}}"),
            "{u: {kind: ssp, slack: 2}}");
  EXPECT_EQ(merged("{u: {kind: k-async, k: 4}}", "{u: {k: 2}}"), "{u: {kind: k-async, k: 2}}");
  EXPECT_EQ(merged("{u: k-async}", "{u: {k: 2}}"), "{u: {kind: k-async, k: 2}}");
  EXPECT_EQ(merged("{u: {kind: k-async, k: 4}}", "{u: sync}"), "{u: sync}");
  EXPECT_EQ(merged("{m: x}", "{m: {of: y, price: 3}}"), "{m: {of: y, price: 3}}");
}

TEST(RowPaths, GoDownToValues) {
  const Tree row =
      parse_yaml("t", "{a: 1, b: {c: {d: 1}, e: [2]}, u: {kind: ssp, slack: 2}, f: {}}");
  std::vector<std::string> paths;
  for (const KeyPath& path : row_paths(row)) paths.push_back(to_string(path));
  EXPECT_EQ(join(paths), "a, b.c.d, b.e, u, f");
}

std::string paths_of(const std::string& zip) {
  std::vector<std::string> paths;
  for (const KeyPath& path : zip_paths(parse_yaml("t", zip))) paths.push_back(to_string(path));
  return join(paths);
}

// A machine that is named in one row and described in another is one value in both.
TEST(ZipPaths, AreOfValuesInAllRows) {
  EXPECT_EQ(paths_of("[{a: {b: 1, c: 2}}, {a: {b: 3, c: 4}}]"), "a.b, a.c");
  EXPECT_EQ(paths_of("[{a: {b: 1, c: 2}, d: 1}, {a: x, d: 2}]"), "a, d");
  EXPECT_EQ(paths_of("[{a: {b: {c: 1, d: 2}, e: 1}}, {a: {b: x, e: 2}}]"), "a.b, a.e");
  EXPECT_EQ(paths_of("[{a: x}, {a: {b: 1}}, {a: {kind: y, b: 2}}]"), "a");
}

std::string errors_of(const std::string& zip) {
  Diagnostics diagnostics;
  check_rows(parse_yaml("t", zip), diagnostics);
  return join(diagnostics.lines(), "\n");
}

TEST(CheckRows, KindsOfAValueMayDiffer) {
  EXPECT_EQ(errors_of("[{m: {of: x, price: 3}}, {m: x.yaml}, {m: {gpus: [1], host: {cores: 2}}}]"),
            "");
  EXPECT_EQ(errors_of("[{m: {of: x}, b: 1}, {m: x.yaml}]"),
            "t:1:22: error: this row of 'zip' sets m (every row must set the keys of the first: m, "
            "b)");
  EXPECT_EQ(errors_of("[{m: {of: x, price: 1}}, {m: {of: x}}]"),
            "t:1:26: error: this row of 'zip' sets m.of (every row must set the keys of the first: "
            "m.of, m.price)");
}

}  // namespace
}  // namespace paceline
