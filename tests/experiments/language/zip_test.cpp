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
}

TEST(RowPaths, GoDownToValues) {
  const Tree row =
      parse_yaml("t", "{a: 1, b: {c: {d: 1}, e: [2]}, u: {kind: ssp, slack: 2}, f: {}}");
  std::vector<std::string> paths;
  for (const KeyPath& path : row_paths(row)) paths.push_back(to_string(path));
  EXPECT_EQ(join(paths), "a, b.c.d, b.e, u, f");
}

}  // namespace
}  // namespace paceline
