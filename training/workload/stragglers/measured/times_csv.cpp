// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/measured/times_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "experiments/language/csv.hpp"
#include "experiments/language/unit_table.hpp"
#include "training/workload/stragglers/measured/log_layouts.hpp"
#include "training/workload/stragglers/measured/time_columns.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostRows = 10'000'000;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Splits a field into a number and the rest; false if it does not begin with a number.
bool leading(std::string_view text, double& number, std::string_view& rest) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{}) return false;
  rest = trimmed({stop, static_cast<std::size_t>(end - stop)});
  return true;
}

const UnitRow* find_unit(std::string_view suffix) {
  for (const UnitRow& row : units_of(static_cast<const Seconds*>(nullptr))) {
    if (suffix == row.suffix) return &row;
  }
  return nullptr;
}

const char* name_of(TimeUnit unit) {
  for (const auto& row : enum_names(&unit)) {
    if (row.value == unit) return row.name;
  }
  return "s";
}

/// Reads one file, row by row. Functions that return a bool return false after noting an error that
/// ends the reading.
class TimesReader {
 public:
  TimesReader(const std::string& name, std::istream& in, const TimesQuery& query,
              Diagnostics& errors)
      : file_(std::make_shared<const std::string>(name)),
        query_(query),
        csv_(name, in, errors),
        errors_(errors) {
    if (query.unit) unit_ = find_unit(name_of(*query.unit));
  }

  std::optional<Times> read() {
    const std::size_t before = errors_.count();
    while (csv_.next() && !errors_.full()) {
      fields_.clear();
      for (const std::string& field : csv_.fields()) fields_.push_back(trimmed(field));
      const bool first = !std::exchange(begun_, true);
      const bool header = first && is_header();
      if (first && !(header ? read_header() : expect_no_names())) return std::nullopt;
      if (!header && !read_row()) return std::nullopt;
    }
    check_one_run();
    if (errors_.count() != before) return std::nullopt;
    if (!times_.seconds.empty()) return std::move(times_);
    fail(whole(), "no time in this file");
    return std::nullopt;
  }

 private:
  Location whole() const { return {file_, 0, 0}; }
  const Location& here() const { return csv_.at(); }
  bool fail(const Location& at, const std::string& message) {
    errors_.error(at, message);
    return false;
  }

  bool is_header() const {
    return std::none_of(fields_.begin(), fields_.end(), [](std::string_view field) {
      double number = 0;
      std::string_view rest;
      return leading(field, number, rest);
    });
  }

  std::size_t column(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? kNone : static_cast<std::size_t>(found - names_.begin());
  }

  bool find_column(const std::string& name, std::size_t& at) {
    at = column(name);
    return at != kNone || fail(here(), unknown_name("column", name, names_));
  }

  bool read_header() {
    for (const std::string_view field : fields_) names_.emplace_back(field);
    began_ = column("began_s");
    end_ = column("end_s");
    of_run_ = began_ != kNone && end_ != kNone;
    if (of_run_) accepted_ = column("accepted");
    for (const auto& filter : query_.only) {
      if (!find_column(filter.first, only_.emplace_back())) return false;
    }
    for (const char* name : {"point", "source"}) {
      const std::size_t at = of_run_ ? column(name) : kNone;
      if (at != kNone && std::find(only_.begin(), only_.end(), at) == only_.end()) {
        one_of_.emplace_back(at, std::set<std::string>{});
      }
    }
    if (!find_times()) return false;
    times_.column = at_ == kNone ? "end_s - began_s" : names_[at_];
    const UnitRow* unit = at_ == kNone ? nullptr : unit_in_name(names_[at_]);
    if (unit != nullptr && !query_.unit) unit_ = unit;
    return true;
  }

  /// Sets `at_`; kNone: from `began_s` to `end_s`.
  bool find_times() {
    if (!query_.column.empty()) return find_column(query_.column, at_);
    at_ = kNone;
    if (of_run_) return true;
    const TimeColumn found = time_column(names_);
    if (found.at == kNone) return fail(here(), found.problem);
    at_ = found.at;
    times_.why = found.basis;
    differences_ = found.differences;
    per_step_ = found.per_step;
    return true;
  }

  bool expect_no_names() {
    const std::string& name = query_.only.empty() ? query_.column : query_.only.front().first;
    return name.empty() || fail(here(), "no column '" + name + "': the file has no header");
  }

  bool read_row() {
    const std::size_t expected = names_.empty() ? 1 : names_.size();
    if (fields_.size() != expected) {
      errors_.error(here(), "expected " + std::to_string(expected) + " fields, found " +
                                std::to_string(fields_.size()));
      return true;
    }
    for (std::size_t i = 0; i < only_.size(); ++i) {
      if (fields_[only_[i]] != query_.only[i].second) return true;
    }
    if (accepted_ != kNone && fields_[accepted_] == "0") {
      ++times_.cancelled;
      return true;
    }
    for (auto& [at, values] : one_of_) {
      if (values.size() < 8) values.emplace(fields_[at]);
    }
    double time = 0;
    double began = 0;
    if (!read_time(fields_[at_ == kNone ? end_ : at_], time)) return true;
    if (at_ == kNone && !read_time(fields_[began_], began)) return true;
    if (time < began) {
      errors_.error(here(), "the step ends before it begins");
      return true;
    }
    return differences_ ? add_difference(time) : add(time - began);
  }

  bool add(double seconds) {
    if (times_.seconds.size() == kMostRows) return fail(here(), "more than 10 million times");
    times_.seconds.push_back(seconds);
    return true;
  }

  /// Adds the time since the row before, for each of the steps between. A training that began again
  /// counts from there.
  bool add_difference(double time) {
    double step = last_step_ + 1;
    std::string_view rest;
    const bool known = per_step_ == kNone || leading(fields_[per_step_], step, rest);
    if (!known || !rest.empty() || !std::isfinite(step)) {
      errors_.error(here(), quote(fields_[per_step_]) + " is not the number of a step");
      return true;
    }
    const double steps = step - last_step_;
    const double passed = time - std::exchange(last_time_, time);
    const bool follows = std::exchange(follows_, true) && steps > 0 && passed >= 0;
    last_step_ = step;
    return !follows || add(passed / steps);
  }

  bool read_time(std::string_view field, double& time) {
    std::string_view rest;
    double number = 0;
    const bool found = leading(field, number, rest);
    const UnitRow* unit = found && !rest.empty() ? find_unit(rest) : unit_;
    if (found && unit != nullptr) {
      time = number * unit->scale / unit->per;
      if (std::isfinite(time) && time >= 0) return true;
    }
    errors_.error(here(), quote(field) +
                              " is not a time (write a number >= 0, or a number and one "
                              "of: ns, us, ms, s, min, h)");
    return false;
  }

  void check_one_run() {
    for (const auto& [at, values] : one_of_) {
      if (values.size() < 2) continue;
      const std::vector<std::string> some(values.begin(), values.end());
      errors_.error(whole(), "steps of several runs: " + names_[at] + " " + join(some) +
                                 (values.size() == 8 ? ", ..." : "") + " (choose one with --only " +
                                 names_[at] + "=" + some.front() +
                                 (names_[at] == "point" ? "; results.csv tells points apart" : "") +
                                 ")");
    }
  }

  std::shared_ptr<const std::string> file_;
  const TimesQuery& query_;
  CsvReader csv_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> names_;
  bool begun_ = false;
  bool of_run_ = false;
  const UnitRow* unit_ = find_unit("s");
  std::size_t at_ = 0;  ///< the column of the times
  std::size_t began_ = kNone, end_ = kNone, accepted_ = kNone;
  bool differences_ = false;  ///< the times are differences between rows
  std::size_t per_step_ = kNone;
  bool follows_ = false;  ///< a row has set the next two
  double last_time_ = 0, last_step_ = 0;
  std::vector<std::size_t> only_;
  /// Columns in which all rows must agree, and what was found there.
  std::vector<std::pair<std::size_t, std::set<std::string>>> one_of_;
  Times times_;
  Diagnostics& errors_;
};

}  // namespace

std::span<const EnumName<TimeUnit>> enum_names(const TimeUnit*) {
  static constexpr std::array<EnumName<TimeUnit>, 6> kNames{{{"ns", TimeUnit::ns},
                                                             {"us", TimeUnit::us},
                                                             {"ms", TimeUnit::ms},
                                                             {"s", TimeUnit::s},
                                                             {"min", TimeUnit::min},
                                                             {"h", TimeUnit::h}}};
  return kNames;
}

std::optional<Times> read_times(const std::string& path, const TimesQuery& query,
                                Diagnostics& diagnostics) {
  const auto fail = [&](const char* why) {
    diagnostics.error({std::make_shared<const std::string>(path), 0, 0}, why);
    return std::nullopt;
  };
  std::error_code refused;
  if (!std::filesystem::is_regular_file(path, refused)) return fail("cannot open");
  if (std::filesystem::file_size(path, refused) > kMostBytes) {
    return fail("the file is larger than 1 GiB");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("cannot open");
  return read_times(path, file, query, diagnostics);
}

std::optional<Times> read_times(const std::string& name, std::istream& in, const TimesQuery& query,
                                Diagnostics& diagnostics) {
  std::ostringstream copy;
  copy << in.rdbuf();
  std::string text = std::move(copy).str();
  if (query.column.empty() && query.only.empty()) {
    if (std::optional<LogTimes> log = times_in_log(text))
      return Times{std::move(log->seconds), log->what, log->why};
  }
  std::istringstream all(std::move(text));
  return TimesReader(name, all, query, diagnostics).read();
}

}  // namespace paceline
