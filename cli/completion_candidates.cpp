// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "cli/completion.hpp"
#include "cli/first_questions.hpp"
#include "cli/listed_kinds.hpp"
#include "experiments/language/family.hpp"
#include "training/experiment/experiment.hpp"
#include "training/runtime/operation.hpp"

namespace paceline {
namespace {

/// The names of the things of a kind that are one word of a shell.
std::vector<std::string> names_of(const ListedKind& kind) {
  std::vector<std::string> names;
  for (const ListedThing& thing : kind.things()) {
    if (shell_word(thing.name) == thing.name) names.push_back(thing.name);
  }
  return names;
}

std::vector<std::string> names_of_kind(std::string_view name) {
  for (const ListedKind& kind : listed_kinds()) {
    if (kind.name == name) return names_of(kind);
  }
  return {};
}

std::vector<std::string> all_names() {
  std::set<std::string> names;
  for (const ListedKind& kind : listed_kinds()) {
    names.insert(kind.name);
    for (const std::string& name : names_of(kind)) names.insert(name);
  }
  return {names.begin(), names.end()};
}

/// Candidates as the tables write them: words, `<file>`, `<folder>`, `<all>` for every kind and
/// name that `list` knows, and `<machines>` for the names of a kind.
Candidates read_candidates(const std::string& text) {
  Candidates candidates;
  std::istringstream words(text);
  const auto append = [&](const std::vector<std::string>& more) {
    candidates.words.insert(candidates.words.end(), more.begin(), more.end());
  };
  for (std::string word; words >> word;) {
    if (word == "<file>") {
      candidates.files = true;
    } else if (word == "<folder>") {
      candidates.folders = true;
    } else if (word == "<all>") {
      append(all_names());
    } else if (word == "<commands>") {
      for (const CommandRow& command : commands()) candidates.words.push_back(command.name);
    } else if (word == "<questions>") {
      for (const FirstQuestion& one : first_questions()) candidates.words.emplace_back(one.name);
    } else if (word == "<operations>") {
      for (const auto& row : enum_rows<Operation>()) candidates.words.emplace_back(row.name);
    } else if (word.front() == '<') {
      append(names_of_kind(std::string_view(word).substr(1, word.size() - 2)));
    } else {
      candidates.words.push_back(word);
    }
  }
  return candidates;
}

/// The values of a key that are one word.
std::vector<std::string> values_of(const KeyInfo& key) {
  static const std::map<std::string, std::string> presets{
      {"model", "models"}, {"machine", "machines"}, {"software", "software"}, {"input", "inputs"}};
  if (const auto kind = presets.find(key.name); kind != presets.end()) {
    return names_of_kind(kind->second);
  }
  if (key.type.list) return {};
  if (!key.type.variants) return key.type.choices;
  std::vector<std::string> names;
  for (const VariantInfo& variant : key.type.variants()) names.push_back(variant.name);
  return names;
}

}  // namespace

Candidates candidates_of(const OptionRow& option) {
  if (!option.completes.empty()) return read_candidates(option.completes);
  return read_candidates(option.value == "FILE" || option.value == "PATH" ? "<file>" : "");
}

std::vector<Candidates> operand_candidates(const CommandRow& command) {
  std::vector<Candidates> all;
  for (const std::string& text : command.completes) all.push_back(read_candidates(text));
  if (!all.empty()) return all;
  if (command.operands.find("DIR") != std::string::npos) return {read_candidates("<folder>")};
  if (!command.operands.empty()) return {read_candidates("<file>")};
  return {};
}

const SettableKeys& keys_to_set() {
  static const SettableKeys all = [] {
    SettableKeys settable;
    for (const KeyInfo& key : keys_of<Experiment>()) {
      settable.keys.push_back(key.name + "=");
      for (const std::string& value : values_of(key)) {
        settable.assignments.push_back(key.name + "=" + value);
      }
    }
    return settable;
  }();
  return all;
}

std::vector<const OptionRow*> options_of(const CommandRow& command) {
  std::vector<const OptionRow*> options;
  for (const OptionRow& option : option_rows()) {
    if (std::ranges::find(command.options, option.name) != command.options.end()) {
      options.push_back(&option);
    }
  }
  return options;
}

}  // namespace paceline
