// SPDX-License-Identifier: MIT
#include "training/workload/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "cli/command.hpp"
#include "cli/draw_figures.hpp"
#include "cli/kept_file.hpp"
#include "cli/round_digits.hpp"
#include "cli/shown_quantity.hpp"
#include "experiments/language/csv.hpp"
#include "experiments/language/json.hpp"
#include "experiments/language/whole_file.hpp"
#include "training/workload/fit/fit_sample.hpp"
#include "training/workload/stragglers/measured/times_csv.hpp"

namespace paceline {
namespace {

constexpr std::size_t kFewest = 10;  ///< fewer times do not determine a distribution
constexpr double kLongest = 1e9;     ///< seconds (30 years); a longer time has a wrong unit

/// The input and the fitted distributions.
struct Fitted {
  Times read;
  TimeSample times;
  Applies applies;
  Fits fits;
  std::filesystem::path folder;  ///< of -o; empty: nothing is written
};

TimesQuery query_of(const Options& options) {
  TimesQuery query{options.column, {}, {}};
  if (!options.unit.empty()) {
    std::vector<std::string> known;
    for (const auto& row : enum_rows<TimeUnit>()) {
      known.emplace_back(row.name);
      if (options.unit == row.name) query.unit = row.value;
    }
    if (!query.unit) {
      throw SpecError("paceline: error: " + unknown_name("unit", options.unit, known));
    }
  }
  for (const std::string& only : options.only) {
    const std::size_t sign = only.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw SpecError("paceline: error: --only " + quote(only) + " is not COLUMN=VALUE");
    }
    query.only.emplace_back(only.substr(0, sign), only.substr(sign + 1));
  }
  return query;
}

/// Reads the times of a file, or of standard input for "-". `name` is the input's name in messages.
std::optional<Times> read_input(const std::string& path, const std::string& name,
                                const TimesQuery& query, Diagnostics& diagnostics) {
  if (path == "-") return read_times(name, std::cin, query, diagnostics);
  return read_times(path, query, diagnostics);
}

Fitted fit_file(const std::string& path, const std::string& name, const Options& options) {
  Diagnostics diagnostics;
  std::optional<Times> read = read_input(path, name, query_of(options), diagnostics);
  diagnostics.throw_if_any();
  const Location whole{std::make_shared<const std::string>(name), 0, 0};
  if (!read) throw SpecError(whole, "cannot be read");
  const std::size_t count = read->seconds.size();
  if (count < kFewest) {
    throw SpecError(whole, "only " + std::to_string(count) + " times (a fit needs at least " +
                               std::to_string(kFewest) + ")");
  }
  TimeSample times(read->seconds);
  const Seconds least{times.times().front()};
  if (const double most = times.times().back(); most > kLongest) {
    throw SpecError(whole, "the longest time is " + print_number(most) + " s (at most " +
                               print_number(kLongest) +
                               " s; --unit sets the unit of bare numbers)");
  }
  if (times.times().front() == times.times().back()) {
    throw SpecError(whole, "all times are the same (use `{kind: constant, value: " +
                               Value<Seconds>::write(least).text + "}`)");
  }
  // The column delay_s of a run contains delays in addition to the arithmetic.
  const Applies applies = read->column == "delay_s" ? Applies::added : Applies::total;
  Fits fits = fit_families(times, applies);
  if (fits.ranked.empty()) {
    throw SpecError(whole, "no distribution fits these times (" + join(fits.refused, "; ") + ")");
  }
  return {std::move(*read), std::move(times), applies, std::move(fits), options.output};
}

/// The parameters of the distribution, and no keys that all stragglers have.
Tree keys_of_fit(const Fit& fit) {
  Tree keys = fit.straggler.row()->write(*fit.straggler);
  std::erase_if(keys.members,
                [](const Member& key) { return key.key == "applies" || key.key == "phase"; });
  return six_digits(std::move(keys), true);
}

std::string printed(double value, const char* format) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// A key's value with four digits.
std::string shown_key(const Tree& value) {
  Seconds time;
  double number = 0;
  Diagnostics none;
  if (Value<double>::read(number, value, none)) return significant(number, 4);
  return Value<Seconds>::read(time, value, none) ? shown(time) : value.text;
}

std::string shown_keys(const Fit& fit) {
  std::string text;
  for (const Member& key : keys_of_fit(fit).members) {
    text += (text.empty() ? "" : ", ") + key.key + " " + shown_key(key.value);
  }
  return text;
}

/// The YAML to paste into an experiment file.
std::string best_yaml(const Fitted& fitted) {
  const Fit& fit = fitted.fits.ranked.front();
  Tree best = Tree::map();
  best.set("kind", Tree::scalar(fit.straggler.kind()));
  for (const Member& key : keys_of_fit(fit).members) best.set(key.key, key.value);
  best.set("applies", Value<Applies>::write(fitted.applies));
  return "stragglers:\n  compute: " + to_flow(best) + "\n";
}

std::string empirical_yaml(const Fitted& fitted) {
  Tree tree = Tree::map();
  tree.set("kind", Tree::scalar("empirical"));
  const std::filesystem::path times = std::filesystem::absolute(fitted.folder / "times.csv");
  tree.set("file", Tree::quoted_scalar(times.string()));
  tree.set("applies", Value<Applies>::write(fitted.applies));
  return "stragglers:\n  compute: " + to_flow(tree) + "\n";
}

std::string fit_csv(const Fitted& fitted) {
  std::string text = "kind,parameters,times,log_likelihood,aic,distance,keys\n";
  for (const Fit& fit : fitted.fits.ranked) {
    text += csv_line({fit.straggler.kind(), std::to_string(fit.parameters),
                      std::to_string(fitted.read.seconds.size()), print_number(fit.log_likelihood),
                      print_number(fit.aic), print_number(fit.distance), shown_keys(fit)});
  }
  return text;
}

/// The distribution functions at evenly spaced times from the shortest to the longest; a far
/// outlying slowest thousandth is left out.
std::string curves_csv(const Fitted& fitted) {
  constexpr int kPoints = 480;
  const double low = fitted.times.times().front();
  const double bulk = fitted.times.quantile(0.999);
  const double high = std::min(fitted.times.times().back(), low + 1.2 * (bulk - low));
  std::vector<std::string> names{"time_s", "measured"};
  for (const Fit& fit : fitted.fits.ranked) names.push_back(fit.straggler.kind());
  std::string text = csv_line(names);
  for (int i = 0; i <= kPoints; ++i) {
    const double time = i < kPoints ? low + (high - low) * i / kPoints : high;
    std::vector<std::string> cells{print_number(time), print_number(fitted.times.cdf(time))};
    for (const Fit& fit : fitted.fits.ranked) {
      cells.push_back(print_number(fit.straggler->cdf(Seconds{time})));
    }
    text += csv_line(cells);
  }
  return text;
}

std::string times_csv(const std::vector<double>& seconds) {
  std::string text = "time_s\n";
  for (const double time : seconds) text += csv_line({print_number(time)});
  return text;
}

Tree json_of(const Fitted& fitted) {
  const auto number = [](double value) { return Tree::scalar(print_number(value)); };
  std::vector<Tree> rows;
  rows.reserve(fitted.fits.ranked.size());
  for (const Fit& fit : fitted.fits.ranked) {
    Tree row = Tree::map();
    row.set("kind", Tree::quoted_scalar(fit.straggler.kind()));
    row.set("keys", keys_of_fit(fit));
    row.set("log_likelihood", number(fit.log_likelihood));
    row.set("aic", number(fit.aic));
    row.set("distance", number(fit.distance));
    rows.push_back(std::move(row));
  }
  Tree all = Tree::map();
  all.set("times", number(static_cast<double>(fitted.read.seconds.size())));
  if (!fitted.read.column.empty()) all.set("column", Tree::quoted_scalar(fitted.read.column));
  if (!fitted.read.why.empty()) all.set("column_because", Tree::quoted_scalar(fitted.read.why));
  all.set("fits", Tree::list(std::move(rows)));
  all.set("yaml", Tree::quoted_scalar(best_yaml(fitted)));
  if (!fitted.folder.empty()) all.set("folder", Tree::quoted_scalar(fitted.folder.string()));
  return all;
}

void print_table(const Fitted& fitted, const std::string& name, TableStyle style,
                 std::ostream& out) {
  out << name << ": " << fitted.read.seconds.size() << " times";
  if (!fitted.read.column.empty()) out << " (" << fitted.read.column << ")";
  const FitSample sample(fitted.times.times());
  out << ", mean " << shown(Seconds{sample.mean}) << ", cv "
      << significant(std::sqrt(sample.variance) / sample.mean, 4);
  if (fitted.read.cancelled > 0)
    out << "; " << fitted.read.cancelled << " cancelled steps left out";
  if (!fitted.read.why.empty()) out << "\n" << fitted.read.column << ": " << fitted.read.why;
  out << "\n\n";
  std::vector<std::vector<std::string>> rows;
  rows.reserve(fitted.fits.ranked.size());
  for (const Fit& fit : fitted.fits.ranked) {
    rows.push_back({fit.straggler.kind(), shown_keys(fit), printed(fit.log_likelihood, "%.1f"),
                    printed(fit.aic, "%.1f"), printed(fit.distance, "%.4f")});
  }
  const bool markdown = style == TableStyle::markdown;
  std::string table = text_table({{"distribution"},
                                  {"parameters"},
                                  {"log-likelihood", true},
                                  {"AIC", true},
                                  {"Kolmogorov-Smirnov", true}},
                                 rows, style);
  std::vector<std::string> refusals;
  for (const std::string& refused : fitted.fits.refused) refusals.push_back("left out: " + refused);
  const auto yaml = [markdown](const std::string& text) {
    return markdown ? "```yaml\n" + text + (text.ends_with('\n') ? "" : "\n") + "```\n"
                    : text + "\n";
  };
  out << page_of(table + list_of(refusals, style), style)
      << "\nthe best fit, to paste into an experiment:\n\n"
      << yaml(best_yaml(fitted));
  if (!fitted.folder.empty()) {
    out << "or the measured times themselves:\n\n" << yaml(empirical_yaml(fitted));
  } else if (!markdown) {
    out << "-o DIR draws the fits and keeps the times for {kind: empirical}\n";
  }
}

Drawing write_all(const Fitted& fitted) {
  write_whole(fitted.folder / "times.csv", times_csv(fitted.read.seconds));
  write_whole(fitted.folder / "fit.csv", fit_csv(fitted));
  write_whole(fitted.folder / "curves.csv", curves_csv(fitted));
  write_whole(fitted.folder / "stragglers.yaml", best_yaml(fitted));
  return draw_figures({fitted.folder.string()});
}

int fit(const Options& options, const Terminal& terminal) {
  if (options.operands.size() != 1) {
    throw SpecError("paceline: error: fit takes one file of times (- reads standard input)");
  }
  const std::string& path = options.operands.front();
  const std::string name = path == "-" ? "standard input" : path;
  if (!options.output.empty()) {
    for (const char* file : {"times.csv", "fit.csv", "curves.csv", "stragglers.yaml"})
      expect_absent(std::filesystem::path(options.output) / file, options);
  }
  const Fitted fitted = fit_file(path, name, options);
  Drawing drawing;
  if (!fitted.folder.empty()) drawing = write_all(fitted);
  if (options.json) {
    terminal.out << to_json(json_of(fitted), 2) << "\n";
  } else if (!options.quiet) {
    print_table(fitted, name, table_style(options.markdown), terminal.out);
    if (!drawing.output.empty() && !options.markdown)
      terminal.out << "figure: " << drawing.output << "\n";
  }
  if (!drawing.problem.empty()) terminal.err << drawing.problem << "\n";
  return kDone;
}

}  // namespace

CommandRow fit_command() {
  return {"fit",
          "TIMES.csv",
          "fit straggler distributions to measured step times (- reads standard input)",
          {"-o", "--column", "--unit", "--only", "--force", "--quiet", "--json", "--markdown"},
          fit,
          "folder of the times, fits and figure (default: nothing is written)"};
}

}  // namespace paceline
