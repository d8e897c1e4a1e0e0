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

/// The place after the digits of `text` from `begin` on.
std::size_t after_digits(std::string_view text, std::size_t begin) {
  while (begin < text.size() && text[begin] >= '0' && text[begin] <= '9') ++begin;
  return begin;
}

/// True for a number of JSON without an exponent, such as -0.25. Results have millions of them.
bool is_plain_number(std::string_view text) {
  constexpr std::size_t kLongest = 64;  // far from the largest double
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = after_digits(text, sign);
  if (whole == sign || text.size() > kLongest) return false;
  if (text[sign] == '0' && whole > sign + 1) return false;
  if (whole == text.size()) return true;
  return text[whole] == '.' && whole + 1 < text.size() &&
         after_digits(text, whole + 1) == text.size();
}

/// Whether a scalar is a number or a boolean of JSON as it stands.
bool is_bare(const Tree& scalar) {
  const std::string& text = scalar.text;
  if (scalar.quoted || text.empty()) return false;
  if (text == "true" || text == "false" || is_plain_number(text)) return true;
  const bool begins = text.front() == '-' || (text.front() >= '0' && text.front() <= '9');
  return begins && text.find_first_of(" \t\r\n") == std::string::npos && json::accept(text);
}

/// True if no character of the text needs an escape.
bool is_unescaped(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

void write_text(std::string_view text, std::string& out) {
  if (is_unescaped(text)) {
    out += '"';
    out += text;
    out += '"';
  } else {
    out += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  }
}

void write_gap(int indent, int levels, std::string& out) {
  if (indent < 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent * levels), ' ');
}

void write(const Tree& tree, int indent, int depth, std::string& out) {
  if (tree.is_scalar()) {
    if (is_bare(tree)) {
      out += tree.text;
    } else {
      write_text(tree.text, out);
    }
    return;
  }
  if (!tree.is_list() && !tree.is_map()) {
    out += "null";
    return;
  }
  const std::size_t count = tree.is_list() ? tree.items.size() : tree.members.size();
  out += tree.is_list() ? '[' : '{';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    write_gap(indent, depth + 1, out);
    if (tree.is_map()) {
      write_text(tree.members[i].key, out);
      out += ": ";
    }
    write(tree.is_list() ? tree.items[i] : tree.members[i].value, indent, depth + 1, out);
  }
  if (count > 0) write_gap(indent, depth, out);
  out += tree.is_list() ? ']' : '}';
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
  std::string out;
  write_text(text, out);
  return out;
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
