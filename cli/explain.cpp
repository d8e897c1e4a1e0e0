// SPDX-License-Identifier: MIT
#include <cmath>
#include <map>

#include "cli/command.hpp"
#include "cli/comparison.hpp"
#include "cli/execution_device.hpp"
#include "cli/experiment_run.hpp"
#include "cli/explain_spans.hpp"
#include "cli/profile_file.hpp"
#include "cli/shown_quantity.hpp"
#include "cli/trace_file.hpp"
#include "experiments/counted.hpp"
#include "sim/simulate.hpp"
#include "training/cost/card_division.hpp"
#include "training/cost/layer_cost.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostTransfers = 64;
constexpr std::size_t kMostSpansExplained = 2'000'000;  // 160 MB of them

using Rows = std::vector<std::vector<std::string>>;

std::string share(double part, double whole) {
  return whole > 0 ? significant(100 * part / whole, 3) + " %" : "";
}

/// Where a worker's time goes, by the simulated clock.
std::string step_table(const Measurement& predicted) {
  const double whole = predicted.step_mean.value_or(0);
  Rows rows;
  const auto add = [&](const char* name, const std::optional<double>& part) {
    if (part) rows.push_back({name, shown(Seconds{*part}), share(*part, whole)});
  };
  add("arithmetic", predicted.compute);
  add("straggler delay", predicted.delay);
  add("communication that workers wait for", predicted.exposed_comm);
  add("waiting for other workers", predicted.wait);
  add("input", predicted.input);
  add("a mini-batch of a worker", predicted.step_mean);
  if (predicted.wasted.value_or(0) > 0) add("of it spent on cancelled work", predicted.wasted);
  return text_table({{"step"}, {"time", true}, {"share", true}}, rows);
}

/// A transfer and what it carries.
struct Transfer {
  std::string name;
  int from = 0;
  int to = 0;
  Bytes bytes;
};

std::string worker(int id) {
  return "worker " + std::to_string(id);
}

std::vector<Transfer> transfers_of(const Setting& setting) {
  const Plan& plan = setting.plan;
  std::vector<Transfer> all;
  const auto place = [&](int role) { return setting.places[static_cast<std::size_t>(role)]; };
  if (setting.point->experiment.aggregation.kind() == "independent") return all;
  if (plan.shards == 0) {
    if (plan.workers == 1) return all;
    // each of a ring's 2(P-1) steps passes a P-th of the gradient to the neighbour
    const double bytes = plan.whole().bytes / plan.workers;
    for (int id = 0; id < plan.workers; ++id) {
      const int next = (id + 1) % plan.workers;
      all.push_back({worker(id) + " -> " + worker(next), place(id), place(next), Bytes{bytes}});
    }
    return all;
  }
  for (int shard = 0; shard < plan.shards; ++shard) {
    const std::string server = plan.shards == 1 ? "server" : "server " + std::to_string(shard);
    const Bytes bytes{plan.cut.shards[static_cast<std::size_t>(shard)].bytes};
    for (int id = 0; id < plan.workers; ++id) {
      const int there = place(plan.server(shard));
      all.push_back({worker(id) + " -> " + server, place(id), there, bytes});
      all.push_back({server + " -> " + worker(id), there, place(id), bytes});
    }
  }
  return all;
}

std::string links_of(const Machine& machine, const Route& route) {
  std::string text;
  for (const int id : route.links()) {
    text += (text.empty() ? "" : ", ") + machine.links()[static_cast<std::size_t>(id)].name;
  }
  if (text.empty()) return "none: the same place";
  return text + (route.staged ? " (staged through the host's memory)" : "");
}

/// The slowest link of a route, or what else limits a transfer.
std::string bottleneck_of(const Machine& machine, const Route& route) {
  const LinkDirection* slowest = nullptr;
  for (const int id : route.links()) {
    const LinkDirection& link = machine.links()[static_cast<std::size_t>(id)];
    if (slowest == nullptr || link.capacity < slowest->capacity) slowest = &link;
  }
  const BytesPerSecond bandwidth = machine.bottleneck(route);
  if (slowest == nullptr || bandwidth < slowest->capacity) {
    return shown(bandwidth) +
           (std::isfinite(bandwidth.value()) ? ", the most that one copy gets" : "");
  }
  return shown(bandwidth) + ", " + slowest->name;
}

std::string transfer_table(const Setting& setting) {
  const Machine& machine = *setting.machine;
  const std::vector<Transfer> transfers = transfers_of(setting);
  if (transfers.empty()) return "transfers: none\n";
  if (machine.kind() == Machine::Kind::ideal) return "transfers: they cost nothing on 'ideal'\n";
  Rows rows;
  for (const Transfer& transfer : transfers) {
    if (rows.size() == kMostTransfers) break;
    const BytesPerSecond card = setting.costs.card_copy_bandwidth;
    if (transfer.from == setting.costs.shared_card && transfer.from == transfer.to) {
      rows.push_back({transfer.name, shown(transfer.bytes), shown(Seconds{}),
                      shown(transfer.bytes / card), shown(card), "none: the card's own memory"});
      continue;
    }
    const Route route = machine.route(transfer.from, transfer.to);
    const Seconds alone = route.latency() + transfer.bytes / machine.bottleneck(route);
    rows.push_back({transfer.name, shown(transfer.bytes), shown(route.latency()), shown(alone),
                    bottleneck_of(machine, route), links_of(machine, route)});
  }
  std::string out = text_table({{"transfer"},
                                {"size", true},
                                {"latency", true},
                                {"time alone", true},
                                {"bottleneck"},
                                {"links"}},
                               rows);
  if (rows.size() < transfers.size()) {
    out += "and " + std::to_string(transfers.size() - rows.size()) + " more\n";
  }
  return out;
}

/// Where the times of the layers are from.
std::string cost_sources(const Setting& setting, const Profile* profile) {
  const ExperimentPoint& point = *setting.point;
  const Seconds whole = setting.costs.forward_total() + setting.costs.backward_total();
  std::string out = "arithmetic: " + shown(setting.costs.forward_total()) + " forward, " +
                    shown(setting.costs.backward_total()) + " backward; ";
  if (!point.machine) {
    const bool cuda = runs_on_cuda(point, Device::any);
    const NetworkProfile* times = profile == nullptr ? nullptr
                                  : cuda             ? times_on_gpu(point, *profile)
                                                     : times_of(point, *profile);
    return out + (times == nullptr ? "given by the model\n"
                                   : "measured here (profile of " + profile->measured + ")\n");
  }
  const auto& devices = point.experiment.devices;
  const GpuSpec& card = setting.machine->gpu(devices ? devices->gpu : 0);
  const GpuSpec gpu = divide_card(point.experiment, card).worker;
  const std::vector<LayerTime> times =
      layer_times(*point.network, point.experiment.batch, point.experiment.precision, gpu, nullptr);
  std::map<std::string, double> by_source;
  for (const LayerTime& time : times) {
    const auto names = enum_names(static_cast<const CostSource*>(nullptr));
    for (const auto& row : names) {
      if (row.value == time.source) by_source[row.name] += (time.forward + time.backward).value();
    }
  }
  const double sum = step_time(times).value();
  std::vector<std::string> parts;
  for (const auto& [name, seconds] : by_source) parts.push_back(name + " " + share(seconds, sum));
  out += "from " + join(parts);
  if (point.one_worker) {
    out += ", scaled by " + significant(sum > 0 ? whole.value() / sum : 1, 4) +
           " to the published throughput of one worker";
  }
  if (const auto& groups = setting.costs.groups; groups && gpu.sms < card.sms) {
    out += "\nvirtual GPUs: " + std::to_string(gpu.sms) + " of " + std::to_string(card.sms) +
           " multiprocessors each; memory gives " + shown(groups->memory) + " to all, at most " +
           shown(groups->worker_memory) + " to one";
  }
  return out + "\n";
}

int explain(const Options& options, const Terminal& terminal) {
  const std::vector<ExperimentFile> files = load_experiments(options);
  ExecutionDevices devices(Device::any);
  const std::optional<Profile> profile = profile_for(files, devices, {}, terminal);
  const Profile* known = profile ? &*profile : nullptr;
  bool predictable = true;
  for (const ExperimentFile& file : files) {
    const ExperimentPoint& point = file.points.front();
    if (file.points.size() > 1) {
      terminal.err << file.path << ": the first of " << file.points.size()
                   << " points (choose another with --set)\n";
    }
    if (const std::string why = not_predictable(point, Device::any, known); !why.empty()) {
      terminal.err << file.path << ": no prediction: " << why << "\n";
      predictable = false;
      continue;
    }
    SpanRecorder spans(kMostSpansExplained);
    Setting setting = setting_of(point, Device::any, known);
    setting.spans = &spans;
    const Measurement predicted = simulate(setting);
    const Trace& trace = spans.trace();
    const std::string update = point.update_name();
    terminal.out << file.name << ": " << point.network->name << ", "
                 << counted(point.experiment.workers, "worker") << " on " << point.machine_name()
                 << ", " << point.experiment.aggregation.kind()
                 << (update.empty() ? "" : ", " + update) << "\n";
    if (predicted.iteration_mean && predicted.throughput) {
      terminal.out << "an update every " << shown(Seconds{*predicted.iteration_mean}) << ", "
                   << significant(*predicted.throughput, 4) << " " << point.network->item
                   << "/sec\n";
    }
    terminal.out << "\n"
                 << step_table(predicted) << "\n"
                 << busy_table(trace, setting) << "\n"
                 << exposed_table(trace, setting, predicted) << "\n"
                 << path_table(trace, setting) << "\n"
                 << cost_sources(setting, known) << "\n"
                 << transfer_table(setting);
    if (options.trace) {
      // apart from a run's own, which has all its points
      const auto path = folder_of(file, options, files.size() > 1) / "explain" / "trace.json.gz";
      write_trace_file(path, file.name + ": predicted", trace, setting, terminal);
      terminal.out << "\ntrace: " << path.string() << "\n";
    }
  }
  return predictable ? kDone : kNotHere;
}

}  // namespace

CommandRow explain_command() {
  return {"explain",
          "FILE...",
          "where the time of a step goes, and the route of each transfer",
          {"-o", "--set", "--seed", "--trace"},
          explain};
}

}  // namespace paceline
