// SPDX-License-Identifier: MIT
#include "cli/explain_transfers.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "cli/library_of_point.hpp"
#include "cli/link_classes.hpp"
#include "cli/shown_quantity.hpp"
#include "cli/wrapped_text.hpp"
#include "experiments/language/counted.hpp"
#include "sim/costs/prediction.hpp"
#include "training/results/trace/copy_links.hpp"
#include "training/results/trace/span_name.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostRows = 24;
constexpr std::size_t kMostRings = 8;
constexpr std::size_t kMostTerms = 32;  // of the order of a ring

struct Transfer {
  std::string group;  ///< "worker -> server"; only transfers of one group are merged
  RoleId from = 0;
  RoleId to = 0;
  Bytes bytes;
};

std::vector<Transfer> transfers_of(const Prediction& setting) {
  const Plan& plan = setting.plan;
  std::vector<Transfer> all;
  const Aggregation& aggregation = *setting.point->experiment.aggregation;
  if (!aggregation.exchanges()) return all;
  if (plan.shards == 0) {
    if (plan.workers == 1) return all;
    // each of the 2(P-1) steps of a ring sends 1/P of the gradient to the next worker
    const Bytes bytes{plan.whole().bytes / plan.workers};
    const auto add = [&](const std::string& group, RoleId from, RoleId to) {
      all.push_back({group, from, to, bytes});
    };
    const auto library = library_of(setting);
    const auto rings = library ? library->rings().rings : std::vector<std::vector<int>>{};
    for (std::size_t i = 0; i < std::min(rings.size(), kMostRings); ++i) {
      const std::vector<int>& ring = rings[i];
      const std::string group = rings.size() == 1 ? "ring" : "ring " + std::to_string(i + 1);
      for (std::size_t at = 0; at < ring.size(); ++at) {
        all.push_back({group, ring[at], ring[(at + 1) % ring.size()],
                       bytes / static_cast<double>(rings.size())});
      }
    }
    if (!rings.empty()) return all;
    for (int id = 0; id < plan.workers; ++id) add("worker -> worker", id, (id + 1) % plan.workers);
    return all;
  }
  for (int shard = 0; shard < plan.shards; ++shard) {
    const RoleId server = plan.server(shard);
    const Bytes bytes{plan.cut.shards[static_cast<std::size_t>(shard)].bytes};
    for (int id = 0; id < plan.workers; ++id) {
      if (!aggregation.talks_to_servers(plan, id)) continue;
      all.push_back({"worker -> server", id, server, bytes});
      all.push_back({"server -> worker", server, id, bytes});
    }
  }
  return all;
}

/// The route and the cost of a transfer.
struct Way {
  Seconds latency;
  Seconds alone;
  BytesPerSecond bandwidth;
  std::string limit;  ///< class of the slowest link, or another bound
  std::set<std::size_t> links, slowest;
  bool staged = false;
};

Way way_of(const Prediction& setting, const Transfer& transfer, CopyLinks& copy_links) {
  const Machine& machine = *setting.machine;
  const auto place = [&](RoleId role) { return setting.vertices[static_cast<std::size_t>(role)]; };
  const CopyLinks::Crossed& known = copy_links.between(transfer.from, transfer.to);
  Way way;
  way.links = {known.links.begin(), known.links.end()};
  const int a = place(transfer.from);
  if (a == place(transfer.to) && a == setting.costs.shared_card) {
    way.bandwidth = setting.costs.card_copy_bandwidth;
    way.alone = transfer.bytes / way.bandwidth;
    way.limit = "the card's own memory";
    return way;
  }
  const Route route = machine.route(a, place(transfer.to));
  way.staged = route.staged;
  way.latency = route.latency();
  way.bandwidth = machine.bottleneck(route);
  way.alone = way.latency + transfer.bytes / way.bandwidth;
  const bool link_limits =
      !known.links.empty() &&
      way.bandwidth >= machine.figures(static_cast<int>(known.slowest)).capacity;
  if (link_limits) {
    way.slowest = {known.slowest};
    way.limit = class_of(machine, copy_links, known.slowest);
  } else if (std::isfinite(way.bandwidth.value())) {
    way.limit = "the limit of one copy";
    for (const int link : route.links()) {
      const LinkFigures& figures = machine.figures(link);
      if (figures.connection > BytesPerSecond{} && way.bandwidth >= figures.connection)
        way.limit = limit_of_transfer(figures.kind);
    }
  }
  return way;
}

/// Transfers with equal routes and costs.
struct TransferGroup {
  const Transfer* first = nullptr;
  Way way;
  std::size_t count = 0;
};

bool alike(const TransferGroup& group, const Transfer& transfer, const Way& way) {
  const auto key = [](const Transfer& t, const Way& w) {
    // compared as shown, with four digits
    return std::tuple(t.group, shown(t.bytes), shown(w.latency), shown(w.alone), w.limit, w.staged);
  };
  return key(*group.first, group.way) == key(transfer, way);
}

std::vector<TransferGroup> groups_of(const Prediction& setting,
                                     const std::vector<Transfer>& transfers,
                                     CopyLinks& copy_links) {
  std::vector<TransferGroup> groups;
  for (const Transfer& transfer : transfers) {
    Way way = way_of(setting, transfer, copy_links);
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const TransferGroup& group) {
      return alike(group, transfer, way);
    });
    if (known == groups.end()) {
      groups.push_back({&transfer, std::move(way), 1});
      continue;
    }
    ++known->count;
    known->way.links.insert(way.links.begin(), way.links.end());
    known->way.slowest.insert(way.slowest.begin(), way.slowest.end());
  }
  return groups;
}

/// A title, and lines below it that are indented or the items of a Markdown list.
std::string list_below(const std::string& title, const std::vector<std::string>& lines,
                       TableStyle style, std::size_t width) {
  const bool markdown = style == TableStyle::markdown;
  std::string text = title + (markdown ? "\n\n" : "\n");
  for (const std::string& line : lines)
    text += markdown ? "- " + line + "\n" : "  " + wrapped(line, 2, 6, width);
  return text + (markdown ? "\n" : "");
}

/// "0..7 15 8..14": the ranks of a ring; three and more that count up by one are a range.
std::string order_of(const std::vector<int>& ring) {
  std::string text;
  std::size_t terms = 0;
  for (std::size_t at = 0; at < ring.size();) {
    if (terms++ == kMostTerms) return text + " and " + std::to_string(ring.size() - at) + " more";
    std::size_t end = at + 1;
    while (end < ring.size() && ring[end] == ring[end - 1] + 1) ++end;
    if (end - at < 3) end = at + 1;
    text += (text.empty() ? "" : " ") + std::to_string(ring[at]);
    if (end - at > 1) text += ".." + std::to_string(ring[end - 1]);
    at = end;
  }
  return text;
}

/// The orders of the rings, such as "1: 0..3" and "2: 0 3 2 1", below a title.
std::string ring_orders(const Prediction& setting, TableStyle style, std::size_t width) {
  const auto library = library_of(setting);
  if (!library) return "";
  const std::vector<std::vector<int>>& rings = library->rings().rings;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(rings.size(), kMostRings); ++i) {
    lines.push_back(std::to_string(i + 1) + ": " + order_of(rings[i]));
  }
  if (rings.size() > kMostRings) {
    lines.push_back("and " + std::to_string(rings.size() - kMostRings) + " more");
  }
  return list_below("rings, by worker:", lines, style, width);
}

}  // namespace

std::string transfer_table(const Prediction& setting, TableStyle style, std::size_t width) {
  const Machine& machine = *setting.machine;
  const std::vector<Transfer> transfers = transfers_of(setting);
  if (transfers.empty()) return "transfers: none\n";
  if (machine.kind() == Machine::Kind::ideal) return "transfers: free on 'ideal'\n";
  CopyLinks copy_links = copy_links_of(setting);
  const SpanNames names = names_of(setting);
  const std::vector<TransferGroup> groups = groups_of(setting, transfers, copy_links);
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> links;
  for (const TransferGroup& group : groups) {
    if (rows.size() == kMostRows) break;
    const Transfer& first = *group.first;
    const Way& way = group.way;
    const bool ring = first.group.starts_with("ring");
    std::string name =
        ring ? first.group + ": " + std::to_string(first.from) + " -> " + std::to_string(first.to)
             : names.of(first.from) + " -> " + names.of(first.to);
    if (group.count > 1) name += " and " + std::to_string(group.count - 1) + " more";
    std::string bottleneck = shown(way.bandwidth);
    if (way.slowest.size() == 1) {
      bottleneck += ", " + name_of(machine, copy_links, way.slowest);
    } else if (!way.slowest.empty()) {  // the column of links shows which
      bottleneck += ", " + way.limit.substr(way.limit.find(' ') + 1);
    } else if (!way.limit.empty()) {
      bottleneck += ", " + way.limit;
    }
    rows.push_back({name, shown(first.bytes), shown(way.latency), shown(way.alone), bottleneck});
    const std::string crossed = names_of(machine, copy_links, way.links);
    links.push_back(name + ": " + (crossed.empty() ? "none, the same place" : crossed) +
                    (way.staged ? " (staged through the host's memory)" : ""));
  }
  std::string out = text_table(
      {{"transfer"}, {"size", true}, {"latency", true}, {"time alone", true}, {"bottleneck"}}, rows,
      style, width);
  if (rows.size() < groups.size()) {
    out += "and " + std::to_string(groups.size() - rows.size()) + " more\n";
  }
  return out + list_below("links crossed:", links, style, width) +
         ring_orders(setting, style, width);
}

}  // namespace paceline
