// SPDX-License-Identifier: MIT
//
// hwloc writes its topology as XML, which is then read like a file. This needs only six functions
// of hwloc, no header and no assumption about the layout of its structs.
#include "topology/discover/hwloc.hpp"

#include "topology/discover/shared_library.hpp"

namespace paceline {
namespace {

using Topology = struct hwloc_topology*;

struct Functions {
  int (*init)(Topology*) = nullptr;
  int (*filter_io)(Topology, int) = nullptr;
  int (*load)(Topology) = nullptr;
  int (*export_xml)(Topology, char**, int*, unsigned long) = nullptr;
  void (*free_xml)(Topology, char*) = nullptr;
  void (*destroy)(Topology) = nullptr;
};

constexpr int kKeepImportant = 3;  // HWLOC_TYPE_FILTER_KEEP_IMPORTANT

}  // namespace

std::optional<std::string> hwloc_xml_of_this_computer() {
  const SharedLibrary library("libhwloc.so.15");  // version 2
  if (!library) return std::nullopt;
  Functions f;
  const bool complete = library.find(f.init, "hwloc_topology_init") &&
                        library.find(f.filter_io, "hwloc_topology_set_io_types_filter") &&
                        library.find(f.load, "hwloc_topology_load") &&
                        library.find(f.export_xml, "hwloc_topology_export_xmlbuffer") &&
                        library.find(f.free_xml, "hwloc_free_xmlbuffer") &&
                        library.find(f.destroy, "hwloc_topology_destroy");
  Topology topology = nullptr;
  if (!complete || f.init(&topology) != 0) return std::nullopt;
  std::optional<std::string> xml;
  char* text = nullptr;
  int length = 0;
  if (f.filter_io(topology, kKeepImportant) == 0 && f.load(topology) == 0 &&
      f.export_xml(topology, &text, &length, 0) == 0 && text != nullptr) {
    xml.emplace(text);
    f.free_xml(topology, text);
  }
  f.destroy(topology);
  return xml;
}

}  // namespace paceline
