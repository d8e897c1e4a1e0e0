// SPDX-License-Identifier: MIT
// Two results folders beside each other: the points that became faster or slower, beyond the noise.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "cli/command.hpp"
#include "cli/comparison.hpp"
#include "cli/results_folder.hpp"
#include "cli/text_table.hpp"
#include "cli/wrapped_text.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/diagnostics.hpp"
#include "experiments/language/json.hpp"
#include "experiments/language/value.hpp"

namespace paceline {
namespace {

/// Two measurements differ beyond the noise if they lie more than this many standard errors of
/// their difference apart.
constexpr double kStandardErrors = 2;
/// Relative differences up to this are rounding.
constexpr double kRounding = 1e-12;

enum class Change {
  none,     ///< equal, or within the noise
  real,     ///< beyond the noise
  unknown,  ///< different, and the noise is not known
};

/// A point and source that both folders have.
struct Pair {
  std::string point;
  const FolderRow* before;
  const FolderRow* after;
  double change;  ///< relative
  Change kind;
};

struct Lonely {
  std::string point;
  const FolderRow* row;
};

struct Difference {
  std::vector<Pair> pairs;
  std::vector<Lonely> only_before, only_after;

  bool any() const {
    return !only_before.empty() || !only_after.empty() ||
           std::ranges::any_of(pairs, [](const Pair& one) { return one.kind == Change::real; });
  }
};

Change change_between(const FolderRow& before, const FolderRow& after) {
  const double size = std::fabs(*after.throughput - *before.throughput);
  const double larger = std::max(std::fabs(*after.throughput), std::fabs(*before.throughput));
  if (size <= kRounding * larger) return Change::none;
  if (before.cell("source") != "measured") return Change::real;
  if (!before.standard_error || !after.standard_error) return Change::unknown;
  // not std::hypot, which needs a newer C library than portable programs may (glibc 2.35)
  const double noise = std::sqrt(*before.standard_error * *before.standard_error +
                                 *after.standard_error * *after.standard_error);
  return size > kStandardErrors * noise ? Change::real : Change::none;
}

/// The value of a swept key in a row. A key that only the other folder sweeps has the value of its
/// column, if it has one.
std::string value_of(const std::string& key, const FolderRow& row) {
  const auto swept = row.cells.find("swept." + key);
  return swept != row.cells.end() ? swept->second : row.cell(key);
}

/// "async, 8 workers": the values of the keys, by their names in one of the folders.
std::string label_of(const FolderRow& row, const std::vector<std::string>& keys,
                     const ResultsFolder& a, const ResultsFolder& b) {
  std::vector<std::string> words;
  std::string workers;
  for (const std::string& key : keys) {
    std::string value = value_of(key, row);
    if (key == "workers") {
      workers = value + (value == "1" ? " worker" : " workers");
      continue;
    }
    for (const ResultsFolder* folder : {&b, &a}) {
      const auto names = folder->labels.find(key);
      if (names == folder->labels.end()) continue;
      const auto name = names->second.find(value);
      if (name != names->second.end()) value = name->second;
    }
    words.push_back(key == "update" ? value : key + " " + value);
  }
  if (!workers.empty()) words.push_back(workers);
  return words.empty() ? row.cell("model") : join(words);
}

std::vector<std::string> keys_of_both(const ResultsFolder& a, const ResultsFolder& b) {
  std::vector<std::string> keys = a.swept;
  for (const std::string& key : b.swept) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

/// The identity of a row: its source, the values of the keys, and its number among equals.
using Identity = std::tuple<std::string, std::vector<std::string>, std::size_t>;

/// The rows that have a throughput, in their order.
std::vector<std::pair<Identity, const FolderRow*>> identified(
    const ResultsFolder& folder, const std::vector<std::string>& keys) {
  std::vector<std::pair<Identity, const FolderRow*>> rows;
  std::map<Identity, std::size_t> equals;
  for (const FolderRow& row : folder.rows) {
    if (!row.throughput) continue;
    std::vector<std::string> values;
    for (const std::string& key : keys) values.push_back(value_of(key, row));
    Identity identity{row.cell("source"), std::move(values), 0};
    std::get<2>(identity) = equals[identity]++;
    rows.emplace_back(std::move(identity), &row);
  }
  return rows;
}

Difference difference(const ResultsFolder& a, const ResultsFolder& b) {
  const std::vector<std::string> keys = keys_of_both(a, b);
  const auto afters = identified(b, keys);
  std::map<Identity, const FolderRow*> left(afters.begin(), afters.end());
  Difference result;
  for (const auto& [identity, before] : identified(a, keys)) {
    const std::string point = label_of(*before, keys, a, b);
    const auto found = left.find(identity);
    if (found == left.end()) {
      result.only_before.push_back({point, before});
      continue;
    }
    const FolderRow& after = *found->second;
    const double base = *before->throughput;
    const double change = base != 0 ? (*after.throughput - base) / base : 0;
    result.pairs.push_back({point, before, &after, change, change_between(*before, after)});
    left.erase(found);
  }
  for (const auto& [identity, after] : afters) {
    if (left.contains(identity)) result.only_after.push_back({label_of(*after, keys, a, b), after});
  }
  return result;
}

std::string rate_of(const FolderRow& row) {
  const double error = row.standard_error.value_or(0);
  return significant(*row.throughput, 4) + (error > 0 ? " +- " + significant(error, 2) : "");
}

std::string item_of(const Difference& all) {
  std::set<std::string> items;
  for (const Pair& one : all.pairs) {
    items.insert(one.before->cell("item"));
    items.insert(one.after->cell("item"));
  }
  return items.size() == 1 ? *items.begin() : "items";
}

std::string table_of(const Difference& all, TableStyle style) {
  std::vector<std::vector<std::string>> rows;
  for (const Pair& one : all.pairs) {
    const bool equal =
        one.kind == Change::none && *one.before->throughput == *one.after->throughput;
    rows.push_back({one.point, one.before->cell("source"), rate_of(*one.before),
                    rate_of(*one.after), equal ? "none" : percent(one.change),
                    one.kind == Change::real      ? "beyond the noise"
                    : one.kind == Change::unknown ? "noise unknown"
                                                  : ""});
  }
  const std::string unit = ": " + item_of(all) + "/sec";
  return text_table(
      {{"point"}, {"source"}, {"A" + unit, true}, {"B" + unit, true}, {"change", true}, {""}}, rows,
      style);
}

/// "only in A: async, 8 workers (predicted)", one line for each.
std::string lines_of(const char* folder, const std::vector<Lonely>& rows, TableStyle style) {
  std::vector<std::string> lines;
  for (const Lonely& one : rows) {
    lines.push_back(std::string("only in ") + folder + ": " + one.point + " (" +
                    one.row->cell("source") + ", " + rate_of(*one.row) + ")");
  }
  return list_of(lines, style);
}

std::string summary_of(const Difference& all) {
  const auto count = [&](Change kind) { return std::ranges::count(all.pairs, kind, &Pair::kind); };
  const auto real = count(Change::real);
  std::string text = "Of " + counted(static_cast<int>(all.pairs.size()), "figure") + " in both, " +
                     (real == 0 ? "none" : std::to_string(real)) + " changed beyond the noise.\n";
  if (const auto unknown = count(Change::unknown); unknown > 0) {
    text += "The noise of " + counted(static_cast<int>(unknown), "figure") +
            " is unknown: a measurement has a standard error if it has `repeats` of 2 or more.\n";
  }
  return text;
}

std::string text_of(const Difference& all, TableStyle style) {
  return page_of((all.pairs.empty() ? "" : table_of(all, style)) +
                     lines_of("A", all.only_before, style) + lines_of("B", all.only_after, style) +
                     (all.pairs.empty() ? "" : "\n") + summary_of(all),
                 style);
}

std::string json_of(const Difference& all) {
  const auto number = [](Tree& to, const char* key, const std::optional<double>& value) {
    to.set(key, value ? Tree::scalar(print_number(*value)) : Tree{});
  };
  const auto lonely = [&](const std::vector<Lonely>& rows) {
    std::vector<Tree> list;
    for (const Lonely& one : rows) {
      Tree& tree = list.emplace_back(Tree::map());
      tree.set("point", Tree::quoted_scalar(one.point));
      tree.set("source", Tree::quoted_scalar(one.row->cell("source")));
      number(tree, "throughput", one.row->throughput);
    }
    return Tree::list(std::move(list));
  };
  std::vector<Tree> pairs;
  for (const Pair& one : all.pairs) {
    Tree& tree = pairs.emplace_back(Tree::map());
    tree.set("point", Tree::quoted_scalar(one.point));
    tree.set("source", Tree::quoted_scalar(one.before->cell("source")));
    tree.set("unit", Tree::quoted_scalar(one.before->cell("item") + "/s"));
    number(tree, "a", one.before->throughput);
    number(tree, "a_stderr", one.before->standard_error);
    number(tree, "b", one.after->throughput);
    number(tree, "b_stderr", one.after->standard_error);
    number(tree, "change", one.change);
    tree.set("beyond_noise", one.kind == Change::unknown
                                 ? Tree{}
                                 : Tree::scalar(one.kind == Change::real ? "true" : "false"));
  }
  Tree tree = Tree::map();
  tree.set("changed", Tree::scalar(all.any() ? "true" : "false"));
  tree.set("points", Tree::list(std::move(pairs)));
  tree.set("only_a", lonely(all.only_before));
  tree.set("only_b", lonely(all.only_after));
  return to_json(tree, 2) + "\n";
}

int diff(const Options& options, const Terminal& terminal) {
  if (options.operands.size() != 2) {
    throw SpecError("paceline: error: give two results folders, the earlier one first");
  }
  const ResultsFolder a = read_results(options.operands[0]);
  const ResultsFolder b = read_results(options.operands[1]);
  const Difference all = difference(a, b);
  if (options.json) {
    terminal.out << json_of(all);
  } else if (!options.quiet) {
    terminal.out << text_of(all, table_style(options.markdown));
  }
  return all.any() ? kPointFailed : kDone;
}

}  // namespace

CommandRow diff_command() {
  return {
      "diff",
      "A B",
      "what changed from one results folder to another, beyond the noise",
      {"--quiet", "--json", "--markdown"},
      diff,
      "",
      wrapped("Points are matched by their swept keys and source. A prediction has changed if "
              "its throughput differs at all, a measurement if it differs by more than two "
              "standard errors of the difference. Exit code 0: nothing has changed; 1: a figure "
              "has, or only one folder has it.",
              0, 0),
      {"<folder>"}};
}

}  // namespace paceline
