// SPDX-License-Identifier: MIT
#include "experiments/language/tree.hpp"

#include "experiments/language/json.hpp"

namespace paceline {

Tree Tree::scalar(std::string text, Location at) {
  Tree tree;
  tree.kind = Kind::scalar;
  tree.text = std::move(text);
  tree.at = std::move(at);
  return tree;
}

Tree Tree::quoted_scalar(std::string text) {
  Tree tree = scalar(std::move(text));
  tree.quoted = true;
  return tree;
}

Tree Tree::list(std::vector<Tree> items, Location at) {
  Tree tree;
  tree.kind = Kind::list;
  tree.items = std::move(items);
  tree.at = std::move(at);
  return tree;
}

Tree Tree::map(Location at) {
  Tree tree;
  tree.kind = Kind::map;
  tree.at = std::move(at);
  return tree;
}

const Tree* Tree::find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Tree* Tree::find(std::string_view key) {
  for (Member& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

void Tree::set(const std::string& key, Tree value) {
  if (Tree* old = find(key)) {
    *old = std::move(value);
    return;
  }
  Location place = value.at;
  members.push_back({key, std::move(place), std::move(value)});
}

namespace {

/// True if `text` without quotes would not read back as the same scalar.
bool needs_quotes(std::string_view text, bool quoted) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return true;
  if (text.find_first_of(",[]{}\"") != std::string_view::npos) return true;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) {
    return true;
  }
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
  }
  if (std::string_view("&*!|>'%@`#").find(text.front()) != std::string_view::npos) return true;
  const bool dash = std::string_view("-?:").find(text.front()) != std::string_view::npos;
  if (dash && (text.size() == 1 || text[1] == ' ')) return true;
  if (!quoted) return false;
  for (const std::string_view word : {"true", "false", "null", "Null", "NULL", "~"}) {
    if (text == word) return true;
  }
  return std::string_view("0123456789+-.").find(text.front()) != std::string_view::npos;
}

std::string flow_scalar(const std::string& text, bool quoted) {
  return needs_quotes(text, quoted) ? json_text(text) : text;
}

}  // namespace

std::string to_flow(const Tree& tree) {
  std::string out;
  switch (tree.kind) {
    case Tree::Kind::null:
      return "null";
    case Tree::Kind::scalar:
      return flow_scalar(tree.text, tree.quoted);
    case Tree::Kind::list:
      for (const Tree& item : tree.items) out += (out.empty() ? "" : ", ") + to_flow(item);
      return "[" + out + "]";
    case Tree::Kind::map:
      for (const Member& member : tree.members) {
        out += (out.empty() ? "" : ", ") + flow_scalar(member.key, false) + ": ";
        out += to_flow(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

std::string quote(const Tree& tree) {
  const bool typed = tree.is_scalar() && !tree.quoted;  // to_flow() may add quotes
  return quote(typed ? tree.text : to_flow(tree));
}

Tree as_variant(const Tree& tree) {
  if (!tree.is_scalar()) return tree;
  Tree map = Tree::map(tree.at);
  map.set("kind", tree);
  return map;
}

std::size_t weight(const Tree& tree) {
  std::size_t sum = 1 + tree.text.size() / 32;
  for (const Tree& item : tree.items) sum += weight(item);
  for (const Member& member : tree.members) {
    sum += member.key.size() / 32 + weight(member.value);
  }
  return sum;
}

}  // namespace paceline
