// SPDX-License-Identifier: MIT
#include "cli/outlook.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <set>

#include "cli/probe.hpp"
#include "cli/shown_quantity.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/failure.hpp"
#include "sim/simulate.hpp"
#include "training/experiment/profiled_workload.hpp"
#include "training/learning/arithmetic/arithmetic.hpp"

namespace paceline {
namespace {

constexpr std::chrono::seconds kPatience{1};

/// "20 points (workers: 5 values, update: 4 values)"
std::string points_of(const ExperimentFile& file) {
  std::map<std::string, std::set<std::string>> values;
  for (const ExperimentPoint& point : file.points) {
    for (const SweptKey& key : point.swept) values[key.path].insert(key.value);
  }
  std::string text;
  for (const std::string& path : file.swept) {
    text += (text.empty() ? "" : ", ") + path + ": " + counted(values[path].size(), "value");
  }
  return counted(file.points.size(), "point") + (text.empty() ? "" : " (" + text + ")");
}

/// The devices that execute the points, and the reason why some points are not executable.
struct Executed {
  std::size_t host = 0, cuda = 0, nowhere = 0;  ///< points
  std::string why;  ///< reason for the first point that is not executable

  std::string words() const {
    std::vector<std::string> parts;
    if (host > 0) parts.push_back(counted(host, "point") + " on threads of this computer");
    if (cuda > 0) parts.push_back(counted(cuda, "point") + " on its GPUs");
    if (nowhere > 0) parts.push_back(counted(nowhere, "point") + " not executable here: " + why);
    return join(parts);
  }
};

Executed executed_where(const ExperimentFile& file, ExecutionDevices& devices) {
  Executed where;
  for (const ExperimentPoint& point : file.points) {
    const std::string not_here = devices.not_executable(point);
    if (not_here.empty()) {
      ++(runs_on_cuda(point, devices.device()) ? where.cuda : where.host);
    } else {
      if (where.nowhere++ == 0) where.why = not_here;
    }
  }
  return where;
}

/// The simulated duration of a run, and the sources of its layer times.
struct Forecast {
  double seconds = 0;         ///< to execute the points that could be simulated
  std::size_t simulated = 0;  ///< number of these points
  std::set<std::string> layer_times;
  bool uncalibrated = false;       ///< this computer's profile lacks layer times
  std::set<std::string> problems;  ///< reasons why other points have no prediction
};

/// The time of all repeats of a point. Rounds of a long run that are not simulated are assumed to
/// take as long as the simulated ones.
double seconds_of(const ExperimentPoint& point, Device device, const Profile* profile) {
  const ExperimentPoint shorter = shortened(point);
  Prediction setting = prediction_of(shorter, device, profile);
  const ExperimentPoint timed = without_training(shorter);
  setting.point = &timed;
  const auto rounds = [](const Experiment& experiment) {
    return static_cast<double>(experiment.warmup.rounds + experiment.steps.rounds);
  };
  return simulate(setting).total.value_or(0) * rounds(point.experiment) /
         rounds(shorter.experiment) * point.experiment.repeats;
}

/// True if `simulate` and `run` would first measure the point's layers on this computer.
bool measured_first(const ExperimentPoint& point, Device device, const Profile* profile) {
  if (point.machine) return false;
  if (profile == nullptr) return true;
  return !runs_on_cuda(point, device) && lacks_host_times(point, *profile) &&
         untrainable(*point.network, point.experiment.batch).empty();
}

Forecast forecast(const ExperimentFile& file, Device device, const Profile* profile) {
  Forecast result;
  const auto began = std::chrono::steady_clock::now();
  for (const ExperimentPoint& point : file.points) {
    const std::string why = not_predictable(point, device, profile);
    if (!why.empty()) {
      result.problems.insert(why);
      continue;
    }
    if (measured_first(point, device, profile)) {
      result.uncalibrated = true;
      continue;
    }
    try {
      result.layer_times.insert(prediction_of(point, device, profile).layer_times.sentence);
      // if K follows the loss, the duration is unknown without training
      if (!can_probe(point) || std::chrono::steady_clock::now() - began > kPatience) continue;
      result.seconds += seconds_of(point, device, profile);
      ++result.simulated;
    } catch (const std::exception& error) {
      result.problems.insert(in_plain_words(error));
    }
  }
  return result;
}

}  // namespace

std::string outlook(const ExperimentFile& file, ExecutionDevices& devices, const Profile* profile) {
  const Forecast expected = forecast(file, devices.device(), profile);
  std::string text = file.name + ": " + points_of(file) + "\n";
  const Executed where = executed_where(file, devices);
  text += "  execute: " + where.words();
  const std::size_t executed = where.host + where.cuda;
  if (expected.simulated > 0 && executed > 0) {
    const double each = expected.seconds / static_cast<double>(expected.simulated);
    text +=
        "; about " + shown(Seconds{each * static_cast<double>(executed)}) + " of training in all";
  }
  text += "\n";
  for (const std::string& sentence : expected.layer_times) {
    if (!sentence.empty()) text += "  layer times: " + sentence + "\n";
  }
  if (expected.uncalibrated) {
    text +=
        "  layer times: not measured on this computer yet (`simulate` and `run` measure them "
        "first, some 20 s)\n";
  }
  for (const std::string& problem : expected.problems) {
    text += "  no prediction: " + problem + "\n";
  }
  return text;
}

}  // namespace paceline
