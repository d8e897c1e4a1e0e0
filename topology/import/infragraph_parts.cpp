// SPDX-License-Identifier: MIT
#include "topology/import/infragraph_parts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "topology/import/pci.hpp"

namespace paceline::infra {
namespace {

constexpr int kMostOfAPart = 65536;
constexpr std::size_t kMostEdges = 1u << 20;

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::string text_at(const Tree& row, const char* key) {
  const Tree* value = row.find(key);
  return value != nullptr && value->is_scalar() ? value->text : "";
}

std::vector<Tree> rows_at(const Tree& row, const char* key) {
  const Tree* value = row.find(key);
  return value == nullptr ? std::vector<Tree>() : value->items;
}

std::string name_of(const Tree& row) {
  const std::string name = text_at(row, "name");
  if (name.empty()) throw SpecError(row.at, "expected a mapping with 'name'");
  return name;
}

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc{} && rest == text.data() + text.size() && value >= 0 &&
                    value <= kMostOfAPart;
  return good ? std::optional(value) : std::nullopt;
}

int count_at(const Tree& row, int otherwise) {
  const Tree* value = row.find("count");
  if (value == nullptr) return otherwise;
  const std::optional<int> count = number_of(value->text);
  if (!count || *count == 0)
    throw SpecError(value->at, quote(*value) + " is not a count (1 to 65536)");
  return *count;
}

/// The kind of a component by its type, else by words in its name and description.
Kind kind_of(const std::string& type, const std::string& words) {
  const auto has = [&](std::string_view word) { return words.find(word) != std::string::npos; };
  if (type == "cpu") return Kind::cpu;
  if (type == "xpu" || type == "npu" || type == "gpu") return Kind::gpu;
  if (type == "nic" || type == "port") return Kind::nic;
  if (has("slot")) return Kind::slot;
  if (type == "device" || type == "custom" || type == "switch") {
    if (has("nvl") || has("nvswitch") || has("xgmi")) return Kind::nvswitch;
    if (has("pci") && has("sw")) return Kind::pcie_switch;
    if (has("nic") || has("connectx") || has("ethernet") || has("hca")) return Kind::nic;
    if (has("slot")) return Kind::slot;
  }
  return Kind::other;
}

Component component_of(const Tree& row) {
  Component out;
  const std::string type = text_at(row, text_at(row, "choice").empty() ? "type" : "choice");
  out.description = text_at(row, "description");
  std::string words = name_of(row) + " " + out.description;
  if (const Tree* custom = row.find("custom")) words += " " + text_at(*custom, "type");
  out.kind = kind_of(in_lower_case(type), in_lower_case(words));
  out.count = count_at(row, 0);
  return out;
}

/// The rate in "PCI Express PCIE_GEN4 x16" or "PCIe 3.0", with 16 lanes unless it says how many.
PcieRate rate_in(const std::string& words) {
  constexpr std::array<double, 6> kGtPerS{2.5, 5, 8, 16, 32, 64};
  constexpr int kUsualLanes = 16;
  PcieRate rate;
  for (std::size_t i = 0; i < kGtPerS.size(); ++i) {
    const std::string digit = std::to_string(i + 1);
    for (const std::string& form :
         {"gen" + digit, "gen " + digit, "pcie " + digit, "pcie" + digit, "express " + digit}) {
      if (words.find(form) != std::string::npos) rate.gt_per_s = kGtPerS[i];
    }
  }
  if (rate.gt_per_s == 0) return rate;
  rate.lanes = kUsualLanes;
  for (const int lanes : {8, 4, 2, 1}) {
    if (words.ends_with(" x" + std::to_string(lanes))) rate.lanes = lanes;
  }
  return rate;
}

/// Reads {choice: gigabytes_per_second, gigabytes_per_second: 32}, with blanks in the words or not.
void read_bandwidth(const Tree& bandwidth, Link& link) {
  std::string unit = text_at(bandwidth, "choice");
  const Tree* value = bandwidth.find(unit);
  if (value == nullptr) return;
  double number = 0;
  const char* end = value->text.data() + value->text.size();
  const auto [rest, error] = std::from_chars(value->text.data(), end, number);
  constexpr double kMost = 1e6;
  if (error != std::errc{} || rest != end || !(number > 0) || number > kMost)
    throw SpecError(value->at, quote(*value) + " is not a bandwidth (above 0, at most 1e6)");
  std::erase(unit, '_');
  constexpr double kGiga = 1e9;
  constexpr int kUsualLanes = 16;
  if (unit == "gigabitspersecond") link.bandwidth = BytesPerSecond{number * kGiga / 8};
  if (unit == "gigabytespersecond") link.bandwidth = BytesPerSecond{number * kGiga};
  if (unit == "gigatransferspersecond") link.pcie = {number, kUsualLanes};
}

std::map<std::string, Link> links_of(const Tree& owner) {
  std::map<std::string, Link> links;
  for (const Tree& row : rows_at(owner, "links")) {
    Link link;
    link.description = text_at(row, "description");
    link.pcie = rate_in(in_lower_case(name_of(row) + " " + link.description));
    const Tree* physical = row.find("physical");
    const Tree* bandwidth = (physical == nullptr ? row : *physical).find("bandwidth");
    if (bandwidth != nullptr) read_bandwidth(*bandwidth, link);
    links[name_of(row)] = std::move(link);
  }
  return links;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '.') parts.emplace_back();
    if (c != '.') parts.back() += c;
  }
  return parts;
}

/// Reads "cpu.0.pcie.switch.1", or "server.0.nic.1.eth.leaf.0.port.3" between instances.
Edge edge_of_connection(const Tree& row) {
  const std::vector<std::string> parts = split(row.text);
  const bool inside = parts.size() == 5;
  Edge edge{{}, {}, "", row.at};
  const auto number = [&](std::size_t at) {
    const std::optional<int> value = number_of(parts[at]);
    if (!value) throw SpecError(row.at, quote(row) + ": '" + parts[at] + "' is not a number");
    return *value;
  };
  if (!row.is_scalar() || (!inside && parts.size() != 9)) {
    throw SpecError(row.at, quote(row) +
                                " is not a connection (such as cpu.0.pcie.switch.1, or "
                                "server.0.nic.0.ethernet.leaf.0.port.0)");
  }
  if (inside) {
    edge.a = {"", 0, parts[0], number(1)};
    edge.b = {"", 0, parts[3], number(4)};
    edge.link = parts[2];
    return edge;
  }
  edge.a = {parts[0], number(1), parts[2], number(3)};
  edge.b = {parts[5], number(6), parts[7], number(8)};
  edge.link = parts[4];
  return edge;
}

struct Range {
  std::string name;
  int begin = 0, end = 0;  ///< equal: all
};

/// Reads "xpu", "xpu[3]" or "xpu[0:4]", of which the end does not belong to the range.
Range range_of(const Tree& value) {
  const std::string& text = value.text;
  const std::size_t open = text.find('[');
  Range range{text.substr(0, open)};
  if (open == std::string::npos) return range;
  const std::string inner = text.substr(open + 1, text.size() - open - 2);
  const std::size_t colon = inner.find(':');
  const std::optional<int> first = number_of(inner.substr(0, colon));
  const std::optional<int> last =
      colon == std::string::npos ? first : number_of(inner.substr(colon + 1));
  range.begin = first.value_or(0);
  range.end = last.value_or(0) + (colon == std::string::npos ? 1 : 0);
  if (!text.ends_with(']') || !first || !last || range.end <= range.begin)
    throw SpecError(value.at, quote(value) + " is not a range (such as xpu[0:4])");
  return range;
}

/// Numbers of parts, by name: the counts of components or instances.
using Counts = std::map<std::string, int>;

std::vector<std::pair<std::string, int>> parts_of(const Tree& value, const Counts& counts) {
  Range range = range_of(value);
  const auto found = counts.find(range.name);
  if (range.begin == range.end) range.end = found == counts.end() ? 1 : std::max(1, found->second);
  std::vector<std::pair<std::string, int>> parts;
  for (int i = range.begin; i < range.end; ++i) parts.emplace_back(range.name, i);
  return parts;
}

/// The ends of {component: xpu[0:4]}, {device: nic[0:4], component: port}, or {instance: host[0:2],
/// component: nic}. A device inside a device is one part.
std::vector<End> ends_of(const Tree& end, const Counts& instances, const Counts& components) {
  std::vector<End> ends;
  const Tree* component = end.find("component");
  const Tree* instance = end.find("instance");
  const Tree* device = end.find("device");
  if (device != nullptr && !device->text.empty()) component = device;
  if (component == nullptr || component->text.empty())
    throw SpecError(end.at, "an end of an edge has no 'component'");
  const auto parts = parts_of(*component, components);
  if (instance == nullptr || instance->text.empty()) {
    for (const auto& [name, number] : parts) ends.push_back({"", 0, name, number});
    return ends;
  }
  for (const auto& [owner, owner_number] : parts_of(*instance, instances)) {
    for (const auto& [name, number] : parts) ends.push_back({owner, owner_number, name, number});
  }
  return ends;
}

void add_edges(const Tree& row, const Counts& instances, const Counts& components,
               std::vector<Edge>& edges) {
  const Tree* ep1 = row.find("ep1");
  const Tree* ep2 = row.find("ep2");
  if (ep1 == nullptr || ep2 == nullptr) throw SpecError(row.at, "an edge needs ep1 and ep2");
  const std::vector<End> a = ends_of(*ep1, instances, components);
  const std::vector<End> b = ends_of(*ep2, instances, components);
  const std::string scheme = text_at(row, "scheme"), link = text_at(row, "link");
  if (a.size() * b.size() > kMostEdges) throw SpecError(row.at, "an edge of too many parts");
  const bool pairs = scheme != "many2many" && a.size() == b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if ((pairs && i != j) || a[i] == b[j]) continue;
      edges.push_back({a[i], b[j], link, row.at});
    }
  }
  if (edges.size() > kMostEdges) throw SpecError(row.at, "too many edges");
}

std::vector<Edge> edges_of(const Tree& owner, const Counts& instances, const Counts& components) {
  std::vector<Edge> edges;
  for (const Tree& row : rows_at(owner, "connections")) edges.push_back(edge_of_connection(row));
  for (const Tree& row : rows_at(owner, "edges")) add_edges(row, instances, components, edges);
  return edges;
}

}  // namespace

Infrastructure infrastructure_of(const Tree& root) {
  const Tree* inner = root.find("infrastructure");
  const Tree& all = inner == nullptr ? root : *inner;
  Infrastructure out;
  Counts components, instances;
  for (const Tree& row : rows_at(all, "devices")) {
    Device device{name_of(row), {}, links_of(row), {}};
    Counts own;
    for (const Tree& part : rows_at(row, "components")) {
      const Component component = component_of(part);
      own[name_of(part)] = component.count;
      device.components[name_of(part)] = component;
    }
    device.edges = edges_of(row, {}, own);
    components.insert(own.begin(), own.end());
    out.devices[device.name] = std::move(device);
  }
  for (const Tree& row : rows_at(all, "instances")) {
    const Instance instance{text_at(row, "device"), count_at(row, 1)};
    instances[name_of(row)] = instance.count;
    out.instances[name_of(row)] = instance;
  }
  out.links = links_of(all);
  out.edges = edges_of(all, instances, components);
  return out;
}

}  // namespace paceline::infra
