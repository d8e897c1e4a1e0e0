// SPDX-License-Identifier: MIT
#include "sim/nccl/library_call.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/nccl/call_latency.hpp"

namespace paceline {
namespace {

constexpr double kLlData = 0.5;            // of the bytes of LL; the other half are flags
constexpr double kBytesOfChannel = 16384;  // assumed: of a rank's part, for one more channel
constexpr int kMostChannels = 32;
// One thread starts the kernels of all GPUs of its process, one after the other: 34 us on eight
// A100 and 48 us on eight V100 where a process for each GPU takes 14, nccl-tests logs with -g 8 of
// microsoft/superbenchmark@700d6501, tests/data
constexpr Seconds kStartOfGpu{3e-6};
// In us, the figure of aws-ofi-nccl for p4d and p5 (src/platform-aws.c); cards of InfiniBand and
// of Ethernet state none
constexpr double kLatencyOfEfa = 75;
// It queues each message from and to each peer of its GPUs: 87 us on eight A100 where the
// start of eight kernels is 21, nccl-tests log as above, odd rows
constexpr Seconds kQueueingOfMessage{0.55e-6};
constexpr double kMostBytes = 1099511627776;  // 1 TiB, of the sizes that are looked at
constexpr int kSizesOfDoubling = 4;

/// Whether the bytes go once along the ring from a root, and not in P parts.
bool has_root(Operation operation) {
  return root_of(operation) >= 0;
}

}  // namespace

LibraryModel::LibraryModel(const Machine& machine, std::vector<int> ranks, const Costs& costs)
    : machine_(machine),
      ranks_(std::move(ranks)),
      costs_(costs),
      rings_(find_nccl_rings(
          machine, ranks_,
          costs.computers.empty()
              ? std::vector<int>{}
              : std::vector<int>(costs.computers.begin(), costs.computers.begin() + count()),
          costs.collective)) {
  if (!costs.nccl) return;
  see_ranks();
  if (costs.forced && !nccl_offers(seen_, Operation::all_reduce, *costs.forced)) {
    throw SpecError("NCCL has no algorithm '" + std::string(name_of(*costs.forced)) +
                    "' on these " + std::to_string(count()) + " GPUs" + ": it needs " +
                    std::string(nccl_needs(*costs.forced)) + " (leave 'force' out)");
  }
}

void LibraryModel::see_ranks() {
  const NcclCosts& nccl = *costs_.nccl;
  seen_.ranks = count();
  std::set<int> computers;
  for (int rank = 0; rank < count() && !costs_.computers.empty(); ++rank)
    computers.insert(costs_.computers[static_cast<std::size_t>(rank)]);
  seen_.computers = std::max(static_cast<int>(computers.size()), 1);
  seen_.generation = nccl.generation;
  seen_.nvlink = nccl.nvlink;
  seen_.nvswitch = nccl.nvswitch;
  seen_.ll128 = nccl.ll128;
  seen_.sharp = nccl.sharp;
  seen_.bandwidth = rings_.bandwidth.value() / 1e9;
  seen_.channels = std::min<int>(kMostChannels, 2 * static_cast<int>(rings_.rings.size()));
  if (seen_.computers > 1) see_network();
  if (!nccl.nvlink) return;
  // NCCL counts its own figure for each link
  const double bandwidth = (seen_.computers > 1 ? rings_.inside : rings_.bandwidth).value() /
                           nccl.link_bandwidth.value();
  if (!(bandwidth > 0)) return;
  seen_.inside = bandwidth * nccl_nvlink_bandwidth(nccl.generation);
  seen_.channels = std::clamp(2 * static_cast<int>(std::lround(bandwidth)), 2, kMostChannels);
  if (seen_.computers == 1) seen_.bandwidth = seen_.inside;
}

/// The links of the first way between computers.
void LibraryModel::see_network() {
  const std::vector<int>& ring = rings_.rings.front();
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const int from = ring[i], to = ring[(i + 1) % ring.size()];
    if (places().same_computer(from, to)) continue;
    for (const int link : way(from, to).links()) {
      const LinkFigures& figures = machine_.figures(link);
      if (!joins_computers(figures.kind)) continue;
      wire_ += figures.latency;
      eager_ = figures.eager;
      if (figures.kind == LinkKind::efa) seen_.network_latency = kLatencyOfEfa;
    }
    return;
  }
}

LibraryCall LibraryModel::call(Operation operation, double bytes) const {
  return costs_.nccl ? by_nccl(operation, bytes) : by_figures(operation, bytes);
}

Route LibraryModel::way(int from, int to) const {
  return machine_.route(ranks_[static_cast<std::size_t>(from)],
                        ranks_[static_cast<std::size_t>(to)]);
}

Seconds LibraryModel::time_alone(Operation operation, double bytes) const {
  const LibraryCall call = this->call(operation, bytes);
  return call.latency + bound_of(call.flows).time;
}

NcclChoice LibraryModel::choice(Operation operation, double bytes) const {
  return segment_of(operation, bytes).choice;
}

int LibraryModel::channels(double bytes) const {
  return static_cast<int>(std::clamp<double>(std::ceil(bytes / count() / kBytesOfChannel), 1,
                                             static_cast<double>(seen_.channels)));
}

// ---- the stack's own figures

LibraryCall LibraryModel::by_figures(Operation operation, double bytes) const {
  const CollectiveCost& cost = costs_.collective;
  const int steps = nccl_ring_steps(operation, count());
  LibraryCall call;
  call.latency = cost.launch + cost.step_latency * static_cast<double>(steps);
  call.occupied = cost.contention;
  const double part = bytes / count();
  call.flows = operation == Operation::all_to_all
                   ? pair_flows(places(), part)
                   : ring_flows(places(), operation, has_root(operation) ? bytes : steps * part);
  for (LibraryFlow& flow : call.flows) flow.bytes /= staged_share(flow);
  return call;
}

double LibraryModel::staged_share(const LibraryFlow& flow) const {
  const CollectiveCost& cost = costs_.collective;
  return (way(flow.from, flow.to).staged ? cost.staged_efficiency : cost.efficiency).fraction;
}

// ---- NCCL 2

LibraryCall LibraryModel::by_nccl(Operation operation, double bytes) const {
  const Segment& segment = segment_of(operation, bytes);
  LibraryCall call;
  call.latency = latency(operation, bytes, segment.choice);
  call.flows = flows(operation, bytes, segment.choice);
  keep_within(segment, seconds_per_byte(operation, segment.choice) * bytes, call);
  if (costs_.dispatchers == Dispatchers::computer) {
    const int together = (count() + seen_.computers - 1) / seen_.computers;
    Seconds of_gpu = kStartOfGpu;
    if (segment.choice.algorithm == NcclAlgorithm::pairs)
      of_gpu += kQueueingOfMessage * (2.0 * (count() - 1));
    call.latency += of_gpu * static_cast<double>(together - 1);
  }
  // a channel is a thread block, which has a multiprocessor to itself
  call.occupied = Percent{std::min(0.95, static_cast<double>(channels(bytes)) / costs_.nccl->sms)};
  return call;
}

/// NCCL's estimates are not its times: where it changes its choice too late, a larger call would
/// take less time than a smaller one. Measured curves are flat there.
void LibraryModel::keep_within(const Segment& segment, Seconds of_bytes, LibraryCall& call) {
  const Seconds time = call.latency + of_bytes;
  const Seconds wanted = std::clamp(time, segment.least, segment.most);
  if (wanted == time) return;
  call.latency = std::max(wanted - of_bytes, Seconds{});
  if (wanted >= of_bytes) return;
  for (LibraryFlow& flow : call.flows) flow.bytes *= wanted / of_bytes;
}

std::vector<LibraryFlow> LibraryModel::flows(Operation operation, double bytes,
                                             NcclChoice choice) const {
  const double part = bytes / count();
  // within a computer the last receive of a ring is not hidden by others
  double last = choice.protocol == NcclProtocol::simple ? costs_.nccl->inside.last_step : 1;
  if (seen_.computers > 1) last = 0;
  std::vector<LibraryFlow> flows;
  switch (choice.algorithm) {
    case NcclAlgorithm::pairs:
      flows = pair_flows(places(), part * (1 + costs_.nccl->inside.last_step / (count() - 1)));
      break;
    case NcclAlgorithm::tree:
      flows = tree_flows(places(), bytes);
      break;
    case NcclAlgorithm::nvls:
    case NcclAlgorithm::nvls_tree:
      flows = nvls_flows(places(), bytes, choice.algorithm == NcclAlgorithm::nvls_tree,
                         share_of_switches());
      break;
    case NcclAlgorithm::collnet:
      flows = collnet_flows(places(), bytes);
      break;
    case NcclAlgorithm::ring:
      flows = ring_flows(
          places(), operation,
          has_root(operation) ? bytes : (nccl_ring_steps(operation, count()) + last) * part);
      break;
  }
  for (LibraryFlow& flow : flows) flow.bytes /= share_of_link(flow, choice);
  return flows;
}

/// Between computers one of the rings' channels synchronises, NCCL's src/graph/tuning.cc.
double LibraryModel::share_of_switches() const {
  const auto rings = static_cast<double>(rings_.rings.size());
  const double share = nccl_nvls_share(seen_.generation);
  return seen_.computers > 1 && rings > 1 ? share * (rings - 1) / rings : share;
}

double LibraryModel::share_of_link(const LibraryFlow& flow, NcclChoice choice) const {
  const NcclCosts& nccl = *costs_.nccl;
  const bool inside = places().same_computer(flow.from, flow.to);
  double share = (inside ? nccl.inside.efficiency : nccl.between.efficiency).fraction;
  if (choice.protocol == NcclProtocol::ll) share *= kLlData;
  if (choice.protocol == NcclProtocol::ll128) share *= nccl.inside.ll128.fraction;
  return share;
}

Seconds LibraryModel::latency(Operation operation, double bytes, NcclChoice choice) const {
  const bool fills = choice.protocol == NcclProtocol::simple;
  const Seconds of_bytes = fills ? seconds_per_byte(operation, choice) * bytes : Seconds{};
  return nccl_latency(*costs_.nccl, {seen_, wire_, announced(bytes, choice)}, operation, bytes,
                      choice, of_bytes);
}

Seconds LibraryModel::seconds_per_byte(Operation operation, NcclChoice choice) const {
  const auto [known, fresh] = per_byte_.try_emplace({operation, choice});
  if (fresh) known->second = bound_of(flows(operation, 1, choice)).time;
  return known->second;
}

/// A message has the bytes of a channel, and with LL as many of flags. A ring and pairs send parts.
bool LibraryModel::announced(double bytes, NcclChoice choice) const {
  if (eager_ <= Bytes{}) return false;
  const bool in_parts =
      choice.algorithm == NcclAlgorithm::ring || choice.algorithm == NcclAlgorithm::pairs;
  double message = bytes / channels(bytes);
  if (in_parts) message /= count();
  if (choice.protocol == NcclProtocol::ll) message /= kLlData;
  return message > eager_.value();
}

/// All flows begin together: the busiest link, or the slowest transfer, ends last.
LibraryBound LibraryModel::bound_of(const std::vector<LibraryFlow>& flows) const {
  std::map<int, double> loads;
  LibraryBound bound;
  for (const LibraryFlow& flow : flows) {
    const Route route = way(flow.from, flow.to);
    const Seconds alone{flow.bytes / route.limit().value()};
    if (alone > bound.time) bound = {alone, slowest_of(route), true};
    for (const int link : route.links()) loads[link] += flow.bytes;
  }
  for (const auto& [link, bytes] : loads) {
    const Seconds full{bytes / machine_.figures(link).capacity.value()};
    if (full >= bound.time) bound = {full, link, false};
  }
  return bound;
}

/// The link with the least bandwidth for one transfer.
int LibraryModel::slowest_of(const Route& route) const {
  const auto of_transfer = [&](int link) {
    const LinkFigures& figures = machine_.figures(link);
    return figures.connection.value() > 0 ? std::min(figures.connection, figures.capacity)
                                          : figures.capacity;
  };
  int slowest = -1;
  for (const int link : route.links()) {
    if (slowest < 0 || of_transfer(link) < of_transfer(slowest)) slowest = link;
  }
  return slowest;
}

/// Where one choice ends later than the next begins, both are held at a time between the two.
const std::vector<LibraryModel::Segment>& LibraryModel::segments(Operation operation) const {
  std::vector<Segment>& all = segments_[operation];
  if (!all.empty()) return all;
  const auto chosen = [&](double bytes) {
    return nccl_choice(seen_, operation, bytes, costs_.forced);
  };
  all.push_back({chosen(1), 1, {}});
  for (double bytes = 1; bytes < kMostBytes;) {
    const double next = bytes * std::exp2(1.0 / kSizesOfDoubling);
    const NcclChoice choice = chosen(next);
    if (choice != all.back().choice) {
      double low = bytes, high = next;
      while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (chosen(middle) == all.back().choice ? low : high) = middle;
      }
      Segment& last = all.back();
      last.upto = std::floor(low);
      const auto time = [&](double size, NcclChoice by) {
        return latency(operation, size, by) + seconds_per_byte(operation, by) * size;
      };
      const Seconds end = std::max(time(last.upto, last.choice), last.least);
      const Seconds begin = time(last.upto + 1, choice);
      Seconds level = end;
      if (begin < end) {
        level = std::max(last.least, end * std::sqrt(begin / end));
        last.most = level;
      }
      all.push_back({choice, next, level});
    }
    bytes = next;
    all.back().upto = bytes;
  }
  return all;
}

const LibraryModel::Segment& LibraryModel::segment_of(Operation operation, double bytes) const {
  const std::vector<Segment>& all = segments(operation);
  const auto found = std::ranges::lower_bound(all, bytes, {}, &Segment::upto);
  return found == all.end() ? all.back() : *found;
}

}  // namespace paceline
