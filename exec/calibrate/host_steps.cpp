// SPDX-License-Identifier: MIT
#include "exec/calibrate/host_steps.hpp"

#include <stdexcept>

#include "exec/calibrate/exchange.hpp"
#include "exec/calibrate/host_links.hpp"
#include "exec/machine/usable_cores.hpp"
#include "experiments/language/failure.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

/// A step that returns the message of an exception as its error line.
CalibrationStep step(std::string what, std::function<void()> measure) {
  auto run = [measure = std::move(measure)]() -> std::string {
    try {
      measure();
      return "";
    } catch (const std::exception& error) {
      return in_plain_words(error);
    }
  };
  return {std::move(what), std::move(run)};
}

}  // namespace

std::vector<CalibrationStep> host_steps(bool links, Effort effort, Profile& into) {
  std::vector<CalibrationStep> steps;
  steps.push_back(step("the host", [&into] { into.host = measure_host(); }));
  if (links) {
    steps.push_back(step("copies between threads", [&into, effort] {
      for (LinkProfile& link : measure_host_links(usable_cores(), effort)) {
        into.links.push_back(std::move(link));
      }
    }));
  }
  return steps;
}

CalibrationStep exchange_step(Effort effort, Profile& into) {
  return step("exchanges between threads",
              [&into, effort] { into.exchange = measure_exchange(into.host.cores, effort); });
}

CalibrationStep host_network_step(const ExperimentPoint& point, Profile& into) {
  return step(point.network->name + " at batch " + std::to_string(point.experiment.batch),
              [point, &into] { into.networks.push_back(measure_network(point, into.host)); });
}

}  // namespace paceline
