// SPDX-License-Identifier: MIT
// A point's file is lines of text:
//
//   paceline point 3
//   key 4f1c...                    the point and source that it answers: its own name
//   status ok
//   gpus 1 x NVIDIA H200, ...      where GPUs measured it
//   split green: 8 groups of ...   how workers shared one card, where they did
//   clocks SM 1980 MHz ...         of the GPUs meanwhile
//   iteration_s_mean 0.0123        a line for each figure that is there
//   step 0 5 0.1 0.02 0.01 0 0.13 1    worker, step, began, delay, compute, wait, end, accepted
//   curve 0 40 1.5 640 0.23 0.9        repeat, updates, time, items, loss, accuracy
//   staleness 120 30 2                 gradients of staleness 0, 1, 2
//   step_times 500 0.01 0.3            steps, mean, cv, and
//   quantiles 0.005 0.006 ...          seconds
//   end 9a0b...                    a checksum of all lines above
#include "cli/point_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/hash.hpp"
#include "cli/version.hpp"
#include "experiments/whole_file.hpp"
#include "models/network_text.hpp"
#include "topology/machine_text.hpp"

namespace paceline {
namespace {

constexpr std::string_view kFirstLine = "paceline point 3";
constexpr std::string_view kEnd = "end ";
constexpr int kStepsKept = 400;

bool read_number(std::string_view text, double& out) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, out);
  return error == std::errc{} && rest == end;
}

/// All the numbers of a line; empty where one is none.
std::vector<double> numbers_in(const std::string& rest) {
  std::istringstream words(rest);
  std::vector<double> values;
  for (std::string word; words >> word;) {
    if (!read_number(word, values.emplace_back())) return {};
  }
  return values;
}

bool read_step(const std::vector<double>& value, Measurement& out) {
  if (value.size() != 8) return false;
  StepRow& step = out.steps.emplace_back();
  step.worker = static_cast<int>(value[0]);
  step.step = static_cast<std::int64_t>(value[1]);
  step.began_s = value[2];
  step.delay_s = value[3];
  step.compute_s = value[4];
  step.wait_s = value[5];
  step.end_s = value[6];
  step.accepted = value[7] != 0;
  return true;
}

bool read_curve(const std::vector<double>& value, Measurement& out) {
  if (value.size() != 6) return false;
  CurvePoint& point = out.curve.emplace_back();
  point.repeat = static_cast<int>(value[0]);
  point.updates = static_cast<std::int64_t>(value[1]);
  point.time_s = value[2];
  point.items = value[3];
  point.loss = value[4];
  point.accuracy = value[5];
  return true;
}

bool read_step_times(const std::vector<double>& value, Measurement& out) {
  if (value.size() != 3) return false;
  out.step_times.steps = value[0];
  out.step_times.mean_s = value[1];
  out.step_times.cv = value[2];
  return true;
}

/// Reads a line that is a list of numbers; nothing where it is no such line.
std::optional<bool> read_list(const std::string& name, const std::string& rest, Measurement& out) {
  if (name == "step") return read_step(numbers_in(rest), out);
  if (name == "curve") return read_curve(numbers_in(rest), out);
  if (name == "step_times") return read_step_times(numbers_in(rest), out);
  if (name == "staleness") {
    out.staleness = numbers_in(rest);
    return !out.staleness.empty();
  }
  if (name == "quantiles") {
    out.step_times.quantiles = numbers_in(rest);
    return out.step_times.quantiles.size() == StepTimes::kQuantiles;
  }
  return std::nullopt;
}

std::string list_line(const std::string& name, const std::vector<double>& values) {
  std::string line = name;
  for (const double value : values) line += " " + print_number(value);
  return line + "\n";
}

bool read_figure(const std::string& name, const std::string& rest, Measurement& out) {
  for (const Figure& figure : figures()) {
    if (name != figure.column) continue;
    double number = 0;
    if (!read_number(rest, number)) return false;
    out.*figure.value = number;
    return true;
  }
  return false;
}

/// Everything that was measured of this computer and a prediction depends on.
void add_profile(Hash& hash, const ExperimentPoint& point, const Profile& profile, bool on_gpus) {
  hash.add(to_flow(write_keys(profile.host)));
  if (on_gpus) {
    for (const GpuProfile& gpu : profile.gpus) hash.add(to_flow(write_keys(gpu)));
    for (const LinkProfile& link : profile.links) hash.add(to_flow(write_keys(link)));
  }
  const NetworkProfile* times = on_gpus ? times_on_gpu(point, profile) : times_of(point, profile);
  if (times != nullptr) hash.add(to_flow(write_keys(*times)));
  const bool several = point.experiment.process_count() > 1;
  if (several && profile.tcp) hash.add(to_flow(write_keys(*profile.tcp)));
}

/// The line that follows all others: their checksum.
std::string last_line(const std::string& others) {
  return std::string(kEnd) + Hash().add(others).text() + "\n";
}

/// What a measurement says in words, each in one line.
struct Words {
  std::string_view name;
  std::string Measurement::*value;
};
const std::array<Words, 3>& said() {
  static constexpr std::array<Words, 3> kSaid{{{"gpus", &Measurement::gpus},
                                               {"split", &Measurement::split},
                                               {"clocks", &Measurement::clocks}}};
  return kSaid;
}

}  // namespace

std::span<const Figure> figures() {
  static constexpr std::array<Figure, 29> kFigures{{
      {"updates", &Measurement::updates},
      {"iteration_s_mean", &Measurement::iteration_mean},
      {"iteration_s_median", &Measurement::iteration_median},
      {"iteration_s_p95", &Measurement::iteration_p95},
      {"step_s_mean", &Measurement::step_mean},
      {"compute_s", &Measurement::compute},
      {"delay_s", &Measurement::delay},
      {"exposed_comm_s", &Measurement::exposed_comm},
      {"wait_s", &Measurement::wait},
      {"input_s", &Measurement::input},
      {"wasted_s", &Measurement::wasted},
      {"throughput", &Measurement::throughput},
      {"throughput_stderr", &Measurement::throughput_stderr},
      {"throughput_jitter", &Measurement::throughput_jitter},
      {"staleness_mean", &Measurement::staleness_mean},
      {"staleness_p95", &Measurement::staleness_p95},
      {"utilization", &Measurement::utilization},
      {"memory_bytes_peak", &Measurement::memory_bytes_peak},
      {"loss_final", &Measurement::loss_final},
      {"staleness_max", &Measurement::staleness_max},
      {"accuracy_final", &Measurement::accuracy_final},
      {"time_to_target_s", &Measurement::time_to_target},
      {"time_to_target_stderr", &Measurement::time_to_target_stderr},
      {"updates_to_target", &Measurement::updates_to_target},
      {"loss_floor", &Measurement::loss_floor},
      {"total_s", &Measurement::total},
      {"failures", &Measurement::failures},
      {"optimal_loss", &Measurement::optimal_loss},
      {"server_busy", &Measurement::server_busy},
  }};
  return kFigures;
}

void keep_first_steps(Measurement& measurement, int workers) {
  const std::int64_t each = std::max(1, kStepsKept / workers);
  std::vector<StepRow> kept;
  std::set<std::pair<int, std::int64_t>> seen;
  for (const StepRow& row : measurement.steps) {
    if (row.step >= each || row.worker >= kStepsKept) continue;
    if (seen.insert({row.worker, row.step}).second) kept.push_back(row);  // else another repeat's
  }
  measurement.steps = std::move(kept);
}

std::string point_text(const std::string& key, const Measurement& measurement) {
  std::string text =
      std::string(kFirstLine) + "\nkey " + key + "\nstatus " + measurement.status + "\n";
  for (const Words& words : said()) {
    const std::string& value = measurement.*words.value;
    if (!value.empty()) text += std::string(words.name) + " " + value + "\n";
  }
  for (const Figure& figure : figures()) {
    const std::optional<double>& value = measurement.*figure.value;
    if (value) text += std::string(figure.column) + " " + print_number(*value) + "\n";
  }
  for (const StepRow& row : measurement.steps) {
    text += list_line(
        "step", {static_cast<double>(row.worker), static_cast<double>(row.step), row.began_s,
                 row.delay_s, row.compute_s, row.wait_s, row.end_s, row.accepted ? 1.0 : 0.0});
  }
  for (const CurvePoint& point : measurement.curve) {
    text +=
        list_line("curve", {static_cast<double>(point.repeat), static_cast<double>(point.updates),
                            point.time_s, point.items, point.loss, point.accuracy});
  }
  if (!measurement.staleness.empty()) text += list_line("staleness", measurement.staleness);
  const StepTimes& times = measurement.step_times;
  if (!times.quantiles.empty()) {
    text += list_line("step_times", {times.steps, times.mean_s, times.cv});
    text += list_line("quantiles", times.quantiles);
  }
  return text + last_line(text);
}

std::optional<Measurement> read_point_text(const std::string& key, const std::string& text) {
  const std::size_t end = text.size() - std::min(text.size(), last_line("").size());
  if (text.substr(end) != last_line(text.substr(0, end))) return std::nullopt;
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kFirstLine) return std::nullopt;
  if (!std::getline(lines, line) || line != "key " + key) return std::nullopt;
  Measurement measurement;
  while (std::getline(lines, line)) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string name = line.substr(0, blank);
    const std::string rest = line.substr(std::min(blank + 1, line.size()));
    if (name == "end") return measurement;
    const auto& words = said();
    const auto found = std::ranges::find(words, name, &Words::name);
    if (name == "status") {
      measurement.status = rest;
    } else if (found != words.end()) {
      measurement.*(found->value) = rest;
    } else if (const std::optional<bool> list = read_list(name, rest, measurement)) {
      if (!*list) return std::nullopt;
    } else if (!read_figure(name, rest, measurement)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::string point_key(const ExperimentPoint& point, const Profile* profile,
                      const std::string& source, bool on_gpus) {
  Hash hash;
  hash.add(version()).add(git_commit()).add(source);
  hash.add(to_flow(write_keys(point.experiment)));
  const Choice<Straggler>& late = point.experiment.stragglers.compute;
  hash.add(late ? late->content() : "");  // a file of times that has changed is another point
  hash.add(to_flow(write_keys(*point.software)));
  hash.add(canonical_text(*point.network));
  if (point.machine) hash.add(canonical_text(*point.machine));
  if (profile != nullptr) add_profile(hash, point, *profile, on_gpus);
  const std::optional<OneWorker>& one = point.one_worker;
  hash.add(one ? one->throughput : 0).add(one ? one->aggregation : "");
  return hash.text();
}

std::optional<Measurement> load_point(const std::filesystem::path& folder, const std::string& key,
                                      std::ostream& notes) {
  std::ifstream file(folder / key, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::optional<Measurement> kept = read_point_text(key, text);
  if (!kept) notes << "note: " << (folder / key).string() << " is damaged; its point runs again\n";
  return kept;
}

void save_point(const std::filesystem::path& folder, const std::string& key,
                const Measurement& measurement) {
  write_whole(folder / key, point_text(key, measurement));
}

}  // namespace paceline
