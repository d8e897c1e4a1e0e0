// SPDX-License-Identifier: MIT
// The library escapes strings, checks numbers and parses. It does not write documents: it would
// print each number from its double, and a tree keeps the digits of the file.
#include "experiments/language/json.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

namespace paceline {
namespace {

using nlohmann::json;

/// Whether a scalar is a number or a boolean of JSON as it stands.
bool is_bare(const Tree& scalar) {
  const std::string& text = scalar.text;
  if (scalar.quoted || text.empty()) return false;
  if (text == "true" || text == "false") return true;
  const bool begins = text.front() == '-' || (text.front() >= '0' && text.front() <= '9');
  return begins && text.find_first_of(" \t\r\n") == std::string::npos && json::accept(text);
}

void write(const Tree& tree, int indent, int depth, std::string& out) {
  const auto new_line = [indent](int levels) {
    return indent < 0 ? "" : "\n" + std::string(static_cast<std::size_t>(indent * levels), ' ');
  };
  if (tree.is_scalar()) {
    out += is_bare(tree) ? tree.text : json_text(tree.text);
    return;
  }
  if (!tree.is_list() && !tree.is_map()) {
    out += "null";
    return;
  }
  const std::size_t count = tree.is_list() ? tree.items.size() : tree.members.size();
  const std::string gap = new_line(depth + 1);
  out += tree.is_list() ? "[" : "{";
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ",") + gap;
    if (tree.is_map()) out += json_text(tree.members[i].key) + ": ";
    write(tree.is_list() ? tree.items[i] : tree.members[i].value, indent, depth + 1, out);
  }
  out += (count == 0 ? "" : new_line(depth)) + (tree.is_list() ? "]" : "}");
}

/// Builds the tree from the library's events, which contain the digits of numbers.
class TreeBuilder final : public nlohmann::json_sax<json> {
 public:
  explicit TreeBuilder(const std::string& name)
      : at_{std::make_shared<const std::string>(name), 0, 0} {}

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(Tree::scalar(value ? "true" : "false")); }
  bool number_integer(number_integer_t value) override {  // below 0, or -0
    return add(Tree::scalar(value == 0 ? "-0" : std::to_string(value)));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(Tree::scalar(std::to_string(value)));
  }
  bool number_float(number_float_t, const string_t& digits) override {
    return add(Tree::scalar(digits));
  }
  bool string(string_t& value) override { return add(Tree::quoted_scalar(value)); }
  bool binary(binary_t&) override { return false; }  // JSON as text has none
  bool start_object(std::size_t) override { return open(Tree::map()); }
  bool start_array(std::size_t) override { return open(Tree::list({})); }
  bool key(string_t& name) override {
    if (open_.back().find(name) != nullptr) {
      throw SpecError(at_, "duplicate key " + quote(std::string_view(name)));
    }
    keys_.push_back(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t place, const std::string&,
                   const nlohmann::json::exception&) override {
    throw SpecError(at_, "malformed JSON (at byte " + std::to_string(place) + ")");
  }

  Tree take() { return std::move(root_); }

 private:
  bool open(Tree tree) {
    open_.push_back(std::move(tree));
    return true;
  }
  bool close() {
    Tree done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(Tree tree) {
    tree.at = at_;
    if (open_.empty()) {
      root_ = std::move(tree);
    } else if (open_.back().is_list()) {
      open_.back().items.push_back(std::move(tree));
    } else {
      open_.back().members.push_back({std::move(keys_.back()), at_, std::move(tree)});
      keys_.pop_back();
    }
    return true;
  }

  Location at_;
  Tree root_;
  std::vector<Tree> open_;         // unfinished lists and objects, outermost first
  std::vector<std::string> keys_;  // of the objects that are open
};

}  // namespace

std::string json_text(std::string_view text) {
  // most strings need no escapes, and a trace has millions of them
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
  });
  if (plain) return '"' + std::string(text) + '"';
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string to_json(const Tree& tree, int indent) {
  std::string out;
  write(tree, indent, 0, out);
  return out;
}

Tree parse_json(const std::string& name, const std::string& text) {
  TreeBuilder builder(name);
  json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace paceline
