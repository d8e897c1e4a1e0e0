// SPDX-License-Identifier: MIT
#include "cli/saturation.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>

#include "cli/probe.hpp"
#include "cli/text_table.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/failure.hpp"

namespace paceline {
namespace {

constexpr double kBusy = 0.95;
constexpr double kLeastGain = 0.05;  // gain of a further worker, relative to one worker's
                                     // throughput
constexpr double kPrecision = 0.03;
constexpr int kMostWorkers = 4096;  // limit of an experiment file
constexpr int kFew = 8;
constexpr double kHalf = 0.5;
constexpr std::int64_t kRounds = 12;
constexpr double kSpans = 250'000;
constexpr double kNoticeable = 0.01;  // least busy share from which a saturation can be
                                      // extrapolated

class Search {
 public:
  Search(const ExperimentPoint& point, Device device, const Profile* profile)
      : point_(point), probe_(point, device, profile, kRounds) {
    probe_.set_budget(kSpans);
    const Experiment& experiment = point.experiment;
    if (experiment.devices) {
      limit_ = experiment.devices->virtual_gpus;
    } else {  // also for this computer if its GPUs are the workers
      limit_ = probe_.worker_limit().value_or(kMostWorkers);
    }
    while (least_ < experiment.workers && !valid(least_)) ++least_;
  }

  Saturation run() {
    Saturation result;
    walk(result);
    const Probed& there = at(result.workers);
    result.throughput = there.throughput;
    result.resource = there.busiest();
    if (result.end != Saturation::End::found) return result;
    if (result.workers > 1 && result.resource.busy >= kHalf) return result;
    // The bottleneck may appear only with more workers, since a single worker shares no link. In a
    // ring it may be a worker's own link.
    const int more = std::min(2 * result.workers, limit_);
    const Probed& beyond = at(more);
    if (!beyond.busy.empty() && beyond.busy.front().busy >= kHalf) {
      result.resource = beyond.busy.front();
      if (!is_noticed(result.resource.name, there)) result.resource_at = more;
    } else {
      result.end = Saturation::End::waiting;
    }
    return result;
  }

 private:
  static bool is_noticed(const std::string& resource, const Probed& there) {
    return std::ranges::any_of(there.busy, [&](const SharedResource& one) {
      return one.name == resource && one.busy >= kNoticeable;
    });
  }
  bool valid(int workers) const {
    const Experiment& experiment = point_.experiment;
    if (workers < experiment.process_count()) return false;
    return !experiment.update || (*experiment.update)->rule(workers).gradients <= workers;
  }

  const Probed& at(int workers) {
    const auto known = probed_.find(workers);
    if (known != probed_.end()) return known->second;
    return probed_.emplace(workers, probe_.with_workers(workers)).first->second;
  }
  bool affords(int workers) const { return probed_.contains(workers) || probe_.affords(workers); }

  /// The average gain per further worker from `few` to `many`, relative to one worker's throughput.
  double gain(int few, int many) {
    const double alone = at(least_).throughput / least_;
    return (at(many).throughput - at(few).throughput) / (alone * (many - few));
  }

  /// The point's own number of workers trains more: a link within a computer that is always busy
  /// does not keep further computers from adding theirs.
  bool grows_beyond(int workers) {
    const int own = std::min(point_.experiment.workers, limit_);
    const int twice = 2 * workers;
    if (own < twice || !affords(twice)) return false;
    at(twice);  // a worker alone says nothing of what an exchange of many costs
    return affords(own) && gain(workers, own) >= kLeastGain;
  }

  /// Whether the point saturates at this number of workers; nothing if the budget does not suffice.
  std::optional<bool> saturated(int workers) {
    if (!affords(workers)) return std::nullopt;
    if (grows_beyond(workers)) return false;
    if (at(workers).busiest().busy >= kBusy) return true;
    // the first additional worker also adds communication; more workers may still pay
    const int least_reach = std::min(kFew, limit_);
    for (const int more : {std::min(2 * workers, limit_), std::max(workers, least_reach)}) {
      if (more == workers) continue;
      if (!affords(more)) return std::nullopt;
      if (gain(workers, more) >= kLeastGain) return false;
    }
    if (workers < limit_) return true;
    // the search may have leapt over the border to the largest number, which has none above it
    const int half = std::max(least_, limit_ / 2);
    return half < limit_ && affords(half) && gain(half, limit_) < kLeastGain;
  }

  /// The estimated number of workers that fill the busiest resource; 0 if none is busy.
  int estimate(int workers) {
    const double busy = at(workers).busiest().busy;
    if (busy < kNoticeable) return 0;
    return static_cast<int>(std::min(std::ceil(kBusy * workers / busy), 1.0 * kMostWorkers));
  }

  void walk(Saturation& result) {
    int low = least_ - 1;  // not saturated, or below the least number
    int high = least_;
    for (;;) {
      const std::optional<bool> full = saturated(high);
      if (!full) return end(result, Saturation::End::too_costly, std::max(low, least_));
      if (*full) break;
      low = high;
      if (low == limit_) {
        const bool bounded = limit_ < kMostWorkers;
        return end(result, bounded ? Saturation::End::machine : Saturation::End::too_costly, low);
      }
      if (at(low).busy.empty() && low >= point_.experiment.workers) {
        return end(result, Saturation::End::nothing, low);
      }
      // far below the estimate, grow faster than by doubling
      high = std::min(std::max(2 * low, estimate(low) * 2 / 3), limit_);
    }
    bisect(result, low, high);
  }

  void bisect(Saturation& result, int low, int high) {
    int guess = low >= least_ ? estimate(low) : 0;
    for (;;) {
      const int close = std::max(1, static_cast<int>(kPrecision * high));
      if (high - low <= close) break;
      const bool inside = guess > low && guess < high;
      const int middle = inside ? guess : low + (high - low) / 2;
      const std::optional<bool> full = saturated(middle);
      if (!full) break;
      (*full ? high : low) = middle;
      // a good estimate is close to the border: test next to it
      guess = inside ? (*full ? high - close : low + close) : 0;
    }
    end(result, Saturation::End::found, high);
  }

  static void end(Saturation& result, Saturation::End how, int workers) {
    result.end = how;
    result.workers = workers;
  }

  const ExperimentPoint& point_;
  Probe probe_;
  int limit_ = kMostWorkers;
  int least_ = 1;
  std::map<int, Probed> probed_;
};

std::string near(int workers) {
  return (workers >= 20 ? "near " : "at ") + counted(workers, "worker");
}

const char* saturates(const SharedResource& resource) {
  const bool cores = resource.kind == SharedResource::Kind::cores;
  return cores && resource.name.ends_with("cores") ? " saturate " : " saturates ";
}

/// The number of workers that would fill the busiest resource, extrapolated from its share; "" if
/// the share does not grow with the workers.
std::string expected(const Saturation& saturation, const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  const auto servers = [&](int workers) {
    return experiment.aggregation->shards(workers, hosts_of(point));
  };
  const SharedResource& busiest = saturation.resource;
  const bool grows = servers(1) > 0 && servers(1) == servers(2);
  if (!grows || busiest.busy < kNoticeable) return "";
  const double full = saturation.workers / busiest.busy;
  return " (extrapolated: " + busiest.name + " would be full near " +
         significant(std::floor(full), full < 100 ? 2 : 3) + " workers)";
}

}  // namespace

Saturation find_saturation(const ExperimentPoint& point, Device device, const Profile* profile) {
  if (!can_probe(point) || !point.experiment.aggregation->exchanges()) return {};
  if (!point.beside.empty()) return {};  // more workers would take the other jobs' GPUs
  try {
    return Search(point, device, profile).run();
  } catch (const std::exception& error) {
    Saturation failed;
    failed.end = Saturation::End::failed;
    failed.problem = in_plain_words(error);
    return failed;
  }
}

std::string sentence_of(const Saturation& saturation, const ExperimentPoint& point) {
  const std::string rate =
      " (" + thousands(saturation.throughput, 3) + " " + point.network->item + "/sec)";
  switch (saturation.end) {
    case Saturation::End::found:
      if (saturation.resource_at > 0) {
        return "more than " + counted(saturation.workers, "worker") +
               " add next to nothing: with " + counted(saturation.resource_at, "worker") + ", " +
               saturation.resource.name + " is busy " +
               significant(100 * saturation.resource.busy, 3) + " %";
      }
      if (saturation.workers == 1) {
        return "further workers add next to nothing: " + saturation.resource.name + " is full";
      }
      return saturation.resource.name + saturates(saturation.resource) + near(saturation.workers) +
             rate;
    case Saturation::End::waiting:
      return "more than " + counted(saturation.workers, "worker") +
             " add nothing: they only wait for each other" + rate;
    case Saturation::End::machine:
      return "nothing saturates up to " + counted(saturation.workers, "worker") + ", all that " +
             (point.machine ? point.machine->name() : "this computer") + " has" +
             expected(saturation, point);
    case Saturation::End::nothing:
      return "nothing saturates: workers share nothing that takes time";
    case Saturation::End::too_costly:
      if (saturation.workers < point.experiment.workers) return "";
      return "nothing saturates up to " + counted(saturation.workers, "worker") +
             ", where the search ended" + expected(saturation, point);
    case Saturation::End::failed:
      return "the search for saturation failed: " + saturation.problem;
    case Saturation::End::not_searched:
      break;
  }
  return "";
}

}  // namespace paceline
