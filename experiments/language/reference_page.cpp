// SPDX-License-Identifier: MIT
#include "experiments/language/reference_page.hpp"

#include <cctype>
#include <string_view>
#include <utility>

#include "experiments/language/family.hpp"

namespace paceline {
namespace {

std::string code(const std::string& text) {
  return "`" + text + "`";
}

std::string codes(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.push_back(code(text));
  return join(all);
}

/// The anchor that Markdown renderers derive from a heading.
std::string anchor(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    if (c == ' ') out += '-';
    if (c == '-' || std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

class PageWriter {
 public:
  explicit PageWriter(std::string page) : page_(std::move(page)) {}

  std::string table(const std::vector<KeyInfo>& keys) {
    std::string out = table_head("key");
    add_rows(keys, "", out);
    return out;
  }

  std::string page(const std::vector<KeyInfo>& keys, const std::string& intro,
                   const std::vector<KeySection>& further) {
    std::string out = intro + "\n## Keys\n\n" + table(keys);
    for (const KeySection& section : further) {
      out += "\n## " + section.heading + "\n\n" + section.intro + "\n\n" + table(section.keys);
    }
    for (std::size_t i = 0; i < families_.size(); ++i) {  // families_ grows in the loop
      const TypeInfo family = families_[i];
      out += "\n## " + capitalised(family.family) + "\n\n" + table_head("kind and its keys");
      for (const VariantInfo& variant : family.variants()) {
        out += "| **" + code(variant.name) + "** | | | " + table_cell(variant.help) + " |\n";
        add_rows(variant.keys, "", out);
      }
    }
    return out + units();
  }

 private:
  static std::string table_head(const std::string& first) {
    return "| " + first + " | value | default | meaning |\n|---|---|---|---|\n";
  }

  void add_rows(const std::vector<KeyInfo>& keys, const std::string& prefix, std::string& out) {
    for (const KeyInfo& key : keys) {
      const std::string path = prefix + key.name;
      std::string value = value_of(key.type);
      if (!key.bounds.empty()) value += ", " + key.bounds;
      std::string fallback =
          key.fallback.empty() || key.fallback == "null" ? "" : code(key.fallback);
      if (key.type.fields) fallback.clear();  // the nested keys have rows with their own defaults
      out += "| " + code(path) + " | " + table_cell(value) + " | " +
             (key.required ? "required" : table_cell(fallback)) + " | " + table_cell(key.help) +
             " |\n";
      add_nested(key.type, path, out);
    }
  }

  void add_nested(const TypeInfo& type, const std::string& path, std::string& out) {
    if (type.list && type.element) return add_nested(*type.element, path + "[]", out);
    if (type.element) return add_nested(*type.element, path + ".*", out);
    if (type.fields && !type.variants) add_rows(type.fields(), path + ".", out);
  }

  std::string value_of(const TypeInfo& type) {
    std::string value = type.name;
    if (type.list && type.element) {
      value = "list of " + value_of(*type.element);
    } else if (type.variants) {
      remember(families_, type, &TypeInfo::family);
      value = link(type.family, type.family);
    } else if (type.element) {
      value = "mapping, each " + value_of(*type.element);
    } else if (!type.units.empty()) {
      remember(quantities_, type, &TypeInfo::name);
      value = link(type.name, "units");
    } else if (!type.choices.empty()) {
      value = codes(type.choices);
    }
    return type.also.empty() ? value : value + ", or " + type.also;
  }

  std::string link(const std::string& text, const std::string& heading) const {
    return "[" + text + "](" + page_ + "#" + anchor(heading) + ")";
  }

  static void remember(std::vector<TypeInfo>& seen, const TypeInfo& type,
                       std::string TypeInfo::*name) {
    for (const TypeInfo& other : seen) {
      if (other.*name == type.*name) return;
    }
    seen.push_back(type);
  }

  std::string units() const {
    if (quantities_.empty()) return "";
    std::string out = "\n## Units\n\n| quantity | written as a number and |\n|---|---|\n";
    for (const TypeInfo& quantity : quantities_) {
      std::vector<std::string> units = quantity.units;
      const bool bare = std::erase(units, "") > 0;
      out += "| " + quantity.name + " | " + codes(units) + (bare ? ", or nothing" : "") + " |\n";
    }
    return out;
  }

  std::string page_;  ///< the page that links lead to; "" for the same page
  std::vector<TypeInfo> families_;
  std::vector<TypeInfo> quantities_;
};

}  // namespace

std::string table_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string key_table(const std::vector<KeyInfo>& keys, const std::string& page) {
  return PageWriter(page).table(keys);
}

std::string reference_page(const std::vector<KeyInfo>& keys, const std::string& intro,
                           const std::vector<KeySection>& further) {
  return PageWriter("").page(keys, intro, further);
}

}  // namespace paceline
