// SPDX-License-Identifier: MIT
#include "experiments/override.hpp"

#include <algorithm>
#include <memory>

#include "experiments/yaml.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMaxSteps = 32;  // deeper than any experiment; keeps trees shallow

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

/// One assignment, taken apart.
struct Assignment {
  struct Step {
    std::string key;
    Location at;
  };
  std::vector<Step> steps;
  Tree value;
};

Assignment parse_assignment(const std::string& text) {
  const std::size_t sign = text.find('=');
  const std::string quoted = quote(text);  // on one line, and not too long
  const Location at{
      std::make_shared<const std::string>("--set " + quoted.substr(1, quoted.size() - 2)), 1, 1};
  const auto place = [&at](std::size_t offset) {
    return Location{at.file, 1, static_cast<int>(offset) + 1};
  };
  if (sign == std::string::npos) throw SpecError(at, "expected key=value");
  Assignment assignment;
  for (std::size_t begin = 0; begin <= sign;) {
    const std::size_t end = std::min(text.find('.', begin), sign);
    const std::string key = text.substr(begin, end - begin);
    if (!is_key(key)) {
      throw SpecError(place(begin), quote(key) + " is not a key (letters, digits, '-' and '_')");
    }
    assignment.steps.push_back({key, place(begin)});
    begin = end + 1;
  }
  if (assignment.steps.size() > kMaxSteps) {
    throw SpecError(at, "nested too deeply (at most " + std::to_string(kMaxSteps) + " keys)");
  }
  if (text.find_first_not_of(" \t\r\n", sign + 1) == std::string::npos) {
    throw SpecError(place(sign + 1), "'" + text.substr(0, sign) + "' has no value");
  }
  // blanks in place of the key keep the columns right
  assignment.value = parse_yaml(*at.file, std::string(sign + 1, ' ') + text.substr(sign + 1));
  return assignment;
}

}  // namespace

void apply_override(Tree& root, const std::string& assignment) {
  Assignment parsed = parse_assignment(assignment);
  const bool remove = parsed.value.kind == Tree::Kind::null;
  Tree* node = &root;
  std::string path;
  for (const Assignment::Step& step : parsed.steps) {
    if (node->kind == Tree::Kind::null) *node = Tree::map(node->at);
    if (node->is_scalar()) *node = as_variant(*node);
    if (node->is_list()) throw SpecError(step.at, quote(path) + " is a list (set it whole)");
    if (!path.empty()) path += '.';
    path += step.key;
    Tree* value = node->find(step.key);
    if (remove && &step == &parsed.steps.back()) {
      if (value == nullptr) throw SpecError(step.at, "there is no '" + path + "' to take out");
      std::erase_if(node->members, [&step](const Member& m) { return m.key == step.key; });
      return;
    }
    if (value == nullptr) {
      node->members.push_back({step.key, step.at, Tree{}});
      value = &node->members.back().value;
      value->at = step.at;
    }
    node = value;
  }
  *node = std::move(parsed.value);
}

void apply_overrides(Tree& root, const std::vector<std::string>& assignments) {
  std::vector<std::string> errors;
  for (const std::string& assignment : assignments) {
    try {
      apply_override(root, assignment);
    } catch (const SpecError& error) {
      errors.emplace_back(error.what());
    }
  }
  if (!errors.empty()) throw SpecError(join(errors, "\n"));
}

}  // namespace paceline
