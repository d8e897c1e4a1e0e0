// SPDX-License-Identifier: MIT
#include "training/experiment/idle_keys.hpp"

#include <algorithm>

#include "training/experiment/setting.hpp"
#include "training/learning/optimizers/lamb.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {
namespace {

using Reason = std::string (*)(const ExperimentPoint& point);

/// A key by its path, and why it does nothing at a point; "" if it does something.
struct IdleRule {
  const char* path;
  Reason reason;
};

/// The rounds of a run, each with a mini-batch of every worker.
std::int64_t rounds_of(const Experiment& experiment) {
  return experiment.warmup.rounds + experiment.steps.rounds;
}

std::string run_of(const Experiment& experiment, std::int64_t count, const std::string& what) {
  return "a run of " + std::to_string(rounds_of(experiment)) + " rounds (warmup and steps) has " +
         std::to_string(count) + " " + what;
}

std::string reason_no_checkpoint(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  const auto& checkpoint = experiment.checkpoint;
  if (!checkpoint || !experiment.update) return "";
  const int of_update = (*experiment.update)->rule(experiment.workers).mini_batches();
  const std::int64_t updates = rounds_of(experiment) * experiment.workers / std::max(1, of_update);
  return checkpoint->every <= updates ? "" : run_of(experiment, updates, "updates");
}

std::string reason_no_validation(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  const auto& validation = experiment.validation;
  if (!validation || !experiment.update) return "";
  // workers that do not wait for each other take more mini-batches than others
  const bool alike = (*experiment.update)->takes_all_workers();
  const std::int64_t most = rounds_of(experiment) * (alike ? 1 : experiment.workers);
  return validation->every <= most ? "" : run_of(experiment, most, "mini-batches of a worker");
}

std::string reason_no_training(const ExperimentPoint& point) {
  return point.experiment.train ? ""
                                : "it changes the loss, and nothing is trained without 'train'";
}

bool has_attention(const Network& network) {
  return std::ranges::any_of(network.layers,
                             [](const Layer& layer) { return layer.kind == LayerKind::attention; });
}

std::string reason_all_in_fp32(const ExperimentPoint& point) {
  const Precision precision = point.experiment.precision;
  if (precision == Precision::fp32 || precision == Precision::tf32) {
    return "with this precision every function is in fp32";
  }
  if (!point.software || !point.network) return "";
  const auto& functions = point.software->kernels.fp32_functions;
  const bool fused = point.software->kernels.fused_attention || !has_attention(*point.network);
  const bool of_attention = !functions.empty() && std::ranges::all_of(functions, [](auto one) {
    return one == TensorFunction::scores || one == TensorFunction::softmax;
  });
  if (!fused || !of_attention) return "";
  return "the attention's scores stay on the chip, or there is no attention";
}

std::string reason_no_lamb(const ExperimentPoint& point) {
  const auto* lamb = dynamic_cast<const Lamb*>(&*point.experiment.optimizer);
  return lamb != nullptr ? "" : "the optimizer is not lamb";
}

bool calls_library(const ExperimentPoint& point) {
  const AllReduce* algorithm = point.experiment.aggregation->all_reduce();
  return point.experiment.workload || (algorithm != nullptr && algorithm->native());
}

std::string reason_no_library(const ExperimentPoint& point) {
  if (!calls_library(point)) return "no all-reduce is the library's own (algorithm: nccl)";
  return point.experiment.workers > 1 ? "" : "one worker has no other to reduce with";
}

bool has_servers(const ExperimentPoint& point) {
  const Experiment& experiment = point.experiment;
  return !experiment.workload && experiment.aggregation->shards(experiment.workers, 1) > 0;
}

std::string reason_no_server(const ExperimentPoint& point) {
  return has_servers(point) ? "" : "no server sums gradients";
}

std::string reason_no_cpu_server(const ExperimentPoint& point) {
  const ServerPlacement placement = point.experiment.aggregation->placement();
  const bool on_cpu = placement == ServerPlacement::cpu || placement == ServerPlacement::hosts;
  return has_servers(point) && on_cpu ? "" : "no server is on a CPU";
}

std::string reason_one_bucket(const ExperimentPoint& point) {
  const auto& lengths = point.experiment.lengths;
  if (!lengths) return "";
  if (lengths->buckets == 1) return "there is one bucket";
  return point.experiment.workers > 1 ? "" : "there is one worker";
}

std::string reason_one_gpu_model(const ExperimentPoint& point) {
  return point.experiment.workers > 1 ? "" : "one worker has one GPU";
}

bool copies_are_free(const ExperimentPoint& point) {
  return point.machine && point.machine->kind() == Machine::Kind::ideal;
}

std::string reason_free_copies(const ExperimentPoint& point) {
  return copies_are_free(point) ? "copies take no time on machine 'ideal'" : "";
}

std::string reason_one_worker(const ExperimentPoint& point) {
  return point.experiment.workers > 1 ? "" : "there is one worker";
}

std::string reason_nothing_travels(const ExperimentPoint& point) {
  const bool alone = point.experiment.workers == 1 && !has_servers(point);
  return alone ? "one worker has no other to exchange gradients with" : reason_free_copies(point);
}

/// With `overlap: false` all gradients travel at once, and so do the weights.
std::string reason_no_overlap(const ExperimentPoint& point) {
  const Aggregation& aggregation = *point.experiment.aggregation;
  return aggregation.overlap() ? "" : "all layers travel together (overlap: false)";
}

std::string reason_one_piece(const ExperimentPoint& point) {
  const std::string why = reason_no_overlap(point);
  return why.empty() ? reason_nothing_travels(point) : why;
}

std::string reason_one_host(const ExperimentPoint& point) {
  if (point.experiment.aggregation->placement() != ServerPlacement::hosts) return "";
  return hosts_of(point) > 1 ? "" : "on one computer and in one process 'hosts' is 'cpu'";
}

std::string reason_placed_alike(const ExperimentPoint& point) {
  const Aggregation& aggregation = *point.experiment.aggregation;
  const ServerPlacement all = aggregation.placement();
  const bool one_place = all == ServerPlacement::cpu || all == ServerPlacement::gpu;
  const VariablePlaces places = aggregation.variables();
  const auto there = [&](const auto& variable) { return variable.second == all; };
  return one_place && std::ranges::all_of(places, there) ? "all variables are there without it"
                                                         : "";
}

std::string reason_weights_on_gpu(const ExperimentPoint& point) {
  const bool on_gpu = point.experiment.aggregation->placement() == ServerPlacement::gpu;
  return on_gpu ? "the weights are on the first GPU, and the optimizer is with them" : "";
}

std::string reason_one_process(const ExperimentPoint& point) {
  return point.experiment.process_count() > 1 ? "" : "there is one process (processes.count)";
}

std::string reason_one_loader(const ExperimentPoint& point) {
  return point.experiment.input->loading().loaders > 1 ? "" : "one thread decodes the whole batch";
}

constexpr IdleRule kRules[] = {
    {"aggregation.placement", reason_one_host},
    {"aggregation.variables", reason_placed_alike},
    {"aggregation.divide", reason_one_worker},
    {"aggregation.gpus_per_worker", reason_one_worker},
    {"aggregation.algorithm", reason_one_worker},
    {"aggregation.fetch", reason_one_piece},
    {"aggregation.overlap", reason_nothing_travels},
    {"aggregation.bucket", reason_one_piece},
    {"aggregation.first_bucket", reason_one_piece},
    {"aggregation.optimizer", reason_weights_on_gpu},
    {"processes.bandwidth", reason_one_process},
    {"processes.latency", reason_one_process},
    {"processes.cores", reason_one_process},
    {"input.decode.each", reason_one_loader},
    {"input.decode.processes", reason_free_copies},
    {"input.batch", reason_free_copies},
    {"checkpoint.every", reason_no_checkpoint},
    {"validation.every", reason_no_validation},
    {"optimizer.schedule", reason_no_training},
    {"optimizer.staleness", reason_no_training},
    {"software.kernels.fp32_functions", reason_all_in_fp32},
    {"software.lamb", reason_no_lamb},
    {"software.collective", reason_no_library},
    {"software.server_bandwidth", reason_no_cpu_server},
    {"software.sums_at_once", reason_no_server},
    {"software.gpu_variation", reason_one_gpu_model},
    {"lengths.same_bucket", reason_one_bucket},
};

/// The value of a key in a point's document; null where it is not written.
const Tree* find(const Tree& tree, std::string_view path) {
  const Tree* at = &tree;
  while (at != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    if (!at->is_map()) return nullptr;
    at = at->find(std::string(path.substr(0, dot)));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

/// The note on one rule; "" if the key has an effect at a point, or is not written.
std::string note_on(const IdleRule& rule, const ExperimentFile& file) {
  const Tree* first = nullptr;
  std::string reason;
  for (const ExperimentPoint& point : file.points) {
    const Tree* written = find(point.tree, rule.path);
    if (written == nullptr) continue;
    const std::string why = rule.reason(point);
    if (why.empty()) return "";
    if (first == nullptr) {
      first = written;
      reason = why;
    }
  }
  if (first == nullptr) return "";
  return to_string(first->at) + ": note: '" + rule.path + "' has no effect: " + reason;
}

}  // namespace

std::vector<std::string> notes_on_idle_keys(const ExperimentFile& file) {
  std::vector<std::string> notes;
  for (const IdleRule& rule : kRules) {
    if (std::string note = note_on(rule, file); !note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace paceline
