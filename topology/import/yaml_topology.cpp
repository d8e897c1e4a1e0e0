// SPDX-License-Identifier: MIT
#include "topology/import/yaml_topology.hpp"

#include <algorithm>
#include <array>

#include "experiments/language/json.hpp"
#include "experiments/language/other_words.hpp"
#include "experiments/language/yaml.hpp"
#include "topology/import/astra_network.hpp"
#include "topology/import/infragraph.hpp"
#include "topology/import/switch_yaml.hpp"

namespace paceline {
namespace {

TopologySource source_of_switches(const Tree& root) {
  return {{}, network_of_switch_yaml(root)};
}

struct YamlFormat {
  const char* name;
  bool (*is)(const Tree& root);
  TopologySource (*read)(const Tree& root);  ///< throws SpecError
};
constexpr std::array<YamlFormat, 3> kFormats{
    {{"networks of ASTRA-sim (topology, npus_count)", is_astra_file, source_of_astra},
     {"InfraGraph (devices, instances)", is_infragraph, source_of_infragraph},
     {"topologies of Slurm or topograph (switches, blocks)", is_switch_yaml, source_of_switches}}};

/// Keys of which each format has one.
constexpr std::array<std::string_view, 10> kKeys{
    "switches",     "blocks",           "npus_count", "topologies-per-dim",
    "logical-dims", "devices",          "instances",  "all-reduce-implementation",
    "memory-type",  "scheduling-policy"};

/// True for `key:` and `"key"`, at the beginning of a line or behind "- ", "{" or ",".
bool has_key(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::string_view before = " \t\n\"{,";
    const std::size_t end = at + key.size();
    const bool begins = at == 0 || before.find(text[at - 1]) != std::string_view::npos;
    if (begins && end < text.size() && (text[end] == ':' || text[end] == '"')) return true;
  }
  return false;
}

}  // namespace

bool is_yaml_topology(const std::string& text) {
  return std::ranges::any_of(kKeys, [&](std::string_view key) { return has_key(text, key); });
}

TopologySource source_of_yaml(const std::string& file, const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool json = begin != std::string::npos && text[begin] == '{';
  const Tree root = json ? parse_json(file, text) : parse_yaml(file, text);
  std::vector<std::string> known;
  for (const YamlFormat& format : kFormats) {
    if (format.is(root)) return format.read(root);
    known.emplace_back(format.name);
  }
  throw SpecError(root.at, "is YAML, but no topology (known: " + join(known) + ")");
}

}  // namespace paceline
