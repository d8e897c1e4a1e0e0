// SPDX-License-Identifier: MIT
#include "experiments/tree.hpp"

#include <cstdio>

namespace paceline {

Tree Tree::scalar(std::string text, Location at) {
  Tree tree;
  tree.kind = Kind::scalar;
  tree.text = std::move(text);
  tree.at = std::move(at);
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

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// JSON's own grammar, -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?, narrower than from_chars.
bool is_json_number(std::string_view text) {
  const auto digits = [&text] {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    text.remove_prefix(count);
    return count;
  };
  const auto next_is = [&text](std::string_view any) {
    if (text.empty() || any.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
  };
  next_is("-");
  const bool zero = text.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (next_is(".") && digits() == 0) return false;
  if (next_is("eE")) {
    next_is("+-");
    if (digits() == 0) return false;
  }
  return text.empty();
}

void write_json(const Tree& tree, int indent, int depth, std::string& out) {
  const auto new_line = [indent](int levels) {
    if (indent < 0) return std::string();
    return "\n" + std::string(static_cast<std::size_t>(indent * levels), ' ');
  };
  const std::string gap = new_line(depth + 1);
  const std::string close = new_line(depth);
  switch (tree.kind) {
    case Tree::Kind::null:
      out += "null";
      return;
    case Tree::Kind::scalar: {
      const bool word = tree.text == "true" || tree.text == "false";
      const bool bare = !tree.quoted && (word || is_json_number(tree.text));
      out += bare ? tree.text : json_string(tree.text);
      return;
    }
    case Tree::Kind::list:
      out += "[";
      for (std::size_t i = 0; i < tree.items.size(); ++i) {
        out += (i == 0 ? "" : ",") + gap;
        write_json(tree.items[i], indent, depth + 1, out);
      }
      out += (tree.items.empty() ? "" : close) + "]";
      return;
    case Tree::Kind::map:
      out += "{";
      for (std::size_t i = 0; i < tree.members.size(); ++i) {
        out += (i == 0 ? "" : ",") + gap + json_string(tree.members[i].key) + ": ";
        write_json(tree.members[i].value, indent, depth + 1, out);
      }
      out += (tree.members.empty() ? "" : close) + "}";
      return;
  }
}

/// Whether plain text would read back as other than this text.
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
  return needs_quotes(text, quoted) ? json_string(text) : text;
}

}  // namespace

std::string to_json(const Tree& tree, int indent) {
  std::string out;
  write_json(tree, indent, 0, out);
  return out;
}

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
  return quote(to_flow(tree));
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
