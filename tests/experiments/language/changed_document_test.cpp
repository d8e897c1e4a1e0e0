// SPDX-License-Identifier: MIT
#include "experiments/language/changed_document.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/diagnostics.hpp"
#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

constexpr std::array<EmbeddedFile, 3> kPresets{{{"plain", "a: 1\nb: {c: 2, d: 3}\n"},
                                                {"priced", "of: plain\nb: {c: 4}\n"},
                                                {"itself", "of: itself\n"}}};

std::string changed(const std::string& value) {
  return to_flow(load_changed(parse_yaml("t", value), "thing", kPresets));
}

TEST(ChangedDocument, HasTheOtherKeysOfTheOneItChanges) {
  EXPECT_EQ(changed("plain"), "{a: 1, b: {c: 2, d: 3}}");
  EXPECT_EQ(changed("{a: 2}"), "{a: 2}");
  EXPECT_EQ(changed("{of: plain}"), "{a: 1, b: {c: 2, d: 3}}");
  EXPECT_EQ(changed("{of: plain, b: {d: 5}}"), "{a: 1, b: {c: 2, d: 5}}");
  EXPECT_EQ(changed("{of: plain, b: {kind: x}}"), "{a: 1, b: {kind: x}}");
}

// Regression: a key without a value removed nothing from a document that changed another.
TEST(ChangedDocument, MayChangeOneThatChangesAnother) {
  EXPECT_EQ(changed("priced"), "{a: 1, b: {d: 3, c: 4}}");
  EXPECT_EQ(changed("{of: {of: plain, a: 2}, b: {c: 9}}"), "{b: {d: 3, c: 9}, a: 2}");
  EXPECT_EQ(changed("{of: priced, b: ~}"), "{a: 1}");
  EXPECT_EQ(changed("{of: {of: {of: plain}}, b: ~}"), "{a: 1}");
}

TEST(ChangedDocument, DoesNotChangeItself) {
  try {
    changed("itself");
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_STREQ(error.what(), "itself (preset):1:1: error: 'of' names the thing itself");
  }
}

TEST(ChangedDocument, IsCalledByItsChanges) {
  EXPECT_EQ(name_of_changed(parse_yaml("t", "{of: a/plain.yaml, b: 1, c: 2}")), "plain with b, c");
  EXPECT_EQ(name_of_changed(parse_yaml("t", "{of: {a: 1}, b: 1}")), "own with b");
}

}  // namespace
}  // namespace paceline
