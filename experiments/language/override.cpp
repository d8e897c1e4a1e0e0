// SPDX-License-Identifier: MIT
#include "experiments/language/override.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <span>

#include "experiments/language/yaml.hpp"
#include "experiments/language/zip.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMaxSteps = 32;  // deeper than any experiment; bounds recursion

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

/// One parsed assignment.
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
  const std::string quoted = quote(text);  // on one line and of bounded length
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
  // blanks replace the key, so that columns in errors count from the start of the assignment
  assignment.value = parse_yaml(*at.file, std::string(sign + 1, ' ') + text.substr(sign + 1));
  return assignment;
}

/// A name that gets keys: the map that changes the document of this name, where `references` has
/// its path, or the variant of this name.
Tree with_keys(const Tree& name, const std::string& path, std::span<const std::string> references) {
  if (std::ranges::find(references, path) == references.end()) return as_variant(name);
  Tree changed = Tree::map(name.at);
  changed.set("of", name);
  return changed;
}

/// Sets the value at the path `steps` in `root`, which is at `path`; a null removes it.
void assign(Tree& root, std::span<const Assignment::Step> steps, const Tree& given,
            std::span<const std::string> references, std::string path) {
  const bool remove = given.kind == Tree::Kind::null;
  Tree* node = &root;
  for (const Assignment::Step& step : steps) {
    if (node->kind == Tree::Kind::null) *node = Tree::map(node->at);
    if (node->is_scalar()) *node = with_keys(*node, path, references);
    if (node->is_list()) throw SpecError(step.at, quote(path) + " is a list (set it whole)");
    if (!path.empty()) path += '.';
    path += step.key;
    Tree* value = node->find(step.key);
    if (remove && &step == &steps.back()) {
      if (value == nullptr)
        throw SpecError(step.at, "cannot remove '" + path + "': the file does not have it");
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
  *node = given;
}

/// True if `root` has a value at the path `steps`.
bool has(const Tree& root, std::span<const Assignment::Step> steps) {
  const Tree* node = &root;
  for (const Assignment::Step& step : steps) {
    node = node->find(step.key);
    if (node == nullptr) return false;
  }
  return true;
}

/// The effect of an assignment on one row of `zip`.
enum class InRow {
  nothing,  ///< the row does not set the key
  taken,    ///< the row set the key; the key was removed from the row
  set,      ///< the row sets a part that contains the key; the part now has the new value
};

struct Rows {
  std::vector<KeyPath> whole;  ///< paths of the rows' values
  std::span<const std::string> references;
};

/// \param path of `row`
InRow assign_in_row(Tree& row, std::span<const Assignment::Step> steps, const Tree& given,
                    const Rows& rows, KeyPath path) {
  Tree* value = row.find(steps.front().key);
  if (value == nullptr) return InRow::nothing;
  InRow effect = InRow::taken;
  path.push_back(steps.front().key);
  if (steps.size() > 1) {
    if (!is_nested_row(*value) || std::ranges::find(rows.whole, path) != rows.whole.end()) {
      assign(*value, steps.subspan(1), given, rows.references, join(path, "."));
      return InRow::set;
    }
    effect = assign_in_row(*value, steps.subspan(1), given, rows, path);
    if (effect != InRow::taken || !value->members.empty()) return effect;
  }
  std::erase_if(row.members, [&](const Member& m) { return m.key == steps.front().key; });
  return effect;
}

/// Lets an assignment override the rows of `zip`. Rows that become equal are merged into one.
/// `taken` is set if a row lost the key. Returns true if the rows contain the new value, so that
/// the document needs no change.
bool assign_in_zip(Tree& root, const Assignment& assignment,
                   std::span<const std::string> references, bool& taken) {
  Tree* zip = root.find("zip");
  if (zip == nullptr || !zip->is_list() || zip->items.empty()) return false;
  if (assignment.steps.front().key == "zip") return false;
  const Rows all{zip_paths(*zip), references};
  bool set = false;
  std::set<std::string> seen;
  std::vector<Tree> rows;
  for (Tree& row : zip->items) {
    if (!row.is_map()) return false;  // reported later by check_rows
    const InRow effect = assign_in_row(row, assignment.steps, assignment.value, all, {});
    taken = taken || effect == InRow::taken;
    set = set || effect == InRow::set;
  }
  if (!taken && !set) return false;
  for (Tree& row : zip->items) {
    if (!row.members.empty() && seen.insert(to_flow(row)).second) rows.push_back(std::move(row));
  }
  zip->items = std::move(rows);
  if (zip->items.empty()) {
    std::erase_if(root.members, [](const Member& m) { return m.key == "zip"; });
  }
  return set;
}

}  // namespace

void apply_override(Tree& root, const std::string& assignment,
                    std::span<const std::string> references) {
  const Assignment parsed = parse_assignment(assignment);
  bool taken = false;
  if (root.is_map() && assign_in_zip(root, parsed, references, taken)) return;
  const bool remove = parsed.value.kind == Tree::Kind::null;
  if (taken && remove && !has(root, parsed.steps)) return;  // only the rows had the key
  assign(root, parsed.steps, parsed.value, references, "");
}

void apply_overrides(Tree& root, const std::vector<std::string>& assignments,
                     std::span<const std::string> references) {
  std::vector<std::string> errors;
  for (const std::string& assignment : assignments) {
    try {
      apply_override(root, assignment, references);
    } catch (const SpecError& error) {
      errors.emplace_back(error.what());
    }
  }
  if (!errors.empty()) throw SpecError(join(errors, "\n"));
}

}  // namespace paceline
