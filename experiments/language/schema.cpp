// SPDX-License-Identifier: MIT
// Builds the schema as a Tree and prints it as JSON. Families, mappings and quantities become
// definitions that are referenced, because a family may contain itself (a mixture of distributions)
// and because every value type is used twice: alone and as the item of a list.
#include "experiments/language/schema.hpp"

#include <algorithm>
#include <string_view>

#include "experiments/language/family.hpp"
#include "experiments/language/json.hpp"
#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

Tree flag(bool value) {
  return Tree::scalar(value ? "true" : "false");
}

Tree texts(const std::vector<std::string>& values) {
  std::vector<Tree> items;
  items.reserve(values.size());
  for (const std::string& value : values) items.push_back(Tree::quoted_scalar(value));
  return Tree::list(std::move(items));
}

Tree object(const std::vector<std::pair<std::string, Tree>>& members) {
  Tree tree = Tree::map();
  for (const auto& [key, value] : members) tree.set(key, value);
  return tree;
}

Tree of_type(const char* type) {
  return object({{"type", Tree::quoted_scalar(type)}});
}

Tree any_of(std::vector<Tree> schemas) {
  return object({{"anyOf", Tree::list(std::move(schemas))}});
}

/// The name of a definition: "a.b c" becomes "a.b-c".
std::string definition_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

Tree reference(const std::string& name) {
  return object({{"$ref", Tree::quoted_scalar("#/$defs/" + name)}});
}

std::string quantity_pattern(const std::vector<std::string>& units) {
  return "^-?[0-9.]+([eE][-+]?[0-9]+)? *(" + join(units, "|") + ")$";
}

/// Adds the bounds of a plain number ("> 0, <= 1") to its schema.
void add_bounds(Tree& schema, std::string_view bounds) {
  while (!bounds.empty()) {
    const std::size_t blank = bounds.find(' ');
    const std::size_t end = std::min(bounds.find(", "), bounds.size());
    const std::string_view sign = bounds.substr(0, blank);
    const char* word = sign == ">"    ? "exclusiveMinimum"
                       : sign == ">=" ? "minimum"
                       : sign == "<"  ? "exclusiveMaximum"
                                      : "maximum";
    schema.set(word, Tree::scalar(std::string(bounds.substr(blank + 1, end - blank - 1))));
    bounds.remove_prefix(std::min(end + 2, bounds.size()));
  }
}

class SchemaWriter {
 public:
  explicit SchemaWriter(const NamesOfKeys& names) : names_(names) {}

  /// The schema of a mapping with these keys; `path` is the prefix of nested definitions' names.
  Tree mapping(const std::vector<KeyInfo>& keys, const std::string& path) {
    Tree properties = Tree::map();
    for (const KeyInfo& key : keys) {
      properties.set(key.name, of_key(key, path.empty() ? key.name : path + "." + key.name));
    }
    return object({{"type", Tree::quoted_scalar("object")},
                   {"properties", std::move(properties)},
                   {"additionalProperties", flag(false)}});
  }
  static Tree required(const std::vector<KeyInfo>& keys) {
    std::vector<std::string> names;
    for (const KeyInfo& key : keys) {
      if (key.required) names.push_back(key.name);
    }
    return texts(names);
  }
  Tree definitions() const { return definitions_; }

 private:
  Tree of_key(const KeyInfo& key, const std::string& path) {
    Tree value = of_value(key.type, path);
    if (const auto names = names_.find(path); names != names_.end())
      value = any_of({define("names." + path, [&] { return of_names(names->second); }), value});
    if (key.type.name == "integer" || key.type.name == "number") add_bounds(value, key.bounds);
    Tree schema = value_or_sweep(value);
    const std::string summary = value_summary(key);
    schema.set("description",
               Tree::quoted_scalar(key.help + (summary.empty() ? "" : " (" + summary + ")")));
    if (!key.fallback.empty() && key.fallback != "null") {
      schema.set("default", parse_yaml("default of " + key.name, key.fallback));
    }
    return schema;
  }

  static Tree of_names(const std::vector<std::string>& names) {
    return object({{"enum", texts(names)}});
  }

  static Tree value_or_sweep(const Tree& value) {
    if (value.members.empty()) return value;  // any value, lists included
    Tree sweep = of_type("array");
    sweep.set("minItems", Tree::scalar("1"));
    sweep.set("items", value);
    return any_of({value, std::move(sweep)});
  }

  Tree of_value(const TypeInfo& type, const std::string& path) {
    Tree schema = Tree::map();
    if (type.list) {
      schema = of_type("array");
      if (type.element) schema.set("items", of_value(*type.element, path));
    } else if (type.variants) {
      schema = of_family(type);
    } else if (type.element) {
      schema = of_type("object");
      schema.set("additionalProperties", value_or_sweep(of_value(*type.element, path + ".*")));
    } else if (type.fields) {
      schema = define("keys." + path, [&] {
        const std::vector<KeyInfo> keys = type.fields();
        Tree fields = mapping(keys, path);
        if (Tree names = required(keys); !names.items.empty()) fields.set("required", names);
        return fields;
      });
    } else if (!type.units.empty()) {
      schema = of_quantity(type);
    } else if (!type.choices.empty()) {
      schema.set("enum", texts(type.choices));
    } else {
      return of_scalar(type.name);
    }
    std::vector<Tree> forms{std::move(schema)};
    if (!type.also.empty()) {
      forms.push_back(object({{"type", Tree::quoted_scalar("string")},
                              {"description", Tree::quoted_scalar(type.also)}}));
    }
    if (type.changes) add_changed(forms, type, path);
    return forms.size() == 1 ? forms.front() : any_of(std::move(forms));
  }

  /// A mapping that changes another one, which `of` names; of a family any keys.
  void add_changed(std::vector<Tree>& forms, const TypeInfo& type, const std::string& path) {
    const std::vector<KeyInfo> keys = type.fields ? type.fields() : std::vector<KeyInfo>();
    const auto is_of = [](const KeyInfo& key) { return key.name == "of"; };
    if (std::ranges::any_of(keys, is_of)) return;
    forms.push_back(define("changed." + path, [&] {
      Tree fields = keys.empty() ? of_type("object") : mapping(keys, path);
      if (keys.empty()) fields.set("properties", Tree::map());
      fields.find("properties")->set("of", any_of({of_type("string"), of_type("object")}));
      fields.set("required", texts({"of"}));
      return fields;
    }));
  }

  static Tree of_scalar(const std::string& name) {
    if (name == "integer") return of_type("integer");
    if (name == "number") return of_type("number");
    if (name == "true or false") return of_type("boolean");
    if (name == "text")
      return object({{"type", texts({"string", "number"})}});  // `name: 8` is text
    return Tree::map();
  }

  Tree of_quantity(const TypeInfo& type) {
    std::vector<std::string> units = type.units;
    const bool bare = std::erase(units, "") > 0;
    return define(definition_name(type.name), [&] {
      Tree quantity = of_type("string");
      quantity.set("pattern", Tree::quoted_scalar(quantity_pattern(units)));
      quantity.set("description", Tree::quoted_scalar("a " + type.name + " in " + join(units)));
      return bare ? any_of({of_type("number"), std::move(quantity)}) : quantity;
    });
  }

  Tree of_family(const TypeInfo& type) {
    const std::string name = definition_name(type.family);
    return define(name, [&] {
      std::vector<Tree> forms;
      for (const VariantInfo& variant : type.variants()) {
        Tree names = required(variant.keys);
        if (names.items.empty()) {  // a bare name is enough
          forms.push_back(object({{"const", Tree::quoted_scalar(variant.name)},
                                  {"description", Tree::quoted_scalar(variant.help)}}));
        }
        Tree form = mapping(variant.keys, name + "." + variant.name);
        Tree properties =
            object({{"kind", object({{"const", Tree::quoted_scalar(variant.name)}})}});
        for (Member& key : form.find("properties")->members) properties.set(key.key, key.value);
        form.set("properties", std::move(properties));
        names.items.insert(names.items.begin(), Tree::quoted_scalar("kind"));
        form.set("required", std::move(names));
        form.set("description", Tree::quoted_scalar(variant.help));
        forms.push_back(std::move(form));
      }
      return object({{"oneOf", Tree::list(std::move(forms))}});
    });
  }

  /// A reference to the definition `name`; `make` builds the definition on first use.
  template <class Make>
  Tree define(const std::string& name, Make make) {
    if (definitions_.find(name) == nullptr) {
      definitions_.set(name, Tree::map());  // reserves the name, since a family may refer to itself
      Tree definition = make();
      definitions_.set(name, std::move(definition));
    }
    return reference(name);
  }

  const NamesOfKeys& names_;
  Tree definitions_ = Tree::map();
};

/// The schema of `zip`: rows with the document's keys.
Tree zip_schema(const std::vector<KeyInfo>& keys) {
  Tree properties = Tree::map();
  for (const KeyInfo& key : keys) {
    properties.set(key.name, object({{"$ref", Tree::quoted_scalar("#/properties/" + key.name)}}));
  }
  return object(
      {{"description", Tree::quoted_scalar("rows that are merged over the rest, a point each")},
       {"type", Tree::quoted_scalar("array")},
       {"minItems", Tree::scalar("1")},
       {"items", object({{"type", Tree::quoted_scalar("object")},
                         {"minProperties", Tree::scalar("1")},
                         {"properties", std::move(properties)},
                         {"additionalProperties", flag(false)}})}});
}

}  // namespace

std::string value_summary(const KeyInfo& key) {
  std::vector<std::string> parts;
  if (!key.type.name.empty() && key.type.name != "anything") parts.push_back(key.type.name);
  if (!key.bounds.empty()) parts.push_back(key.bounds);
  if (key.required) {
    parts.emplace_back("required");
  } else if (!key.fallback.empty() && key.fallback != "null") {
    parts.push_back("default " + key.fallback);
  }
  return join(parts, "; ");
}

std::string json_schema(const std::vector<KeyInfo>& keys, const std::string& title,
                        const NamesOfKeys& names) {
  SchemaWriter writer(names);
  Tree body = writer.mapping(keys, "");
  body.find("properties")->set("zip", zip_schema(keys));
  Tree schema =
      object({{"$schema", Tree::quoted_scalar("https://json-schema.org/draft/2020-12/schema")},
              {"title", Tree::quoted_scalar(title)}});
  for (Member& member : body.members) schema.set(member.key, std::move(member.value));
  if (Tree required = SchemaWriter::required(keys); !required.items.empty()) {
    schema.set("if", object({{"required", texts({"zip"})}}));  // rows of zip may supply them
    schema.set("else", object({{"required", std::move(required)}}));
  }
  schema.set("$defs", writer.definitions());
  return to_json(schema, 2) + "\n";
}

}  // namespace paceline
