// SPDX-License-Identifier: MIT
#include "cli/point_runner.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_set>

#include "cli/attempt.hpp"
#include "cli/comparison.hpp"
#include "cli/finished_points.hpp"
#include "cli/parallel.hpp"
#include "cli/point_file.hpp"
#include "cli/progress.hpp"
#include "cli/servers_beside_worker.hpp"
#include "cli/step_room.hpp"
#include "cli/trace_file.hpp"
#include "cli/trained_weights.hpp"
#include "exec/plugin/matching.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/whole_file.hpp"
#include "sim/closed_form_of_point.hpp"
#include "sim/simulate.hpp"

namespace paceline {
namespace {

/// The steps of a run with more mini-batches are not kept, since they would fill the memory.
constexpr double kMostStepsKept = 200'000;

bool keeps_steps(const Experiment& experiment) {
  if (experiment.draws == Draws::extremes) return false;  // each worker has steps of its own
  const auto rounds = static_cast<double>(experiment.steps.rounds + experiment.warmup.rounds);
  return rounds * experiment.workers * experiment.repeats <= kMostStepsKept;
}

// The relative difference allowed between a step and the sum of its parts: rounding of doubles, and
// clocks read by several threads.
constexpr double kPredictedRounding = 1e-6;
constexpr double kMeasuredRounding = 0.01;

/// The measurements of one point, one per source, if present.
struct Answers {
  std::optional<Measurement> theory, predicted, measured;
  std::optional<LayerTimes> layer_times{};  ///< of the prediction
};

/// True if the point was tried, and is not kept for its failure.
bool failed_to_run(const Answers& answers) {
  const auto fails = [](const Measurement& one) { return one.status.starts_with("failed"); };
  return fails(*answers.theory) || fails(*answers.predicted);
}

class Runner {
 public:
  explicit Runner(const PointRun& run)
      : run_(run), disk_(run), room_(run.file->points.size()), answers_(run.file->points.size()) {
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      (!run.shard || run.shard->holds(i) ? own_ : others_).push_back(i);
    }
  }

  const std::vector<std::size_t>& own() const { return own_; }
  const std::string& unsaved() const { return disk_.unsaved(); }

  /// Loads the finished points of this part from the disk.
  void take_finished(std::ostream& notes) { take_finished(own_, notes); }

  /// Completes the points of the other parts if all of them are finished, and makes them this
  /// part's own. Returns the number of points without results.
  std::size_t take_others(std::ostream& notes) {
    std::size_t missing = 0;
    for (const std::size_t i : own_) missing += failed_to_run(answers_[i]) ? 1 : 0;
    if (!others_.empty()) {
      for_each_parallel(others_, run_.jobs, [&](std::size_t i) { disk_.key(i, Kept::predicted); });
      const std::unordered_set<std::string> names = disk_.names();
      for (const std::size_t i : others_) {
        missing += names.contains(disk_.key(i, Kept::predicted)) || is_skipped(i) ? 0 : 1;
      }
    }
    if (missing > 0) return missing;
    take_finished(others_, notes);
    std::swap(own_, others_);
    for (const std::size_t i : unpredicted()) {
      if (is_skipped(i)) predict(i);
    }
    missing = unpredicted().size();
    own_.insert(own_.end(), others_.begin(), others_.end());
    std::sort(own_.begin(), own_.end());
    return missing;
  }

  std::vector<std::size_t> unpredicted() const {
    std::vector<std::size_t> missing;
    for (const std::size_t i : own_) {
      if (!answers_[i].theory || lacks(i, Kept::predicted, answers_[i].predicted)) {
        missing.push_back(i);
      }
    }
    return missing;
  }
  std::vector<std::size_t> unmeasured() const {
    std::vector<std::size_t> missing;
    for (const std::size_t i : own_) {
      if (lacks(i, Kept::measured, answers_[i].measured)) missing.push_back(i);
    }
    return missing;
  }

  /// The number of points for which every requested source is present.
  std::size_t reused() const {
    std::set<std::size_t> missing;
    if (run_.sources.predict) missing.merge(as_set(unpredicted()));
    if (run_.sources.execute) missing.merge(as_set(unmeasured()));
    return own_.size() - missing.size();
  }

  void predict(std::size_t i) {
    const ExperimentPoint& point = run_.file->points[i];
    Answers& answers = answers_[i];
    if (const std::string why = not_predictable(point, device(), run_.profile); !why.empty()) {
      answers.theory = skipped(why);
      answers.predicted = skipped(why);
      return;
    }
    Prediction setting;
    answers.theory = attempt([&] {
      setting = prediction_of(point, device(), run_.profile);
      return theory_of(setting);
    });
    SpanRecorder spans(most_spans());
    std::vector<float> weights;
    answers.predicted = attempt([&] {
      if (setting.point == nullptr) setting = prediction_of(point, device(), run_.profile);
      answers.layer_times = setting.layer_times;
      if (run_.trace) setting.spans = &spans;
      if (run_.save) setting.weights = &weights;
      setting.by_events = run_.by_events;
      for (Prediction& other : setting.beside) other.by_events = run_.by_events;
      return checked(simulate(setting, keeps_steps(point.experiment)), kPredictedRounding);
    });
    keep(i, Kept::predicted, *answers.predicted, setting, weights);
    drop_steps(i);
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
    std::vector<float> weights;
    Setting setting;
    answers.measured = attempt([&] {
      setting = run_.devices->setting_of(point, run_.profile);
      if (run_.trace) setting.spans = &spans;
      if (run_.save) setting.weights = &weights;
      return checked(run_.devices->execute(setting, keeps_steps(point.experiment)),
                     kMeasuredRounding);
    });
    if (disk_.on_cuda(i)) {
      answers.measured->gpus = name_of(run_.devices->accelerator()->facts());
    }
    keep(i, Kept::measured, *answers.measured, setting, weights);
  }

  /// Writes all kept traces into one file.
  void write_traces(const Terminal& terminal) const {
    std::vector<SavedTrace> traces;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const ExperimentPoint& point = run_.file->points[i];
      for (const Kept result : {Kept::predicted, Kept::measured}) {
        if (!disk_.has_trace(i, result)) continue;
        const bool predicted = result == Kept::predicted;
        traces.push_back({disk_.key(i, result), predicted ? "predicted" : "measured", i, &point});
      }
    }
    write_trace_file(run_.folder.parent_path() / "trace.json.gz", run_.folder, traces, terminal);
  }

  /// The rows of this part. They take the measurements, which may fill most of the memory.
  std::vector<ResultRow> take_rows() {
    std::vector<ResultRow> rows;
    for (const std::size_t i : own_) {
      const ExperimentPoint& point = run_.file->points[i];
      const auto add = [&](Source source, std::optional<Measurement> measurement) {
        if (!measurement) return;
        ResultRow row;
        row.point = &point;
        row.index = i;
        row.source = source;
        row.cuda = disk_.on_cuda(i);
        row.measurement = std::move(*measurement);
        row.weights = weights_of(i, source);
        if (source == Source::predicted && row.usable() && answers_[i].layer_times) {
          row.layer_times = answers_[i].layer_times->word();
          row.layer_times_from = answers_[i].layer_times->sentence;
        }
        rows.push_back(std::move(row));
      };
      // closed forms know one job and no workload but training
      if (!point.experiment.workload && point.beside.empty())
        add(Source::theory, std::move(answers_[i].theory));
      add(Source::predicted, std::move(answers_[i].predicted));
      add(Source::measured, std::move(answers_[i].measured));
      if (point.published) add(Source::published, published_measurement(point));
    }
    return rows;
  }

 private:
  void take_finished(const std::vector<std::size_t>& indices, std::ostream& notes) {
    if (!disk_.kept()) return;
    std::vector<std::string> lines(answers_.size());
    for_each_parallel(indices, run_.jobs, [&](std::size_t i) {
      std::ostringstream note;
      take(i, note);
      lines[i] = note.str();
    });
    for (const std::string& line : lines) notes << line;
  }
  void take(std::size_t i, std::ostream& note) {
    Answers& answers = answers_[i];
    answers.predicted = disk_.load(i, Kept::predicted, note);
    answers.measured = disk_.load(i, Kept::measured, note);
    if (is_of_others(answers.measured)) answers.measured.reset();
    drop_steps(i);
    if (!answers.predicted) return;
    answers.theory = attempt([&] {  // a closed form takes less time than a file
      const Prediction setting = prediction_of(run_.file->points[i], device(), run_.profile);
      answers.layer_times = setting.layer_times;
      return theory_of(setting);
    });
  }
  /// Drops the steps of a point if steps.csv will not have them.
  void drop_steps(std::size_t i) {
    std::size_t rows = 0;
    const auto measurements = {&answers_[i].predicted, &answers_[i].measured};
    for (const auto* one : measurements) rows += *one ? (*one)->steps.size() : 0;
    if (room_.has_room_for(i, rows)) return;
    for (auto* one : measurements) {
      if (*one) (*one)->steps = {};
    }
  }
  bool is_skipped(std::size_t i) const {
    return !not_predictable(run_.file->points[i], device(), run_.profile).empty();
  }
  static std::set<std::size_t> as_set(const std::vector<std::size_t>& indices) {
    return {indices.begin(), indices.end()};
  }
  Device device() const { return run_.devices != nullptr ? run_.devices->device() : Device::any; }
  /// True if the measurement was made with GPUs or libraries other than the present ones.
  bool is_of_others(const std::optional<Measurement>& measured) const {
    if (!measured || measured->gpus.empty() || !run_.sources.execute) return false;
    const Accelerator* gpus = run_.devices->accelerator();
    return gpus != nullptr && measured->gpus != name_of(gpus->facts());
  }
  /// True if the point can have no trace.
  static bool not_traceable(const std::optional<Measurement>& measurement) {
    return measurement && measurement->status != "ok" && !measurement->diverged();
  }
  /// True if a result is absent, or without a trace or weights that it could have and must have.
  bool lacks(std::size_t i, Kept result, const std::optional<Measurement>& known) const {
    if (!known) return true;
    if (run_.trace && !not_traceable(known) && !disk_.has_trace(i, result)) return true;
    const bool trained = run_.file->points[i].experiment.train && known->status == "ok";
    return run_.save && trained && !disk_.has_weights(i, result);
  }
  /// The file of the weights that a point was left with, in the results folder; "" if there is
  /// none.
  std::string weights_of(std::size_t i, Source source) const {
    if (!run_.file->points[i].experiment.train) return "";
    if (source != Source::predicted && source != Source::measured) return "";
    const Kept result = source == Source::predicted ? Kept::predicted : Kept::measured;
    if (!disk_.has_weights(i, result)) return "";
    return disk_.weights_file(i, result).lexically_relative(run_.folder.parent_path()).string();
  }
  std::size_t most_spans() const { return spans_for_each(2 * answers_.size()); }
  void keep(std::size_t i, Kept result, Measurement& measurement, const Setting& setting,
            const std::vector<float>& weights) {
    keep_first_steps(measurement, run_.file->points[i].experiment.workers);
    disk_.keep(i, result, measurement, setting, weights);
  }

  const PointRun& run_;
  FinishedPoints disk_;
  std::vector<std::size_t> own_;     ///< points of this part, in order
  std::vector<std::size_t> others_;  ///< points of other parts
  StepRoom room_;
  std::vector<Answers> answers_;  ///< each thread writes only the entries of its own points
};

}  // namespace

PointRows run_points(const PointRun& run, const Terminal& terminal) {
  Runner runner(run);
  const SweptLabels labels(run.file->points);
  PointRows points;
  points.own = runner.own().size();
  runner.take_finished(terminal.err);
  if (const std::size_t reused = runner.reused(); reused > 0 && !run.quiet) {
    terminal.err << reused << " of " << counted(points.own, "point") << " reused\n";
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
  if (run.shard) points.missing = runner.take_others(terminal.err);
  points.unsaved = runner.unsaved();
  points.rows = runner.take_rows();
  if (points.missing > 0) return points;
  const auto write_traces = [&] { runner.write_traces(terminal); };
  const std::string untraced = run.trace ? write_problem(write_traces) : "";
  if (points.unsaved.empty()) points.unsaved = untraced;
  set_bases(points.rows, run.devices != nullptr ? run.devices->device() : Device::any, run.profile);
  relate(points.rows);
  return points;
}

}  // namespace paceline
