// SPDX-License-Identifier: MIT
#include "cli/swept_labels.hpp"

#include <algorithm>
#include <set>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

constexpr std::size_t kLongest = 48;

/// A parsed value: its kind, and every other scalar by its dotted path.
struct Parts {
  std::string kind;
  std::vector<std::pair<std::string, std::string>> keys;
  std::string title;  ///< of a machine described in place
};

void add_keys(const Tree& map, const std::string& prefix, Parts& parts) {
  for (const Member& member : map.members) {
    const std::string path = prefix + member.key;
    if (path == "kind") {
      parts.kind = to_flow(member.value);
    } else if (path == "title" || path == "name") {
      parts.title = member.value.text;
    } else if (member.value.is_map()) {
      add_keys(member.value, path + ".", parts);
    } else {
      parts.keys.emplace_back(path, to_flow(member.value));
    }
  }
}

std::string value_of(const Parts& parts, const std::string& path) {
  for (const auto& [key, value] : parts.keys) {
    if (key == path) return value;
  }
  return "";
}

Parts parts_of(const std::string& value) {
  Parts parts;
  const Tree tree = parse_yaml("value", value);
  if (tree.is_map()) {
    add_keys(tree, "", parts);
    // a sweep of stragglers writes the point without stragglers as a constant delay of 0
    const std::string delay = parts.kind == "constant" ? value_of(parts, "value") : "";
    if (delay.starts_with("0 ")) parts.title = "no delay";
  } else {
    parts.kind = value;
  }
  return parts;
}

/// True if a value is clear without its key: neither a number nor `true` or `false`.
bool is_self_explanatory(const std::string& value) {
  const bool letter = !value.empty() && ((value.front() >= 'a' && value.front() <= 'z') ||
                                         (value.front() >= 'A' && value.front() <= 'Z'));
  return letter && value != "true" && value != "false";
}

/// The last part of a path; of loaders' `workers`, which are not the experiment's, the last two.
std::string last_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return path;
  const std::string last = path.substr(dot + 1);
  if (last != "workers") return last;
  const std::size_t before = path.rfind('.', dot - 1);
  return path.substr(before == std::string::npos ? 0 : before + 1);
}

/// "ring" and "gpu" stand alone; a number becomes "shards=4".
std::string word(const std::string& path, const std::string& value) {
  if (is_self_explanatory(value)) return value;
  return last_of(path) + "=" + value;
}

/// True for keys of every kind of aggregation that change what is sent.
bool is_of_every_kind(const std::string& path) {
  return path == "compression" || path == "compression.kind";
}

/// The name that distinguishes `mine` from the other values of its kind, and by keys of every kind
/// from all values.
std::string name_among(const Parts& mine, const std::vector<Parts>& alike,
                       const std::vector<Parts>& all) {
  if (!mine.title.empty()) return mine.title;
  std::string name = mine.kind;
  for (const auto& [path, value] : mine.keys) {
    const std::vector<Parts>& others = is_of_every_kind(path) ? all : alike;
    const bool same = std::all_of(others.begin(), others.end(), [&](const Parts& other) {
      return value_of(other, path) == value;
    });
    if (!same) name += (name.empty() ? "" : " ") + word(path, value);
  }
  return name;
}

std::map<std::string, std::string> names_of(const std::vector<std::string>& values) {
  std::map<std::string, Parts> parts;
  std::map<std::string, std::vector<Parts>> by_kind;
  std::vector<Parts> all;
  for (const std::string& value : values) {
    parts[value] = parts_of(value);
    by_kind[parts[value].kind].push_back(parts[value]);
    all.push_back(parts[value]);
  }
  std::map<std::string, std::string> names;
  std::map<std::string, int> taken;
  for (const std::string& value : values) {
    std::string name = name_among(parts[value], by_kind[parts[value].kind], all);
    if (name.empty()) name = value;
    if (name.size() > kLongest) name = name.substr(0, kLongest - 3) + "...";
    ++taken[name];
    names[value] = std::move(name);
  }
  int number = 0;
  for (const std::string& value : values) {
    ++number;
    if (taken[names[value]] > 1) names[value] += " #" + std::to_string(number);
  }
  return names;
}

}  // namespace

SweptLabels::SweptLabels(const std::vector<ExperimentPoint>& points) {
  std::map<std::string, std::vector<std::string>> values;
  std::set<std::pair<std::string, std::string>> seen;
  for (const ExperimentPoint& point : points) {
    for (const SweptKey& key : point.swept) {
      if (seen.emplace(key.path, key.value).second) values[key.path].push_back(key.value);
    }
  }
  for (const auto& [path, all] : values) names_[path] = names_of(all);
}

const std::string& SweptLabels::of(const SweptKey& key) const {
  const auto path = names_.find(key.path);
  if (path == names_.end()) return key.value;
  const auto name = path->second.find(key.value);
  return name == path->second.end() ? key.value : name->second;
}

std::string SweptLabels::named(const SweptKey& key) const {
  const std::string& label = of(key);
  const bool digit = !label.empty() && label.front() >= '0' && label.front() <= '9';
  return digit ? last_of(key.path) + " " + label : word(key.path, label);
}

}  // namespace paceline
