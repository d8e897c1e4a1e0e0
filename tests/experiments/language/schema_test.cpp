// SPDX-License-Identifier: MIT
#include "experiments/language/schema.hpp"

#include <set>

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"
#include "tests/experiments/language/sample_spec.hpp"

namespace paceline {
namespace {

struct Small {
  std::string name;
  double rate = 0.5;
  Seconds timeout{0.01};
  std::vector<int> steps;
  static void describe(Description<Small>& d) {
    d.required("name", &Small::name, "what results are called");
    d.optional("rate", &Small::rate, "of learning").above(0).at_most(1);
    d.optional("timeout", &Small::timeout, "until giving up").above(Seconds{0});
    d.optional("steps", &Small::steps, "where the rate falls");
  }
};

/// The schema as a tree: JSON is YAML.
Tree schema_of(const std::vector<KeyInfo>& keys) {
  return parse_yaml("schema", json_schema(keys, "An experiment"));
}

const Tree& at(const Tree& tree, const std::vector<std::string>& path) {
  const Tree* node = &tree;
  for (const std::string& key : path) {
    node = node->find(key);
    if (node == nullptr) throw std::out_of_range(key);
  }
  return *node;
}

/// Flow YAML without quotes, which would obscure the expected text with backslashes.
std::string plain(const Tree& tree) {
  std::string text = to_flow(tree);
  std::erase(text, '"');
  return text;
}

void collect_references(const Tree& tree, std::set<std::string>& names) {
  const Tree* reference = tree.find("$ref");
  if (reference != nullptr && reference->is_scalar()) names.insert(reference->text);
  for (const Tree& item : tree.items) collect_references(item, names);
  for (const Member& member : tree.members) collect_references(member.value, names);
}

TEST(JsonSchema, EveryKeyTakesAValueOrASweepOfThem) {
  const Tree schema = schema_of(keys_of<Small>());
  EXPECT_EQ(plain(at(schema, {"properties", "rate"})),
            "{anyOf: [{type: number, exclusiveMinimum: 0, maximum: 1}, {type: array, minItems: 1, "
            "items: {type: number, exclusiveMinimum: 0, maximum: 1}}], description: of learning "
            "(number; > 0, <= 1; default 0.5), default: 0.5}");
  EXPECT_EQ(plain(at(schema, {"properties", "timeout"})),
            "{anyOf: [{$ref: #/$defs/time}, {type: array, minItems: 1, items: {$ref: "
            "#/$defs/time}}], description: until giving up (time; > 0 s; default 10 ms), default: "
            "10 ms}");
  EXPECT_EQ(plain(at(schema, {"properties", "steps"})),
            "{anyOf: [{type: array, items: {type: integer}}, {type: array, minItems: 1, items: "
            "{type: array, items: {type: integer}}}], description: where the rate falls (list of "
            "integer; default []), default: []}");
}

TEST(JsonSchema, OnlyKnownKeysAndTheRequiredOnesUnlessAZipGivesThem) {
  const Tree schema = schema_of(keys_of<Small>());
  EXPECT_EQ(at(schema, {"$schema"}).text, "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(at(schema, {"additionalProperties"}).text, "false");
  EXPECT_EQ(plain(at(schema, {"if"})), "{required: [zip]}");
  EXPECT_EQ(plain(at(schema, {"else"})), "{required: [name]}");
  EXPECT_EQ(plain(at(schema, {"properties", "zip", "items", "properties"})),
            "{name: {$ref: #/properties/name}, rate: {$ref: #/properties/rate}, timeout: {$ref: "
            "#/properties/timeout}, steps: {$ref: #/properties/steps}}");
}

TEST(JsonSchema, QuantitiesArePatterns) {
  const Tree schema = schema_of(keys_of<sample::Spec>());
  EXPECT_EQ(at(schema, {"$defs", "time", "pattern"}).text,
            "^-?[0-9.]+([eE][-+]?[0-9]+)? *(ns|us|ms|s|min|h)$");
  EXPECT_EQ(plain(at(schema, {"$defs", "count-or-share-of-the-workers", "anyOf"}).items[0]),
            "{type: number}");
  EXPECT_EQ(plain(at(schema, {"$defs", "count-or-share-of-the-workers", "anyOf"}).items[1]),
            "{type: string, pattern: ^-?[0-9.]+([eE][-+]?[0-9]+)? *(%)$, description: a count or "
            "share of the workers in %}");
}

TEST(JsonSchema, AFamilyIsANameOrAMappingWithItsKind) {
  const Tree schema = schema_of(keys_of<sample::Spec>());
  const Tree& forms = at(schema, {"$defs", "delay", "oneOf"});
  EXPECT_EQ(plain(forms.items[0]), "{const: none, description: no delay}");
  EXPECT_EQ(plain(forms.items[1]),
            "{type: object, properties: {kind: {const: none}}, additionalProperties: false, "
            "required: [kind], description: no delay}");
  // `exponential` has a required key, so its bare name is not enough
  EXPECT_EQ(plain(at(forms.items[2], {"required"})), "[kind, mean]");
  EXPECT_EQ(forms.items.size(), 4U);
}

TEST(JsonSchema, EveryReferenceHasItsDefinition) {
  const Tree schema = schema_of(keys_of<sample::Spec>());
  std::set<std::string> names;
  collect_references(schema, names);
  EXPECT_TRUE(names.contains("#/$defs/delay"));
  EXPECT_TRUE(names.contains("#/$defs/keys.stragglers"));
  for (const std::string& name : names) {
    const Tree* node = &schema;
    for (std::size_t begin = 2; begin < name.size();) {
      const std::size_t end = std::min(name.find('/', begin), name.size());
      node = node->find(name.substr(begin, end - begin));
      ASSERT_NE(node, nullptr) << name;
      begin = end + 1;
    }
  }
}

TEST(JsonSchema, SaysWhatElseMayStandThere) {
  KeyInfo key;
  key.name = "machine";
  key.type.name = "machine";
  key.type.choices = {"dgx1", "this"};
  key.type.also = "a path to a machine file";
  EXPECT_EQ(plain(at(schema_of({key}), {"properties", "machine", "anyOf"}).items[0]),
            "{anyOf: [{enum: [dgx1, this]}, {type: string, description: a path to a machine "
            "file}]}");
}

}  // namespace
}  // namespace paceline
