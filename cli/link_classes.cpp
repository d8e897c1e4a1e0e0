// SPDX-License-Identifier: MIT
#include "cli/link_classes.hpp"

#include <map>
#include <span>

#include "experiments/language/value.hpp"

namespace paceline {
namespace {

template <class Enum>
std::string spelled(Enum value) {
  for (const auto& row : enum_rows<Enum>()) {
    if (row.value == value) return row.name;
  }
  return "";
}

}  // namespace

std::string class_of(const Machine& machine, const CopyLinks& copy_links, std::size_t link) {
  if (link >= machine.links().size()) return copy_links.name(link);  // the memory of a shared card
  const LinkDirection one = machine.links()[link];
  if (one.from == one.to) return one.name;
  const auto kind = [&](int vertex) { return spelled(machine.kind_of(vertex)); };
  return spelled(one.kind) + " " + kind(one.from) + (one.half_duplex ? "<->" : "->") + kind(one.to);
}

std::string name_of(const Machine& machine, const CopyLinks& copy_links,
                    const std::set<std::size_t>& links) {
  if (links.empty()) return "";
  if (links.size() == 1) return copy_links.name(*links.begin());
  return std::to_string(links.size()) + " x " + class_of(machine, copy_links, *links.begin());
}

std::string limit_of_transfer(LinkKind kind) {
  return kind == LinkKind::ethernet ? "one TCP connection" : "the limit of one transfer";
}

std::string names_of(const Machine& machine, const CopyLinks& copy_links,
                     const std::set<std::size_t>& links) {
  std::vector<std::pair<std::string, std::set<std::size_t>>> classes;  // in the order of the links
  for (const std::size_t link : links) {
    const std::string name = class_of(machine, copy_links, link);
    auto at = classes.begin();
    while (at != classes.end() && at->first != name) ++at;
    if (at == classes.end()) at = classes.insert(at, {name, {}});
    at->second.insert(link);
  }
  std::vector<std::string> names;
  names.reserve(classes.size());
  for (const auto& one : classes) names.push_back(name_of(machine, copy_links, one.second));
  return join(names);
}

}  // namespace paceline
