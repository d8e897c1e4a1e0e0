#include "experiments/tree.hpp"

#include <charconv>
#include <cmath>
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

bool is_json_number(const std::string& text) {
  if (text.empty() || text.front() == '+' || text.front() == '.') return false;
  const std::size_t digits = text.front() == '-' ? 1 : 0;
  if (text.size() > digits + 1 && text[digits] == '0' && text[digits + 1] != '.') return false;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end && std::isfinite(value) && text.back() != '.';
}

void write_json(const Tree& tree, int indent, int depth, std::string& out) {
  const std::string gap = indent < 0 ? "" : "\n" + std::string(static_cast<std::size_t>(indent * (depth + 1)), ' ');
  const std::string close = indent < 0 ? "" : "\n" + std::string(static_cast<std::size_t>(indent * depth), ' ');
  switch (tree.kind) {
    case Tree::Kind::null:
      out += "null";
      return;
    case Tree::Kind::scalar: {
      const bool bare = !tree.quoted && (is_json_number(tree.text) || tree.text == "true" || tree.text == "false");
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
      return tree.text;
    case Tree::Kind::list:
      for (const Tree& item : tree.items) out += (out.empty() ? "" : ", ") + to_flow(item);
      return "[" + out + "]";
    case Tree::Kind::map:
      for (const Member& member : tree.members) {
        out += (out.empty() ? "" : ", ") + member.key + ": " + to_flow(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

}  // namespace paceline
