// SPDX-License-Identifier: MIT
#include "topology/import/assemble.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "experiments/language/counted.hpp"
#include "topology/import/assumed_host.hpp"
#include "topology/import/gpu_model.hpp"
#include "topology/import/imported_links.hpp"
#include "topology/import/pci.hpp"
#include "topology/import/port_rates.hpp"
#include "topology/import/switched_bonds.hpp"
#include "topology/import/vertex_name.hpp"

namespace paceline {
namespace {

class Assembly final {
 public:
  Assembly(Inventory inventory, const Assumptions& assumptions)
      : in_(std::move(inventory)), assumptions_(assumptions), links_(out_.spec, in_.origin) {}
  ImportedMachine make();

 private:
  using Kind = PciDevice::Kind;
  PciDevice& device(int id) { return in_.devices[static_cast<std::size_t>(id)]; }
  std::string& name(int id) { return names_[static_cast<std::size_t>(id)]; }
  int device_count() const { return static_cast<int>(in_.devices.size()); }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }

  void find_used();
  void order_gpus();
  void add_nvswitches();
  void choose_models();
  void add_bonds_to_switches();
  const GpuModel& model_of_gpu(int gpu) const {
    return models_[static_cast<std::size_t>(model_index_[static_cast<std::size_t>(gpu)])];
  }
  void check_bonds();
  void name_devices();
  std::string free_name(const std::string& preferred, const std::string& otherwise);
  void add_host();
  void add_pcie();
  std::string pcie_type(const PciDevice& device);
  void add_socket_links();
  void add_bonds();
  std::string bond_type(int gpu);
  void note_assumptions();

  Inventory in_;
  const Assumptions& assumptions_;
  ImportedMachine out_;
  ImportedLinks links_;
  std::set<int> used_;              // devices
  std::vector<std::string> names_;  // by device, "" where not used
  std::vector<int> gpus_;           // devices, ordered by GPU number
  std::vector<GpuModel> models_;    // by GPU
  std::vector<int> model_index_;    // by device: index in models_
  std::set<std::string> taken_;
  std::string slot_ = "pcie3";  // link preset for slots of unknown rate
  std::size_t assumed_links_ = 0;
};

void Assembly::find_used() {
  for (int id = device_count() - 1; id >= 0; --id) {
    const Kind kind = device(id).kind;
    if (kind == Kind::gpu || kind == Kind::nic) used_.insert(id);
    if (used_.contains(id) && device(id).parent >= 0) used_.insert(device(id).parent);
  }
}

void Assembly::order_gpus() {
  for (int id = 0; id < device_count(); ++id) {
    if (device(id).kind == Kind::gpu) gpus_.push_back(id);
  }
  const bool numbered =
      std::all_of(gpus_.begin(), gpus_.end(), [&](int id) { return device(id).order >= 0; });
  std::stable_sort(gpus_.begin(), gpus_.end(), [&](int a, int b) {
    return numbered ? device(a).order < device(b).order : device(a).address < device(b).address;
  });
}

void Assembly::add_nvswitches() {
  if (assumptions_.nvswitch_links == 0) return;
  if (!in_.bonds.empty()) {
    throw SpecError("paceline: error: --nvswitch: " + in_.origin + " shows NVLinks of its own");
  }
  for (const int gpu : gpus_)
    in_.bonds.push_back({gpu, Bond::kSwitch, assumptions_.nvswitch_links});
  note("NVSwitches with " + counted(assumptions_.nvswitch_links, "NVLink") +
       " from each GPU: as --nvswitch says");
}

void Assembly::choose_models() {
  std::map<int, int> nvlinks = bonds_by_gpu(in_);
  model_index_.assign(in_.devices.size(), -1);
  std::vector<PciDevice> gpus;
  std::vector<int> counts;
  for (const int gpu : gpus_) {
    model_index_[static_cast<std::size_t>(gpu)] = static_cast<int>(gpus.size());
    gpus.push_back(device(gpu));
    counts.push_back(nvlinks[gpu]);
  }
  models_ = models_of(gpus, counts, assumptions_.gpu);
  for (const GpuModel& model : models_) {
    const std::string text = to_flow(model.model);
    if (!out_.spec.gpus.empty() && to_flow(out_.spec.gpus.back().model) == text) {
      ++out_.spec.gpus.back().count;
    } else {
      out_.spec.gpus.emplace_back().model = model.model;
    }
  }
  if (!models_.empty() && !models_.front().spec.pcie.empty()) slot_ = models_.front().spec.pcie;
}

/// Joins GPUs to the NVSwitches of the source by all NVLinks that their model has.
void Assembly::add_bonds_to_switches() {
  if (!in_.on_nvswitches || !in_.bonds.empty()) return;
  for (const int gpu : gpus_) {
    const int links = model_of_gpu(gpu).spec.nvlinks;
    if (links > 0) in_.bonds.push_back({gpu, Bond::kSwitch, links});
  }
  note(
      "NVLinks: not in the source, assumed all of each GPU to the NVSwitches (--nvswitch N says "
      "how many)");
}

/// A free name: `preferred`, with a number appended if it is taken.
std::string Assembly::free_name(const std::string& preferred, const std::string& otherwise) {
  const std::string name = vertex_name(preferred, otherwise);
  std::string free = name;
  for (int i = 1; !taken_.insert(free).second; ++i) free = name + "-" + std::to_string(i);
  return free;
}

/// The NVLinks of a GPU must match its model or lead to NVSwitches.
void Assembly::check_bonds() {
  std::map<int, int> most;
  for (const int gpu : gpus_) most[gpu] = model_of_gpu(gpu).spec.nvlinks;
  if (!in_.bond_figures) switch_alike_bonds(in_, most);
  const std::map<int, int> shown = bonds_by_gpu(in_);
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const auto found = shown.find(gpus_[i]);
    const int nvlinks = models_[i].spec.nvlinks;
    if (found == shown.end() || nvlinks == 0 || found->second <= nvlinks) continue;
    note("NVLinks: " + std::to_string(found->second) + " from gpu" + std::to_string(i) +
         " in the source, more than the " + std::to_string(nvlinks) + " of " +
         to_flow(models_[i].model) + " (choose another with --gpu NAME)");
    return;
  }
}

void Assembly::name_devices() {
  names_.assign(in_.devices.size(), "");
  for (std::size_t i = 0; i < gpus_.size(); ++i) name(gpus_[i]) = "gpu" + std::to_string(i);
  struct Named {
    Kind kind;
    VertexKind vertex;
    const char* name;
  };
  constexpr std::array<Named, 3> kNamed{{{Kind::host_bridge, VertexKind::host_bridge, "bridge"},
                                         {Kind::pcie_switch, VertexKind::pcie_switch, "switch"},
                                         {Kind::nic, VertexKind::nic, "nic"}}};
  for (const Named& row : kNamed) {
    VerticesSpec vertices{row.vertex, {}};
    for (int id = 0; id < device_count(); ++id) {
      if (device(id).kind != row.kind || !used_.contains(id)) continue;
      name(id) = free_name(device(id).name, row.name + std::to_string(vertices.names.size()));
      vertices.names.push_back({name(id), {}});
    }
    if (!vertices.names.empty()) out_.spec.vertices.push_back(std::move(vertices));
  }
}

void Assembly::add_host() {
  int generation = slot_.empty() ? 0 : slot_.back() - '0';
  for (int id = 0; id < device_count(); ++id) {
    if (!used_.contains(id) || !is_credible(device(id).rate)) continue;
    generation = std::max(generation, pcie_generation(device(id).rate.gt_per_s));
  }
  AssumedHost assumed = host_of(in_, generation);
  out_.spec.host = std::move(assumed.host);
  out_.spec.copies = std::move(assumed.copies);
}

/// The type of the link above a device.
std::string Assembly::pcie_type(const PciDevice& device) {
  if (is_credible(device.rate)) return links_.pcie(device.rate);
  std::string preset = slot_;
  if (device.kind == Kind::gpu) {
    const GpuSpec& gpu = model_of_gpu(static_cast<int>(&device - in_.devices.data())).spec;
    if (!gpu.pcie.empty()) preset = gpu.pcie;
  }
  ++assumed_links_;
  return links_.assumed_pcie(preset);
}

void Assembly::add_pcie() {
  std::map<int, int> below_bridge;  // by device: links to devices below it
  for (int id = 0; id < device_count(); ++id) {
    if (used_.contains(id) && device(id).parent >= 0) ++below_bridge[device(id).parent];
  }
  struct Later {
    std::string type, from, to;
  };
  std::vector<Later> links;
  for (int id = 0; id < device_count(); ++id) {
    const PciDevice& d = device(id);
    if (!used_.contains(id) || d.kind == Kind::host_bridge) continue;
    const std::string above = d.parent >= 0 ? name(d.parent) : "cpu" + std::to_string(d.socket);
    if (d.chip_link > BytesPerSecond{0}) {
      const std::string socket = "cpu" + std::to_string(paceline::socket_of(in_, id));
      links_.add(links_.chip_link(d.chip_link), socket, name(id), 1);
      if (d.parent < 0) continue;  // PCIe to the socket is then a lane for management
    }
    links.push_back({pcie_type(d), above, name(id)});
  }
  for (int id = 0; id < device_count(); ++id) {
    const PciDevice& d = device(id);
    if (!used_.contains(id) || d.kind != Kind::host_bridge) continue;
    links_.add(links_.root_complex(), "cpu" + std::to_string(d.socket), name(id), below_bridge[id]);
  }
  for (const Later& link : links) links_.add(link.type, link.from, link.to, 1);
}

void Assembly::add_socket_links() {
  if (in_.sockets < 2) return;
  const std::string preset = in_.socket_link.empty() ? "upi" : in_.socket_link;
  const std::string type = links_.between_sockets(preset);
  const int count = in_.sockets == 2 ? 2 : 1;  // dual-socket boards have two links between sockets
  for (int a = 0; a < in_.sockets; ++a) {
    for (int b = a + 1; b < in_.sockets; ++b) {
      links_.add(type, "cpu" + std::to_string(a), "cpu" + std::to_string(b), count);
    }
  }
  note("sockets: " + std::to_string(in_.sockets) + ", each joined to each by " +
       counted(count, preset + " link") + ", assumed");
}

std::string Assembly::bond_type(int gpu) {
  if (in_.bond_figures) return links_.between_gpus(*in_.bond_figures);
  const std::string& own = model_of_gpu(gpu).spec.nvlink;
  const std::string preset = own.empty() ? in_.bond_link : own;
  if (preset.empty()) {
    throw SpecError("paceline: error: " + in_.origin + " shows NVLinks, and GPU '" +
                    to_flow(model_of_gpu(gpu).model) + "' has none (choose another with --gpu)");
  }
  return links_.nvlink(preset);
}

void Assembly::add_bonds() {
  std::map<int, std::map<int, int>> fabrics;  // NVLinks by NVSwitch fabric and GPU
  for (const Bond& bond : in_.bonds) {
    if (bond.to == Bond::kSwitch) {
      fabrics[bond.fabric][bond.from] += bond.count;
    } else if (bond.to == Bond::kSocket) {
      links_.add(bond_type(bond.from), "cpu" + std::to_string(paceline::socket_of(in_, bond.from)),
                 name(bond.from), bond.count);
    }
  }
  // One vertex stands for all connected NVSwitches: a GPU spreads its traffic over all of them.
  VerticesSpec switches{VertexKind::nvswitch, {}};
  for (const auto& [fabric, links] : fabrics) {
    const std::string vertex = "nvswitch" + std::to_string(switches.names.size());
    switches.names.push_back({vertex, {}});
    for (const int gpu : gpus_) {
      if (links.contains(gpu)) links_.add(bond_type(gpu), vertex, name(gpu), links.at(gpu));
    }
  }
  if (!switches.names.empty()) out_.spec.vertices.push_back(std::move(switches));
  for (const Bond& bond : in_.bonds) {
    if (bond.to >= 0) links_.add(bond_type(bond.from), name(bond.from), name(bond.to), bond.count);
  }
}

void Assembly::note_assumptions() {
  std::vector<std::string> sentences;
  const bool nameless =
      std::ranges::all_of(gpus_, [&](int gpu) { return device(gpu).driver_name.empty(); });
  for (const GpuModel& model : models_) {
    if (model.assumed.empty()) continue;
    const std::string line = "GPU model: assumed " + to_flow(model.model) + " (" + model.assumed +
                             "; choose another with --gpu NAME" +
                             (nameless && !in_.naming.empty() ? ", or " + in_.naming : "") + ")";
    if (std::count(sentences.begin(), sentences.end(), line) == 0) sentences.push_back(line);
  }
  for (std::string& line : sentences) note(std::move(line));
  const bool unknown = in_.bonds.empty() && gpus_.size() > 1 && models_.front().spec.nvlinks > 0;
  const std::string how = "if they lead to NVSwitches, --nvswitch N says how many from each GPU";
  if (in_.bonds_left_out > 0) {
    note("NVLinks: " + std::to_string(in_.bonds_left_out) +
         " of the source's entries lead to no other GPU: left out" + (unknown ? "; " + how : ""));
  } else if (unknown) {
    note("NVLinks: none in the source, though the GPU has " +
         std::to_string(models_.front().spec.nvlinks) + "; " + how);
  }
  if (assumed_links_ > 0) {
    note("speed of " + counted(assumed_links_, "PCIe link") + ": not in the source, assumed x16" +
         (gpus_.empty() ? " of " + slot_ : " at the speed of the GPU's interface"));
  }
  note(in_.cores > 0
           ? "memory bandwidth of the host, and what its software and copies cost: assumed"
           : "cores and memory bandwidth of the host, and what its software and copies "
             "cost: assumed");
  if (gpus_.empty()) note("GPUs: none in the source; no experiment fits on a machine without GPUs");
  if (!in_.peer_access && gpus_.size() > 1) {
    note("peer access: not in the source, " + assumed_access(models_).second);
  }
}

ImportedMachine Assembly::make() {
  check_size(in_);
  forget_slow_ports(in_);
  out_.notes = in_.notes;
  find_used();
  order_gpus();
  add_nvswitches();
  choose_models();
  add_bonds_to_switches();
  check_bonds();
  name_devices();
  add_host();
  add_socket_links();
  add_pcie();
  add_bonds();
  out_.spec.peer_access = in_.peer_access.value_or(assumed_access(models_).first);
  for (const auto& [a, b] : in_.peer_pairs) {
    out_.spec.peer_pairs.push_back({{name(a), {}}, {name(b), {}}});
  }
  for (const GpusSpec& row : out_.spec.gpus) {
    const std::string model = row.model.is_map() ? row.model.find("name")->text : row.model.text;
    out_.spec.title +=
        (out_.spec.title.empty() ? "" : " and ") + std::to_string(row.count) + " x " + model;
  }
  out_.spec.title += (gpus_.empty() ? "A host without GPUs, of " : ", of ") + in_.origin;
  note_assumptions();
  return std::move(out_);
}

}  // namespace

ImportedMachine assemble(Inventory inventory, const Assumptions& assumptions) {
  return Assembly(std::move(inventory), assumptions).make();
}

}  // namespace paceline
