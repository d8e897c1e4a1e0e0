// SPDX-License-Identifier: MIT
#include "training/experiment/policy_tables.hpp"

#include <array>
#include <cstdio>

#include "experiments/language/reference_page.hpp"
#include "experiments/language/yaml.hpp"
#include "training/learning/rates/schedule.hpp"
#include "training/learning/rates/staleness_rule.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {
namespace {

constexpr const char* kReference = "../experiment-file.md";  ///< all keys, from a policy's page
constexpr int kWorkers = 8;                                  ///< P of the examples

/// A mini-batch time of the examples.
struct Example {
  const char* head;
  const char* straggler;  ///< YAML
};
constexpr std::array<Example, 3> kExamples{
    {{"exponential, mean 1 s", "{kind: exponential, mean: 1 s}"},
     {"shifted-exponential, shift 1 s, mean 2 s",
      "{kind: shifted-exponential, shift: 1 s, mean: 2 s}"},
     {"uniform, 1 s to 3 s", "{kind: uniform, low: 1 s, high: 3 s}"}}};

/// The variant described by YAML of this file or of a policy.
template <class Part>
Choice<Part> chosen(const std::string& yaml) {
  Diagnostics diagnostics;
  Choice<Part> choice;
  Value<Choice<Part>>::read(choice, parse_yaml("policy tables", yaml), diagnostics);
  diagnostics.throw_if_any();
  return choice;
}

std::string code(const std::string& text) {
  return "`" + text + "`";
}

std::string with_four_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::optional<Theory> theory_of(const UpdatePolicy& policy, const Example& example) {
  Stragglers stragglers;
  stragglers.compute = chosen<Straggler>(example.straggler);
  const auto workers = TimedWorkers::of(kWorkers, Seconds{0}, stragglers);
  return workers ? policy.theory(*workers) : std::nullopt;
}

std::string example_row(const std::string& policy, const std::string& keys) {
  const std::string yaml = "{kind: " + policy + (keys.empty() ? "" : ", " + keys) + "}";
  const Choice<UpdatePolicy> update = chosen<UpdatePolicy>(yaml);
  std::string row = "| " + (keys.empty() ? std::string("none") : code(keys)) + " |";
  std::string staleness;
  for (const Example& example : kExamples) {
    const std::optional<Theory> theory = theory_of(*update, example);
    row += " ";
    if (theory) {
      row += (theory->bound ? "<= " : "") + with_four_digits(theory->iteration.value()) + " s ";
    }
    row += "|";
    if (theory && theory->staleness) staleness = with_four_digits(*theory->staleness) + " ";
  }
  return row + " " + staleness + "|\n";
}

std::string examples(const Variant<UpdatePolicy>& row) {
  const std::vector<std::string> all = row.blank()->examples();
  if (all.empty()) return "";
  std::string out =
      "\n**Example:** E[T] and the mean staleness of P = " + std::to_string(kWorkers) +
      " workers, for three distributions of X; empty where theory has no value.\n\n"
      "| keys |";
  std::string rule = "|---|";
  for (const Example& example : kExamples) {
    out += std::string(" ") + example.head + " |";
    rule += "---|";
  }
  out += " staleness |\n" + rule + "---|\n";
  for (const std::string& keys : all) out += example_row(row.name, keys);
  return out;
}

std::string aggregations_of(const UpdatePolicy& policy) {
  std::vector<std::string> serving = family<Aggregation>().names_where(
      [&](const Aggregation& aggregation) { return aggregation.serves(policy); });
  for (std::string& name : serving) name = code(name);
  return join(serving);
}

std::string table_of_policies() {
  std::string out = "| policy | summary | keys |\n|---|---|---|\n";
  for (const Variant<UpdatePolicy>& row : family<UpdatePolicy>().rows) {
    std::vector<std::string> keys;
    for (const KeyInfo& key : row.keys()) keys.push_back(code(key.name));
    out += "| [" + row.name + "](policies/" + row.name + ".md) | " + table_cell(row.help) + " | " +
           join(keys) + " |\n";
  }
  return out;
}

std::string tables_of(const Variant<UpdatePolicy>& row) {
  const std::vector<KeyInfo> keys = row.keys();
  return "**Keys:**" + (keys.empty() ? " none.\n" : "\n\n" + key_table(keys, kReference)) +
         "\n**Aggregations:** " + aggregations_of(*row.blank()) + ".\n" + examples(row);
}

std::string table_of_schedules() {
  std::string out = "| schedule | the scheduled rate |\n|---|---|\n";
  for (const Variant<Schedule>& row : family<Schedule>().rows) {
    out += "| " + code(row.name) + " | " + table_cell(row.help) + " |\n";
  }
  return out;
}

std::string table_of_staleness_rules() {
  std::string out = "| rule | input | effect | source |\n|---|---|---|---|\n";
  for (const Variant<StalenessRule>& row : family<StalenessRule>().rows) {
    const StalenessStatement statement = row.blank()->statement();
    out += "| " + code(row.name) + " | " + table_cell(statement.figure) + " | " +
           table_cell(statement.effect) + " | " + table_cell(statement.source) + " |\n";
  }
  return out;
}

std::string between_markers(const std::string& name, const std::string& tables) {
  return "<!-- generated: " + name + " -->\n" + tables + "<!-- end: " + name + " -->\n";
}

}  // namespace

std::string policy_tables() {
  std::string out = between_markers("policies", table_of_policies()) +
                    between_markers("schedules", table_of_schedules()) +
                    between_markers("staleness-rules", table_of_staleness_rules());
  for (const Variant<UpdatePolicy>& row : family<UpdatePolicy>().rows) {
    out += between_markers(row.name, tables_of(row));
  }
  return out;
}

}  // namespace paceline
