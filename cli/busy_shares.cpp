// SPDX-License-Identifier: MIT
#include "cli/busy_shares.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "cli/library_of_point.hpp"
#include "experiments/language/counted.hpp"
#include "sim/costs/prediction.hpp"
#include "training/results/trace/copy_links.hpp"
#include "training/results/trace/span_name.hpp"

namespace paceline {
namespace {

/// The traffic on one link.
class Traffic {
 public:
  /// Adds bytes from one role to another. They belong to the worker that sends them or that
  /// receives them from a server.
  void add(RoleId from, RoleId to, int workers, double bytes) {
    bytes_ += bytes;
    const RoleId worker = from < workers ? from : to;
    several_ = several_ || worker >= workers || (worker_ && *worker_ != worker);
    worker_ = worker;
  }
  double bytes() const { return bytes_; }
  bool of_one_worker() const { return !several_; }

 private:
  double bytes_ = 0;
  std::optional<RoleId> worker_;
  bool several_ = false;
};

/// The busy shares of one trace.
class Accounts {
 public:
  Accounts(const Trace& trace, const Prediction& setting)
      : trace_(trace), setting_(setting), window_((trace.end - trace.begin).value()) {}

  void add_servers(std::vector<SharedResource>& all) const {
    const SpanNames names = names_of(setting_);
    std::vector<double> busy(static_cast<std::size_t>(setting_.plan.shards), 0);
    for (const Span& span : trace_.spans) {
      const bool arithmetic = span.kind == SpanKind::sum || span.kind == SpanKind::update;
      const RoleId shard = span.stream.role - trace_.workers;
      if (!arithmetic || shard < 0 || shard >= setting_.plan.shards) continue;
      busy[static_cast<std::size_t>(shard)] += inside(span) / window_;
    }
    for (std::size_t shard = 0; shard < busy.size(); ++shard) {
      const RoleId role = trace_.workers + static_cast<RoleId>(shard);
      all.push_back({SharedResource::Kind::server,
                     (busy.size() == 1 ? "the " : "") + names.of(role), busy[shard]});
    }
  }

  void add_links(std::vector<SharedResource>& all) const {
    const Machine& machine = *setting_.machine;
    if (machine.kind() == Machine::Kind::ideal) return;
    CopyLinks copy_links = copy_links_of(setting_);
    std::map<std::size_t, Traffic> traffic;  // by link
    const auto add = [&](RoleId from, RoleId to, double carried) {
      for (const std::size_t link : copy_links.between(from, to).links) {
        traffic[link].add(from, to, trace_.workers, carried);
      }
    };
    std::map<double, double> calls;  // of the library, by their bytes
    for (const Span& span : trace_.spans) {
      const double whole = (span.end - span.begin).value();
      if (whole <= 0) continue;
      const double share = inside(span) / whole;
      if (span.kind == SpanKind::copy) add(span.from, span.to, span.bytes * share);
      const bool first_rank = span.stream.role == 0;
      if (span.kind == SpanKind::collective && first_rank) calls[span.bytes] += share;
    }
    if (const auto library = library_of(setting_)) {
      for (const auto& [bytes, count] : calls) {
        for (const LibraryFlow& flow : library->call(operation_of(setting_), bytes).flows) {
          add(flow.from, flow.to, flow.bytes * count);
        }
      }
    }
    if (traffic.empty()) traffic[0];  // stands for all links, which are idle
    const std::size_t links = machine.links().size();
    for (const auto& [link, crossing] : traffic) {
      const BytesPerSecond capacity = link < links
                                          ? machine.figures(static_cast<int>(link)).capacity
                                          : setting_.costs.card_copy_bandwidth;
      if (capacity <= BytesPerSecond{}) continue;
      all.push_back({SharedResource::Kind::link, "the link " + copy_links.name(link),
                     crossing.bytes() / capacity.value() / window_, crossing.of_one_worker()});
    }
  }

  /// The links between processes: one per process, with independent directions.
  void add_process_links(std::vector<SharedResource>& all) const {
    const ProcessCosts& processes = setting_.costs.processes;
    if (!processes.several() || processes.link <= BytesPerSecond{}) return;
    std::vector<Traffic> sent(static_cast<std::size_t>(processes.count));
    std::vector<Traffic> received(sent.size());
    for (const Span& span : trace_.spans) {
      const double whole = (span.end - span.begin).value();
      if (span.kind != SpanKind::copy || whole <= 0) continue;
      const int from = processes.of(span.from);
      const int to = processes.of(span.to);
      if (from == to) continue;
      const double bytes = span.bytes * inside(span) / whole;
      sent[static_cast<std::size_t>(from)].add(span.from, span.to, trace_.workers, bytes);
      received[static_cast<std::size_t>(to)].add(span.from, span.to, trace_.workers, bytes);
    }
    const auto add = [&](const std::string& name, const Traffic& traffic) {
      all.push_back({SharedResource::Kind::link, name,
                     traffic.bytes() / processes.link.value() / window_, traffic.of_one_worker()});
    };
    for (std::size_t process = 0; process < sent.size(); ++process) {
      const std::string name = "the link of process " + std::to_string(process);
      add(name + ", sending", sent[process]);
      add(name + ", receiving", received[process]);
    }
  }

  /// The cores that workers and servers share, or the compute time of a card that they share.
  void add_cores(std::vector<SharedResource>& all) const {
    const Costs& costs = setting_.costs;
    const bool card = costs.shared_card >= 0 && !costs.groups;
    if (costs.cores == 0 && !card) return;
    const int cores = card ? 1 : costs.cores * costs.processes.computers();
    struct Change {
      Instant at;
      int by;
    };
    std::vector<Change> changes;
    for (const Span& span : trace_.spans) {
      const bool works = span.kind == SpanKind::compute || span.kind == SpanKind::sum ||
                         span.kind == SpanKind::encoding || span.kind == SpanKind::update ||
                         (!card && span.kind == SpanKind::prepare) ||
                         (!card && span.kind == SpanKind::copy);
      if (!works || inside(span) <= 0) continue;
      changes.push_back({std::max(span.begin, trace_.begin), 1});
      changes.push_back({std::min(span.end, trace_.end), -1});
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
      return a.at != b.at ? a.at < b.at : a.by < b.by;
    });
    double busy = 0;
    int active = 0;
    Instant last = trace_.begin;
    for (const Change& change : changes) {
      busy += std::min(active, cores) * (change.at - last).value();
      active += change.by;
      last = change.at;
    }
    all.push_back(
        {SharedResource::Kind::cores,
         card ? "the card that all workers share" : "the host's " + counted(cores, "core"),
         busy / cores / window_});
  }

  /// Of the threads that launch kernels, the busiest.
  void add_launches(std::vector<SharedResource>& all) const {
    const Costs& costs = setting_.costs;
    if (costs.dispatch <= Seconds{}) return;
    std::map<std::size_t, double> layers;  // by thread
    for (const Span& span : trace_.spans) {
      if (span.kind != SpanKind::compute || inside(span) <= 0) continue;
      const double dispatches = costs.dispatches(span.layers, costs.shape_of(span.work));
      layers[costs.dispatcher_of(span.work.worker)] +=
          dispatches * inside(span) / (span.end - span.begin).value();
    }
    double most = 0;
    for (const auto& [thread, launched] : layers) most = std::max(most, launched);
    const bool of_gpu = costs.dispatchers == Dispatchers::gpu;
    const char* const name = of_gpu ? "the thread that launches a GPU's kernels"
                             : costs.computers.empty()
                                 ? "the thread that launches all kernels"
                                 : "the thread that launches the kernels of a computer";
    all.push_back(
        {SharedResource::Kind::launches, name, most * costs.dispatch.value() / window_, of_gpu});
  }

 private:
  double inside(const Span& span) const {
    const Instant from = std::max(span.begin, trace_.begin);
    const Instant to = std::min(span.end, trace_.end);
    return to > from ? (to - from).value() : 0;
  }
  int place(RoleId role) const { return setting_.vertices[static_cast<std::size_t>(role)]; }

  const Trace& trace_;
  const Prediction& setting_;
  double window_;
};

}  // namespace

std::vector<SharedResource> busy_shares(const Trace& trace, const Prediction& setting) {
  std::vector<SharedResource> all;
  if (trace.end <= trace.begin) return all;
  const Accounts accounts(trace, setting);
  accounts.add_servers(all);
  accounts.add_links(all);
  accounts.add_process_links(all);
  accounts.add_cores(all);
  accounts.add_launches(all);
  std::erase_if(all, [](const SharedResource& one) { return one.busy <= 0; });
  std::stable_sort(all.begin(), all.end(), [](const SharedResource& a, const SharedResource& b) {
    return a.busy > b.busy;
  });
  return all;
}

}  // namespace paceline
