// SPDX-License-Identifier: MIT
#include "training/experiment/setting.hpp"

#include <algorithm>
#include <utility>

#include "training/experiment/described_gpus.hpp"
#include "training/runtime/observers.hpp"
#include "training/workload/precision.hpp"
#include "training/workload/random/draw.hpp"

namespace paceline {
namespace {

void count_updates(Setting& setting) {
  const Experiment& experiment = setting.point->experiment;
  Counting& counting = setting.counting;
  Plan& plan = setting.plan;
  counting.workers = plan.workers;
  counting.replicas = experiment.aggregation->replicas();
  counting.independent = !experiment.aggregation->exchanges();
  counting.served = plan.shards > 0;
  counting.in_groups = experiment.aggregation->sums_in_groups(plan);
  // a single worker begins anew after each update, unless its pushes travel beside mini-batches
  const bool apart = plan.workers > 1 || plan.rule.exchange.push_every > 0;
  counting.own_pace =
      apart && counting.served && !counting.replicas && plan.rule.restart == Restart::contributors;
  counting.applies_all = !experiment.stragglers.failures;
  const bool alone = plan.workers == 1 && plan.rule.mini_batches() == 1;
  counting.takes_all = (plan.takes_all() || alone) && counting.applies_all;
  counting.wastes = plan.gives_up() || !counting.applies_all;
  counting.lengths = setting.lengths;
  counting.data_seed = seed_of_repeat(experiment.seed, 0);
  counting.items_per_gradient =
      setting.lengths != nullptr ? setting.lengths->mean_items() : experiment.batch;
  if (experiment.workload) {
    const WorkloadKind& workload = **experiment.workload;
    counting.items_per_gradient = workload.size().value() / plan.workers;
    counting.bus_factor = bus_factor(workload.operation(), plan.workers);
  }
  counting.checkpoints = static_cast<bool>(plan.checkpoint);
  counting.validates = static_cast<bool>(plan.validation);
  counting.changing = plan.rule.adaptation.window > 0;
  // An update of independent workers consists of one update of each worker.
  const int mini_batches = counting.independent ? plan.workers : plan.rule.mini_batches();
  counting.gradients_per_update = mini_batches;
  if (!counting.independent) counting.steps_per_gradient = mini_batches / plan.rule.gradients;
  // A round is one mini-batch per worker on average: P/K updates.
  const auto updates = [&](std::int64_t rounds) {
    return (rounds * plan.workers + mini_batches - 1) / mini_batches;
  };
  const std::int64_t warmup = updates(experiment.warmup.rounds);
  std::int64_t window = updates(experiment.steps.rounds);
  // Replicas that push rarely push at the same time, so the window must hold a push of each.
  if (plan.rule.exchange.push_every > 0) window = std::max<std::int64_t>(window, plan.workers);
  // Mini-batches that begin in the window may be applied after it: training goes on for one more
  // update, unless the model is evaluated, which is the model at the end of the window.
  const bool goes_on = experiment.aggregation->runs_ahead() && !experiment.train;
  plan.updates = warmup + window + (goes_on ? 1 : 0);
  counting.warmup_gradients = warmup * mini_batches;
  counting.gradients = (warmup + window) * mini_batches;
  plan.gradients = plan.updates * plan.rule.gradients;
}

void plan_training(Setting& setting) {
  const Experiment& experiment = setting.point->experiment;
  if (!experiment.train) return;
  setting.plan.optimal_loss = experiment.train->dataset->optimal_loss();
  setting.counting.keep_versions = true;
}

Setting ready(const ExperimentPoint& point) {
  Setting setting;
  setting.point = &point;
  setting.plan = plan_of_roles(point);
  setting.lengths = batch_lengths_of(point);
  count_updates(setting);
  plan_training(setting);
  return setting;
}

}  // namespace

std::vector<int> computers_of_workers(const ExperimentPoint& point) {
  std::vector<int> computers;
  if (!point.machine || point.machine->computers() == 1) return computers;
  for (const int gpu : worker_gpus(point)) {
    const bool there = gpu < point.machine->gpu_count();
    computers.push_back(there ? point.machine->computer_of(gpu) : 0);
  }
  return computers;
}

namespace {

/// The computers of workers, each once in ascending order; empty where there is one.
std::vector<int> each_once(std::vector<int> hosts) {
  if (!std::ranges::is_sorted(hosts)) std::ranges::sort(hosts);
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

int hosts_of(const ExperimentPoint& point, const std::vector<int>& computers) {
  const auto hosts = static_cast<int>(each_once(computers).size());
  return std::max({1, point.experiment.process_count(), hosts});
}

/// The number of shards with links of their own: shards on GPUs, on the CPUs of several computers,
/// or in several processes; 1 if all share theirs.
int links_apart(const ExperimentPoint& point, int shards) {
  const ServerPlacement placement = point.experiment.aggregation->placement();
  if (placement == ServerPlacement::sharded_gpus || placement == ServerPlacement::hosts)
    return std::max(1, shards);
  const bool several = placement == ServerPlacement::cpu && point.machine &&
                       point.machine->computers() > 1 && shards > point.machine->first_socket_of(1);
  return several ? shards : 1;
}

CheckpointRule checkpoint_rule(const Experiment& experiment, const Plan& plan) {
  const Checkpoint& written = *experiment.checkpoint;
  const bool optimizes = experiment.aggregation->buffers(plan, plan.first_holder()).optimizes;
  const double state = optimizes ? experiment.optimizer->copies() : 0;
  return {written.every, written.bandwidth.value(), written.asynchronous,
          written.size ? written.size->value() / plan.whole().bytes : 1 + state};
}

/// Divides the roles among processes. With a server on each host, every bucket is divided equally
/// among the hosts.
void place_on_hosts(Plan& plan, const Experiment& experiment) {
  const bool everywhere = experiment.aggregation->placement() == ServerPlacement::hosts;
  const int hosts = plan.shards;
  if (everywhere && hosts > 1) {
    plan.cut.shards = shards_of_buckets(plan.cut.buckets, hosts, kBytesPerParameter);
    plan.shards = static_cast<int>(plan.cut.shards.size());
    for (int shard = 0; plan.shards > hosts && shard < plan.shards; ++shard)
      plan.sites.push_back({ServerPlacement::hosts, shard % hosts});
  }
  plan.processes =
      processes_of_roles(experiment.process_count(), plan.workers, plan.shards, everywhere);
}

}  // namespace

int hosts_of(const ExperimentPoint& point) {
  return hosts_of(point, computers_of_workers(point));
}

Plan plan_of_roles(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  const Aggregation& aggregation = *experiment.aggregation;
  Plan plan;
  plan.workers = experiment.workers;
  plan.computers = computers_of_workers(point);
  plan.shards = aggregation.shards(plan.workers, hosts_of(point, plan.computers));
  std::vector<Slice> shards;
  const VariablePlaces variables = aggregation.variables();
  if (!variables.empty() || aggregation.division() != Division::equal) {
    const bool on_cpu = aggregation.placement() == ServerPlacement::cpu;
    VariableShards placed =
        place_variables(*point.network, variables, aggregation.placement(), plan.workers,
                        on_cpu ? plan.shards : 1, kBytesPerParameter, aggregation.division());
    shards = std::move(placed.slices);
    plan.sites = std::move(placed.sites);
    plan.shards = static_cast<int>(shards.size());
  }
  plan.rule.gradients = plan.workers;  // the default, for independent workers
  if (experiment.update) plan.rule = (*experiment.update)->rule(plan.workers);
  plan.overlap = aggregation.overlap();
  plan.replicas = aggregation.replicas();
  plan.links_apart = links_apart(point, plan.shards);
  plan.survives = aggregation.survives_deaths();
  plan.weighs_gradients = experiment.optimizer->staleness->weighs_gradients();
  Travel travel{aggregation.overlap(), aggregation.bucket(), aggregation.codec()};
  travel.first_bucket = aggregation.first_bucket();
  if (aggregation.sparse()) {
    travel.sparse_items = std::int64_t{experiment.batch} * plan.rule.accumulate;
  }
  plan.cut = cut_network(*point.network, travel, plan.shards, kBytesPerParameter);
  if (!plan.sites.empty()) plan.cut.shards = std::move(shards);
  place_on_hosts(plan, experiment);
  plan.batch = experiment.batch;
  plan.uneven = experiment.lengths.has_value();
  plan.input = experiment.input->loading();
  plan.batch_inputs = experiment.batch * point.network->input.elements();
  if (const auto& validation = experiment.validation) {
    const int batch = validation->batch_or(experiment.batch);
    plan.validation = {validation->every, validation->batches, batch,
                       validation->prefetch.value_or(plan.input.prefetch),
                       batch * point.network->input.elements()};
  }
  plan.batch_outputs = experiment.batch * point.network->layers.back().out.elements();
  plan.scatters = aggregation.scatters();
  plan.inputs = aggregation.inputs();
  if (experiment.checkpoint) plan.checkpoint = checkpoint_rule(experiment, plan);
  plan.schedule = aggregation.schedule(plan);
  if (aggregation.sparse() && plan.shards == 0) plan.schedule_of_rows = peer_to_peer(plan.workers);
  for (int worker = 0; worker < plan.workers; ++worker) {
    plan.slowdown.push_back(experiment.stragglers.slowdown(worker));
  }
  return plan;
}

Setting make_setting(const ExperimentPoint& point) {
  Setting setting = ready(point);
  setting.machine = std::make_shared<const Machine>(ideal(point.experiment.workers));
  setting.vertices.assign(static_cast<std::size_t>(setting.plan.roles()), 0);
  return setting;
}

Setting make_setting(const ExperimentPoint& point, std::shared_ptr<const Machine> machine,
                     const DevicePool& pool) {
  Setting setting = ready(point);
  setting.machine = std::move(machine);
  const Placement placement = placement_of(point, setting.plan, pool);
  setting.vertices = vertices_of(placement, *setting.machine);
  if (placement.shared_card)
    setting.shared_card = setting.machine->gpu_vertex(*placement.shared_card);
  return setting;
}

namespace {

/// A writer is on the socket of its holder, or of the holder's GPU.
void place_writers(Placement& placed, const Plan& plan, const ExperimentPoint& point) {
  const bool described = point.machine && point.machine->kind() == Machine::Kind::described;
  for (RoleId writer = plan.first_writer(); writer < plan.roles(); ++writer) {
    const Place holder = placed.of(plan.first_holder() + writer - plan.first_writer());
    Place place{Place::Device::socket, 0};
    if (holder.device == Place::Device::socket) place.number = holder.number;
    if (holder.device == Place::Device::gpu && described &&
        holder.number < point.machine->gpu_count()) {
      place.number = point.machine->socket_of(holder.number);
    }
    placed.roles.push_back(place);
  }
}

}  // namespace

Placement placement_of(const ExperimentPoint& point, const Plan& plan, const DevicePool& pool) {
  DevicePool all = pool;
  all.worker_gpus = worker_gpus(point);
  all.sites = plan.sites;
  for (const int computer : each_once(plan.computers)) {
    all.host_sockets.push_back(point.machine->first_socket_of(computer));
  }
  if (point.machine && point.machine->kind() == Machine::Kind::described) {
    for (int worker = 0; plan.input && worker < plan.workers; ++worker) {
      const int gpu = gpu_of(point.experiment.devices, worker, all.worker_gpus);
      const bool there = gpu < point.machine->gpu_count();
      all.worker_sockets.push_back(there ? point.machine->socket_of(gpu) : 0);
    }
  }
  Placement placed =
      place_roles(plan.workers, plan.shards, point.experiment.aggregation->placement(),
                  point.experiment.devices, all);
  place_loaders(placed, plan.loader_sets(), plan.input.loaders, all);
  place_writers(placed, plan, point);
  return placed;
}

bool gather_at_first_worker(Setting& setting) {
  const Machine& machine = *setting.machine;
  if (setting.plan.shards == 0 || machine.computers() == 1) return false;
  const int computer = machine.computer_of_vertex(setting.vertices.front());
  const int sockets = machine.host_of(computer).sockets;
  int moved = 0;
  for (RoleId role = setting.plan.workers; role < setting.plan.roles(); ++role) {
    int& vertex = setting.vertices[static_cast<std::size_t>(role)];
    if (machine.computer_of_vertex(vertex) == computer) continue;
    vertex = machine.host_vertex(machine.first_socket_of(computer) + moved++ % sockets);
  }
  return moved > 0;
}

Plan Setting::plan_of(std::uint32_t repeat, Observer* observer, ArithmeticTime arithmetic) const {
  Plan copy = plan;
  copy.observer = observer;
  if (spans != nullptr && repeat == 0) {
    copy.observers = std::make_shared<Observers>(std::vector<Observer*>{observer, spans});
    copy.observer = copy.observers.get();
  }
  const std::uint64_t seed = point->experiment.seed;
  const Stragglers& stragglers = point->experiment.stragglers;
  if (const auto& failures = stragglers.failures) {
    copy.mortality.restart = failures->restart;
    copy.mortality.lifetime = [&failures, repeat, seed](RoleId worker, std::int32_t life) {
      return failures->time_to_failure(seed, repeat, worker, static_cast<std::uint64_t>(life));
    };
  }
  const bool extremes = point->experiment.draws == Draws::extremes && plan.workers > 1;
  if (stragglers.communication) {
    const auto longest = [&stragglers, repeat, seed](RoleId worker, std::int64_t step,
                                                     int workers) {
      return stragglers.link_delay(seed, repeat, worker, static_cast<std::uint64_t>(step), workers);
    };
    copy.link_delay = [longest](RoleId worker, std::int64_t step) {
      return longest(worker, step, 1);
    };
    if (extremes) copy.longest_link_delay = longest;
  }
  if (point->experiment.aggregation->fetches_at_random()) {
    copy.fetch_turn = [repeat, seed](RoleId worker, std::int64_t step, std::size_t bucket) {
      const auto draw = static_cast<std::uint64_t>(step) << 16 | bucket;
      return uniform(seed, repeat, Purpose::order, static_cast<std::uint32_t>(worker), draw);
    };
  }
  const auto longest = [&stragglers, repeat, seed, arithmetic = std::move(arithmetic)](
                           Phase phase, RoleId worker, std::int64_t step, int workers) {
    const Draw at{seed, repeat, static_cast<std::uint32_t>(worker),
                  static_cast<std::uint64_t>(step)};
    return stragglers.delay(phase, at, arithmetic ? arithmetic(worker, step) : Seconds{}, workers);
  };
  const auto before = [&](Phase phase) -> decltype(copy.delay) {
    if (!stragglers.delays(phase)) return {};
    return [longest, phase](RoleId worker, std::int64_t step) {
      return longest(phase, worker, step, 1);
    };
  };
  copy.delay = before(Phase::forward);
  copy.backward_delay = before(Phase::backward);
  if (extremes && copy.delay) {
    copy.longest_delay = [longest](RoleId worker, std::int64_t step, int workers) {
      return longest(Phase::forward, worker, step, workers);
    };
  }
  return copy;
}

CopyLinks copy_links_of(const Setting& setting) {
  return CopyLinks(*setting.machine, setting.vertices, setting.shared_card);
}

SpanNames names_of(const Setting& setting) {
  return SpanNames(*setting.point->network, setting.plan.workers, setting.plan.shards,
                   setting.plan.input.loaders, setting.plan.loader_sets(),
                   setting.plan.roles() - setting.plan.first_writer());
}

}  // namespace paceline
