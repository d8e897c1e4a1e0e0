// SPDX-License-Identifier: MIT
#include "topology/import/gpu_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "topology/import/imported_links.hpp"
#include "topology/import/pci.hpp"

namespace paceline {
namespace {

/// The preset for a GPU of which only the rate of its slot is known.
std::string_view plain_gpu(double gt_per_s) {
  if (gt_per_s >= 32) return "h100-sxm5";
  return gt_per_s >= 16 ? "a100-sxm4" : "p100-pcie";
}

struct Preset {
  std::string name;
  GpuSpec spec;
};

std::vector<Preset> presets() {
  std::vector<Preset> all;
  for (const std::string& name : preset_names(embedded_gpus())) {
    all.push_back({name, load_gpu(Tree::scalar(name))});
  }
  return all;
}

GpuModel as_model(const Preset& preset, std::string assumed) {
  return {Tree::scalar(preset.name), preset.spec, std::move(assumed)};
}

/// How well a model explains `nvlinks` NVLinks of a GPU: 2 if it has as many, 1 if it has fewer or
/// has them through a bridge alone, 0 if it has none.
int explains(const GpuSpec& model, int nvlinks) {
  if (model.nvlinks >= nvlinks) return 2;
  return model.nvlink.empty() ? 0 : 1;
}

/// The candidate that best explains `nvlinks` NVLinks: of those with enough the one with the
/// fewest, otherwise the one with the most; among equals the slowest, which is the oldest.
const Preset* nearest(const std::vector<const Preset*>& candidates, int nvlinks) {
  const auto order = [&](const Preset* p) {
    const int how_well = explains(p->spec, nvlinks);
    return std::tuple(-how_well, how_well == 2 ? p->spec.nvlinks : -p->spec.nvlinks,
                      p->spec.peak(Precision::fp16));
  };
  const auto best = std::ranges::min_element(candidates, {}, order);
  return best == candidates.end() ? nullptr : *best;
}

/// The source's name for the GPU, if it has one.
std::string called(const PciDevice& gpu) {
  if (!gpu.driver_name.empty()) return quote(gpu.driver_name);
  if (!gpu.pci_id.empty()) return "PCI device " + gpu.pci_id;
  return gpu.architecture;
}

/// The words of a name in lower case: letters and digits.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool good = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (good) words.back() += upper ? static_cast<char>(c - 'A' + 'a') : c;
    if (!good && !words.back().empty()) words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// True if some of `words` in a row make `part`: "rtx", "3090" make "rtx3090".
bool has_part(const std::vector<std::string>& words, const std::string& part) {
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    std::string joined;
    for (std::size_t i = begin; i < words.size() && joined.size() < part.size(); ++i) {
      joined += words[i];
      if (joined == part) return true;
    }
  }
  return false;
}

/// How many parts of a preset's name are in `words`: of "a100-pcie-80gb" up to three. 0 if the part
/// that names the model is not there; that of a name without digits in it is the whole name.
int parts_in(const std::string& preset, const std::vector<std::string>& words) {
  const std::vector<std::string> parts = words_of(preset);
  const auto is_there = [&](const std::string& part) { return has_part(words, part); };
  const bool numbered = parts.front().find_first_of("0123456789") != std::string::npos;
  const bool named = numbered ? is_there(parts.front()) : std::ranges::all_of(parts, is_there);
  return named ? static_cast<int>(std::ranges::count_if(parts, is_there)) : 0;
}

/// The presets with most parts of their names in the source's name for a GPU.
std::vector<const Preset*> named_alike(const std::vector<Preset>& all, const std::string& name) {
  const std::vector<std::string> words = words_of(name);
  std::vector<const Preset*> found;
  int most = 1;
  for (const Preset& p : all) {
    const int parts = parts_in(p.name, words);
    if (parts < most) continue;
    if (parts > most) found.clear();
    most = parts;
    found.push_back(&p);
  }
  return found;
}

/// The preset with the nearest bandwidth of all its NVLinks together; of equal ones the smallest.
const Preset* nearest_bandwidth(const std::vector<Preset>& all, BytesPerSecond bandwidth) {
  const auto order = [&](const Preset& p) {
    const bool none = p.spec.nvlinks == 0 || p.spec.architecture.starts_with("gfx");
    if (none) return std::tuple(1e9, 0.0);
    const LinkTypeSpec link = load_link(p.spec.nvlink);
    const double whole = link.bandwidth.value() * link.efficiency.fraction * p.spec.nvlinks;
    return std::tuple(std::abs(std::log(bandwidth.value() / whole)), p.spec.memory.value());
  };
  return &*std::ranges::min_element(all, {}, order);
}

/// The preset nearest to a GPU that has `nvlinks` NVLinks in the source.
GpuModel model_of(const PciDevice& gpu, int nvlinks) {
  const std::vector<Preset> all = presets();
  for (const Preset& p : all) {
    if (!gpu.driver_name.empty() && same_gpu(p.spec, gpu.driver_name)) return as_model(p, "");
  }
  for (const Preset& p : all) {
    if (std::count(p.spec.pci_ids.begin(), p.spec.pci_ids.end(), gpu.pci_id) > 0) {
      return as_model(p, "");
    }
  }
  std::vector<const Preset*> candidates;
  for (const Preset& p : all) {
    if (may_be_gpu(p.spec, gpu.driver_name)) candidates.push_back(&p);
  }
  if (const Preset* best = nearest(candidates, nvlinks)) {
    return as_model(*best, candidates.size() == 1
                               ? ""
                               : "the source cuts its name off: " + quote(gpu.driver_name));
  }
  if (const Preset* best = nearest(named_alike(all, gpu.driver_name), nvlinks))
    return as_model(*best, "the nearest by name to " + called(gpu));
  for (const Preset& p : all) {
    if (!gpu.architecture.empty() && p.spec.architecture == gpu.architecture) {
      candidates.push_back(&p);
    }
  }
  if (const Preset* best = nearest(candidates, nvlinks)) {
    const std::string why =
        called(gpu) == gpu.architecture
            ? "the source gives no more than " + gpu.architecture
            : called(gpu) + " has no preset of its own; the nearest of " + gpu.architecture;
    return as_model(*best, why);
  }
  if (gpu.nvlink_bandwidth > BytesPerSecond{0}) {
    return as_model(*nearest_bandwidth(all, gpu.nvlink_bandwidth),
                    "the source does not name it; its NVLinks have about as much bandwidth");
  }
  // A machine treats AMD's links as NVLinks, but a preset of one manufacturer never stands for a
  // GPU of another.
  const bool amd =
      gpu.architecture.starts_with("gfx") || gpu.pci_id.starts_with("1002") || gpu.vendor == "1002";
  for (const Preset& p : all) {
    if (p.spec.architecture.starts_with("gfx") == amd && (amd || p.spec.nvlinks > 0)) {
      candidates.push_back(&p);
    }
  }
  const std::string unknown = called(gpu).empty() ? "the source does not name it"
                                                  : called(gpu) + " has no preset of its own";
  if (nvlinks == 0 && !amd) {
    const bool rated = is_credible(gpu.rate);
    const std::string_view name = plain_gpu(rated ? gpu.rate.gt_per_s : 0);
    const auto plain =
        std::find_if(all.begin(), all.end(), [&](const Preset& p) { return p.name == name; });
    return as_model(*plain,
                    unknown + (rated ? "; one with PCIe as fast" : "; one without NVLinks"));
  }
  return as_model(*nearest(candidates, nvlinks),
                  unknown + "; it has " + std::to_string(nvlinks) + " NVLinks");
}

/// The preset with this name, or the GPU that a file describes. Throws SpecError.
GpuModel model_named(const std::string& name) {
  const std::vector<std::string> names = preset_names(embedded_gpus());
  const bool path = name.find('/') != std::string::npos || name.ends_with(".yaml");
  if (!path && std::count(names.begin(), names.end(), name) == 0) {
    throw SpecError("paceline: error: " + unknown_name("GPU", name, names));
  }
  const GpuSpec spec = load_gpu(Tree::scalar(name));
  return {path ? write_keys(spec) : Tree::scalar(name), spec, ""};
}

}  // namespace

std::vector<GpuModel> models_of(const std::vector<PciDevice>& gpus, const std::vector<int>& nvlinks,
                                const std::string& name) {
  if (gpus.empty()) return {};
  if (!name.empty()) return std::vector<GpuModel>(gpus.size(), model_named(name));
  using Identity = std::array<std::string, 3>;
  const auto identity = [](const PciDevice& gpu) {
    return Identity{gpu.driver_name, gpu.pci_id, gpu.architecture};
  };
  struct Kind {
    PciDevice gpu;  // with the rate of the fastest slot
    int nvlinks = 0;
  };
  std::map<Identity, Kind> kinds;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    Kind& kind = kinds.try_emplace(identity(gpus[i]), Kind{gpus[i]}).first->second;
    kind.nvlinks = std::max(kind.nvlinks, nvlinks[i]);
    const bool faster =
        !is_credible(kind.gpu.rate) || gpus[i].rate.gt_per_s > kind.gpu.rate.gt_per_s;
    if (is_credible(gpus[i].rate) && faster) kind.gpu.rate = gpus[i].rate;
  }
  std::map<Identity, GpuModel> known;
  for (const auto& [key, kind] : kinds) known.emplace(key, model_of(kind.gpu, kind.nvlinks));
  std::vector<GpuModel> models;
  for (const PciDevice& gpu : gpus) models.push_back(known.at(identity(gpu)));
  return models;
}

std::pair<PeerAccess, std::string> assumed_access(const std::vector<GpuModel>& models) {
  PeerAccess least = PeerAccess::same_socket;
  for (const GpuModel& model : models) least = std::max(least, model.spec.peer_access);
  if (least == PeerAccess::same_socket) return {least, "assumed within a socket"};
  return {least, "assumed " + Value<PeerAccess>::write(least).text + ", as the GPU's file says"};
}

}  // namespace paceline
