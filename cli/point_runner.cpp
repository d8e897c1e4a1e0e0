// SPDX-License-Identifier: MIT
#include "cli/point_runner.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "cli/comparison.hpp"
#include "cli/point_file.hpp"
#include "cli/progress.hpp"
#include "cli/trace_file.hpp"
#include "exec/plugin/matching.hpp"
#include "experiments/language/counted.hpp"
#include "sim/closed_form_of_point.hpp"
#include "sim/simulate.hpp"

namespace paceline {
namespace {

/// The steps of a run with more mini-batches are not kept, since they would fill the memory.
constexpr double kMostStepsKept = 200'000;

bool keeps_steps(const Experiment& experiment) {
  const auto rounds = static_cast<double>(experiment.steps.rounds + experiment.warmup.rounds);
  return rounds * experiment.workers * experiment.repeats <= kMostStepsKept;
}

/// Joins the lines of a text, since a status is one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

// The relative difference allowed between a step and the sum of its parts: rounding of doubles, and
// clocks read by several threads.
constexpr double kPredictedRounding = 1e-6;
constexpr double kMeasuredRounding = 0.01;

/// Returns the measurement if its figures are consistent; otherwise throws std::runtime_error.
Measurement checked(Measurement measurement, double rounding) {
  const std::string why = why_impossible(measurement, rounding);
  if (!why.empty()) throw std::runtime_error("internal check: " + why);
  return measurement;
}

/// The measurement of a source, or the reason for its failure.
Measurement attempt(const std::function<Measurement()>& measure) {
  Measurement failed;
  try {
    return measure();
  } catch (const std::bad_alloc&) {
    failed.status = "failed: out of memory";
  } catch (const std::exception& error) {
    failed.status = "failed: " + one_line(error.what());
  }
  return failed;
}

Measurement skipped(const std::string& why) {
  Measurement measurement;
  measurement.status = "skipped (" + why + ")";
  return measurement;
}

bool failed(const Measurement& measurement) {
  return measurement.status != "ok" && measurement.status != "bound" && !measurement.diverged();
}

/// The measurements of one point, one per source, if present.
struct Answers {
  std::optional<Measurement> theory, predicted, measured;
};

class Runner {
 public:
  explicit Runner(const PointRun& run) : run_(run), answers_(run.file->points.size()) {}

  /// Loads the finished points from the disk.
  void take_finished(std::ostream& notes) {
    if (run_.folder.empty()) return;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      answers_[i].theory = finished(key(i, "theory"), notes);
      answers_[i].predicted = finished(key(i, predicted_source()), notes);
      answers_[i].measured = finished(key(i, measured_source(i)), notes);
      if (is_of_others(answers_[i].measured)) answers_[i].measured.reset();
    }
  }

  std::vector<std::size_t> unpredicted() const {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const bool traced = !run_.trace || not_traceable(answers_[i].predicted) ||
                          has_trace(run_.folder, key(i, predicted_source()));
      if (!answers_[i].theory || !answers_[i].predicted || !traced) missing.push_back(i);
    }
    return missing;
  }
  std::vector<std::size_t> unmeasured() const {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const bool traced = !run_.trace || not_traceable(answers_[i].measured) ||
                          has_trace(run_.folder, key(i, measured_source(i)));
      if (!answers_[i].measured || !traced) missing.push_back(i);
    }
    return missing;
  }

  /// The number of points for which every requested source is present.
  std::size_t reused() const {
    std::set<std::size_t> missing;
    if (run_.sources.predict) missing.merge(as_set(unpredicted()));
    if (run_.sources.execute) missing.merge(as_set(unmeasured()));
    return answers_.size() - missing.size();
  }

  void predict(std::size_t i) {
    const ExperimentPoint& point = run_.file->points[i];
    Answers& answers = answers_[i];
    if (const std::string why = not_predictable(point, device(), run_.profile); !why.empty()) {
      answers.theory = skipped(why);
      answers.predicted = skipped(why);
      return;
    }
    answers.theory =
        attempt([&] { return theory_of(prediction_of(point, device(), run_.profile)); });
    SpanRecorder spans(most_spans());
    Prediction setting;
    answers.predicted = attempt([&] {
      setting = prediction_of(point, device(), run_.profile);
      if (run_.trace) setting.spans = &spans;
      setting.by_events = run_.by_events;
      for (Prediction& other : setting.beside) other.by_events = run_.by_events;
      return checked(simulate(setting, keeps_steps(point.experiment)), kPredictedRounding);
    });
    keep(i, "theory", *answers.theory);
    keep_spans(i, predicted_source(), *answers.predicted, setting);
    keep(i, predicted_source(), *answers.predicted);
  }

  void measure(std::size_t i) {
    const ExperimentPoint& point = run_.file->points[i];
    Answers& answers = answers_[i];
    std::string why = run_.devices->not_executable(point);
    if (why.empty()) why = run_.devices->lacks_times(point, run_.profile);
    if (!why.empty()) {
      answers.measured = skipped(why);
      return;
    }
    SpanRecorder spans(most_spans());
    Setting setting;
    answers.measured = attempt([&] {
      setting = run_.devices->setting_of(point, run_.profile);
      if (run_.trace) setting.spans = &spans;
      return checked(run_.devices->execute(setting, keeps_steps(point.experiment)),
                     kMeasuredRounding);
    });
    if (runs_on_cuda(point, device())) {
      answers.measured->gpus = name_of(run_.devices->accelerator()->facts());
    }
    keep_spans(i, measured_source(i), *answers.measured, setting);
    keep(i, measured_source(i), *answers.measured);
  }

  /// Writes all kept traces into one file.
  void write_traces(const Terminal& terminal) const {
    std::vector<SavedTrace> traces;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const ExperimentPoint& point = run_.file->points[i];
      for (const char* source : {predicted_source(), measured_source(i)}) {
        if (!has_trace(run_.folder, key(i, source))) continue;
        const bool predicted = std::string_view(source) == predicted_source();
        traces.push_back({key(i, source), predicted ? "predicted" : "measured", i, &point});
      }
    }
    write_trace_file(run_.folder.parent_path() / "trace.json.gz", run_.folder, traces, terminal);
  }

  std::vector<ResultRow> rows() const {
    std::vector<ResultRow> rows;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const ExperimentPoint& point = run_.file->points[i];
      const auto add = [&](Source source, const std::optional<Measurement>& measurement) {
        if (!measurement) return;
        ResultRow row;
        row.point = &point;
        row.index = i;
        row.source = source;
        row.cuda = runs_on_cuda(point, device());
        row.measurement = *measurement;
        if (source == Source::predicted) add_layer_times(row);
        rows.push_back(std::move(row));
      };
      // closed forms know one job and no workload but training
      if (!point.experiment.workload && point.beside.empty())
        add(Source::theory, answers_[i].theory);
      add(Source::predicted, answers_[i].predicted);
      add(Source::measured, answers_[i].measured);
      if (point.published) add(Source::published, published_measurement(point));
    }
    return rows;
  }

 private:
  /// Adds the source of the layer times to a predicted row.
  void add_layer_times(ResultRow& row) const {
    if (!row.usable()) return;
    const LayerTimes times = prediction_of(*row.point, device(), run_.profile).layer_times;
    row.layer_times = times.word();
    row.layer_times_from = times.sentence;
  }
  static std::set<std::size_t> as_set(const std::vector<std::size_t>& indices) {
    return {indices.begin(), indices.end()};
  }
  /// A finished point of this folder, or of `also_finished`, which is then copied to this folder.
  std::optional<Measurement> finished(const std::string& key, std::ostream& notes) const {
    std::optional<Measurement> known = load_point(run_.folder, key, notes);
    if (known || run_.also_finished.empty()) return known;
    known = load_point(run_.also_finished, key, notes);
    if (known) save_point(run_.folder, key, *known);
    return known;
  }
  Device device() const { return run_.devices != nullptr ? run_.devices->device() : Device::any; }
  /// The name under which a prediction is kept.
  const char* predicted_source() const { return run_.by_events ? "by events" : "predicted"; }
  /// The name under which a measurement is kept. Measurements of GPUs and of the host have
  /// different names, so that one is never used for the other.
  const char* measured_source(std::size_t i) const {
    return runs_on_cuda(run_.file->points[i], device()) ? "measured on cuda" : "measured";
  }
  /// True if the measurement was made with GPUs or libraries other than the present ones.
  bool is_of_others(const std::optional<Measurement>& measured) const {
    if (!measured || measured->gpus.empty() || !run_.sources.execute) return false;
    const Accelerator* gpus = run_.devices->accelerator();
    return gpus != nullptr && measured->gpus != name_of(gpus->facts());
  }
  std::string key(std::size_t i, const std::string& source) const {
    const ExperimentPoint& point = run_.file->points[i];
    const bool cuda = runs_on_cuda(point, device());
    const Profile* profile = profile_of(point, run_.profile);
    // a measurement on GPUs does not depend on the profile
    if (cuda && source == measured_source(i)) profile = nullptr;
    return point_key(point, profile, source, cuda);
  }
  /// True if the point can have no trace.
  static bool not_traceable(const std::optional<Measurement>& measurement) {
    return measurement && measurement->status != "ok" && !measurement->diverged();
  }
  std::size_t most_spans() const { return spans_for_each(2 * answers_.size()); }
  void keep_spans(std::size_t i, const char* source, const Measurement& measurement,
                  const Setting& setting) const {
    if (setting.spans == nullptr || failed(measurement) || run_.folder.empty()) return;
    save_trace(run_.folder, key(i, source), setting.spans->trace(), setting);
  }
  /// Failures are not kept, so that the next run tries again.
  void keep(std::size_t i, const char* source, Measurement& measurement) const {
    keep_first_steps(measurement, run_.file->points[i].experiment.workers);
    if (failed(measurement) || run_.folder.empty()) return;
    save_point(run_.folder, key(i, source), measurement);
  }

  const PointRun& run_;
  std::vector<Answers> answers_;  ///< each thread writes only the entries of its own points
};

/// Calls `work` for every index in `todo` on `jobs` threads. Rethrows the first exception.
void for_each_parallel(const std::vector<std::size_t>& todo, int jobs,
                       const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  std::exception_ptr error;
  const auto loop = [&] {
    for (std::size_t i = next++; i < todo.size() && !stopped; i = next++) {
      try {
        work(todo[i]);
      } catch (...) {
        if (!stopped.exchange(true)) error = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t count = std::min(todo.size(), static_cast<std::size_t>(jobs));
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(loop);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace

std::vector<ResultRow> run_points(const PointRun& run, const Terminal& terminal) {
  Runner runner(run);
  const SweptLabels labels(run.file->points);
  runner.take_finished(terminal.err);
  if (const std::size_t reused = runner.reused(); reused > 0 && !run.quiet) {
    terminal.err << reused << " of " << counted(run.file->points.size(), "point") << " reused\n";
  }
  if (run.sources.predict) {
    const std::vector<std::size_t> todo = runner.unpredicted();
    ProgressBar progress(terminal, "predicting", todo.size(), run.quiet);
    for_each_parallel(todo, run.jobs, [&](std::size_t i) {
      progress.set_current(name_of(run.file->points[i], labels));
      runner.predict(i);
      progress.advance();
    });
  }
  if (run.sources.execute) {
    const std::vector<std::size_t> todo = runner.unmeasured();
    ProgressBar progress(terminal, "measuring", todo.size(), run.quiet);
    for (const std::size_t i : todo) {  // one at a time: each uses the whole computer
      progress.set_current(name_of(run.file->points[i], labels));
      runner.measure(i);
      progress.advance();
    }
  }
  if (run.trace) runner.write_traces(terminal);
  std::vector<ResultRow> rows = runner.rows();
  relate(rows);
  return rows;
}

}  // namespace paceline
