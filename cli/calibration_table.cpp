// SPDX-License-Identifier: MIT
#include "cli/calibration_table.hpp"

#include <numeric>

#include "cli/shown_quantity.hpp"
#include "topology/gpu.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string percent(double share) {
  return share < 5e-5 ? "0 %" : significant(100 * share, 3) + " %";
}

template <class Q>
std::string share_of(Q measured, const std::optional<Q>& theory) {
  return theory ? percent(measured / *theory) : "";
}

template <class Q>
std::string shown_if(const std::optional<Q>& value) {
  return value ? shown(*value) : "";
}

Seconds sum_of(const std::vector<Seconds>& times) {
  return std::accumulate(times.begin(), times.end(), Seconds{});
}

std::string software_lines(const Profile& profile) {
  std::string text;
  for (const auto& [name, version] : profile.software) {
    text += (text.empty() ? "" : ", ") + name + " " + version;
  }
  return text.empty() ? "" : text + "\n\n";
}

std::string host_table(const HostFigures& host, TableStyle style) {
  return text_table({{"this computer"}, {host.cpu_model}},
                    {{"cores", std::to_string(host.cores)},
                     {"copies beyond the caches, one thread", shown(host.copy_bandwidth)},
                     {"copies beyond the caches, all threads", shown(host.memory_bandwidth)},
                     {"latency of a copy's start", shown(host.copy_latency)},
                     {"latency of a decision", shown(host.decision_latency)},
                     {"handling of an operation, roles' thread", shown(host.operation_handling)},
                     {"handling of an operation, all threads", shown(host.operation_work)},
                     {"delay of a timed wait", shown(host.timer_error)}},
                    style);
}

std::string company(const LinkProfile& link) {
  if (link.at_once == 1) return "alone";
  return std::to_string(link.at_once) + " at once" + (link.both_ways ? ", both ways" : "");
}

std::string links_table(const Profile& profile, TableStyle style) {
  Rows rows;
  for (const LinkProfile& link : profile.links) {
    rows.push_back({link.from + " to " + link.to + (link.staged ? " (staged)" : ""), company(link),
                    shown(link.latency), shown(link.bandwidth), percent(link.rms.fraction),
                    percent(link.worst.fraction), shown(link.large()),
                    share_of(link.large(), link.driver), shown_if(link.theory),
                    share_of(link.bandwidth, link.theory)});
  }
  return text_table({{"copies"},
                     {""},
                     {"latency", true},
                     {"fitted bandwidth", true},
                     {"rms", true},
                     {"worst", true},
                     {"largest copy", true},
                     {"of the driver's", true},
                     {"theoretical", true},
                     {"reached", true}},
                    rows, style) +
         "fitted bandwidth: slope of the line through the times of all sizes, whose residuals are "
         "rms and worst;\n"
         "largest copy: its size / its time, also as a share of the same copy by the driver "
         "(between threads: memcpy).\n"
         "Sizes within the caches copy faster than memory. A second calibration shows how much "
         "these figures vary.\n";
}

/// The GPU's preset; an empty description if there is none.
GpuSpec spec_of(const GpuProfile& gpu) {
  GpuSpec spec;
  if (!gpu.preset.empty()) spec = load_gpu(Tree::scalar(gpu.preset));
  if (gpu.preset.empty() && gpu.fp32) spec.fp32 = *gpu.fp32;
  if (gpu.preset.empty() && gpu.memory_bandwidth) spec.memory_bandwidth = *gpu.memory_bandwidth;
  return spec;
}

std::string gpus_table(const Profile& profile, TableStyle style) {
  Rows rows;
  for (std::size_t i = 0; i < profile.gpus.size(); ++i) {
    const GpuProfile& gpu = profile.gpus[i];
    const BytesPerSecond theory = spec_of(gpu).memory_bandwidth;
    const BytesPerSecond moved = gpu.copy_bandwidth * 2;  // each byte is read and written
    rows.push_back({"gpu" + std::to_string(i), gpu.name, gpu.clocks, shown(moved),
                    theory > BytesPerSecond{0} ? shown(theory) : "",
                    theory > BytesPerSecond{0} ? percent(moved / theory) : "", shown(gpu.launch),
                    shown(gpu.kernel), shown(gpu.operation_latency), shown(gpu.decision_latency),
                    shown(gpu.timer_error)});
  }
  return text_table({{"GPU"},
                     {""},
                     {"clocks"},
                     {"memory", true},
                     {"theoretical", true},
                     {"reached", true},
                     {"launch", true},
                     {"empty kernel", true},
                     {"starts after", true},
                     {"decision", true},
                     {"late by", true}},
                    rows, style);
}

std::string collectives_table(const Profile& profile, TableStyle style) {
  Rows rows;
  for (const CollectiveProfile& sum : profile.collectives) {
    const double n = sum.gpus;
    for (std::size_t i = 0; i < sum.sizes.size(); ++i) {
      const BytesPerSecond algorithm = sum.sizes[i] / sum.times[i];
      rows.push_back({i == 0 ? "all-reduce of " + std::to_string(sum.gpus) + " GPUs" : "",
                      shown(sum.sizes[i]), shown(sum.times[i]), shown(algorithm),
                      shown(algorithm * (2 * (n - 1) / n))});
    }
  }
  return text_table({{"NCCL"}, {"size", true}, {"time", true}, {"algbw", true}, {"busbw", true}},
                    rows, style);
}

/// The FLOP/s of a step and the GPU's peak; blank if unknown.
std::vector<std::string> arithmetic_of(const NetworkProfile& one, const Profile& profile) {
  if (one.flops <= Flops{0}) return {"", "", ""};
  const FlopsPerSecond reached = one.flops / (sum_of(one.forward) + sum_of(one.backward));
  for (const GpuProfile& gpu : profile.gpus) {
    if (gpu.name != one.gpu) continue;
    FlopsPerSecond peak = spec_of(gpu).peak(one.precision);
    if (one.virtual_gpus > 1 && gpu.sms > 0) peak = peak * one.sms / gpu.sms;
    if (peak > FlopsPerSecond{0}) return {shown(reached), shown(peak), percent(reached / peak)};
  }
  return {shown(reached), "", ""};
}

std::string networks_table(const Profile& profile, TableStyle style) {
  Rows rows;
  for (const NetworkProfile& one : profile.networks) {
    std::string where = one.gpu.empty() ? "host" : one.gpu;
    if (one.virtual_gpus > 1) where += " / " + std::to_string(one.virtual_gpus);
    std::vector<std::string> row{
        one.network,
        where,
        std::to_string(one.batch),
        Value<Precision>::write(one.precision).text + " " + Value<Layout>::write(one.layout).text,
        one.optimizer,
        shown(sum_of(one.forward)),
        shown(sum_of(one.backward))};
    for (std::string& cell : arithmetic_of(one, profile)) row.push_back(std::move(cell));
    for (const Seconds time : {one.update, one.reduce, one.copy}) row.push_back(shown(time));
    rows.push_back(std::move(row));
    for (const SharedTimes& shared : one.shared) {
      rows.push_back({"  " + std::to_string(shared.workers) + " at once", "", "", "", "",
                      shown(shared.forward), shown(shared.backward), "", "", "", "", "", ""});
    }
  }
  return text_table({{"network"},
                     {"on"},
                     {"batch", true},
                     {""},
                     {"optimizer"},
                     {"forward", true},
                     {"backward", true},
                     {"reached", true},
                     {"peak", true},
                     {"share", true},
                     {"update", true},
                     {"sum", true},
                     {"copy", true}},
                    rows, style);
}

std::string exchange_table(const ExchangeProfile& exchange, TableStyle style) {
  Rows rows;
  for (const MemoryRates& one : exchange.memory) {
    rows.push_back(
        {shown(one.touched), shown(one.copy), shown(one.sum), shown(one.copies), shown(one.sums)});
  }
  return text_table({{"threads that exchange touch"},
                     {"a copy alone", true},
                     {"a sum alone", true},
                     {"each copy of several", true},
                     {"each sum of several", true}},
                    rows, style) +
         "handling of an operation " + shown(exchange.handling) + ", its start " +
         shown(exchange.start) + ", a decision " + shown(exchange.decision) + "\n";
}

std::string tcp_table(const TcpProfile& tcp, TableStyle style) {
  return text_table({{"TCP between processes"}, {tcp.between}},
                    {{"an empty copy takes", shown(tcp.latency)},
                     {"one stream", shown(tcp.stream)},
                     {"several streams together", shown(tcp.together)},
                     {"processor time to send 1 GB", shown(tcp.send)},
                     {"processor time to receive it", shown(tcp.receive)}},
                    style);
}

}  // namespace

std::string calibration_table(const Profile& profile, TableStyle style) {
  std::string text = software_lines(profile) + host_table(profile.host, style);
  if (!profile.links.empty()) text += "\n" + links_table(profile, style);
  if (profile.exchange) text += "\n" + exchange_table(*profile.exchange, style);
  if (profile.tcp) text += "\n" + tcp_table(*profile.tcp, style);
  if (!profile.gpus.empty()) text += "\n" + gpus_table(profile, style);
  if (!profile.collectives.empty()) text += "\n" + collectives_table(profile, style);
  if (!profile.networks.empty()) text += "\n" + networks_table(profile, style);
  return page_of(text, style);
}

}  // namespace paceline
