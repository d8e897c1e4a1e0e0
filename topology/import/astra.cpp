// SPDX-License-Identifier: MIT
#include "topology/import/astra.hpp"

#include "experiments/yaml.hpp"

namespace paceline {
namespace {

/// The only value of the key's list: the others are of further dimensions.
const Tree& first_of(const Tree& network, const std::string& key) {
  const Tree* values = network.find(key);
  if (values == nullptr) throw SpecError(network.at, "missing key '" + key + "'");
  if (!values->is_list() || values->items.size() != 1 || !values->items[0].is_scalar()) {
    throw SpecError(values->at, "'" + key + "' must be a list of one value");
  }
  return values->items[0];
}

bool is_number(const Tree& value, double& number) {
  std::string_view rest;
  return leading_number(value, number, rest) && rest.empty();
}

double positive(const Tree& value, const std::string& key) {
  double number = 0;
  if (!is_number(value, number) || number <= 0) {
    throw SpecError(value.at, "'" + key + "' is " + quote(value) + ", expected a number > 0");
  }
  return number;
}

/// A latency, which may be 0.
double not_negative(const Tree& value, const std::string& key) {
  double number = 0;
  if (!is_number(value, number) || number < 0) {
    throw SpecError(value.at, "'" + key + "' is " + quote(value) + ", expected a number >= 0");
  }
  return number;
}

}  // namespace

bool is_astra(const std::string& text) {
  return text.find("npus_count") != std::string::npos ||
         text.find("all-reduce-implementation") != std::string::npos;
}

Inventory read_astra(const std::string& file, const std::string& text) {
  const Tree network = parse_yaml(file, text);
  if (!network.is_map()) throw SpecError(network.at, "expected the keys of an ASTRA-sim network");
  const Tree* kinds = network.find("topology");
  if (kinds == nullptr) {
    throw SpecError(network.at,
                    "an ASTRA-sim system file has no topology (import the network file, "
                    "which has 'topology' and 'npus_count')");
  }
  if (kinds->is_list() && kinds->items.size() > 1) {
    throw SpecError(kinds->at, "the network has " + std::to_string(kinds->items.size()) +
                                   " dimensions; a machine file is one computer (keep the first "
                                   "value of each list)");
  }
  const Tree& kind = first_of(network, "topology");
  constexpr int kMostGpus = 256;
  const double count = positive(first_of(network, "npus_count"), "npus_count");
  const int gpus = count <= kMostGpus ? static_cast<int>(count) : 0;
  if (gpus != count) {
    throw SpecError(first_of(network, "npus_count").at,
                    "'npus_count' must be a whole number up to " + std::to_string(kMostGpus));
  }
  constexpr double kMost = 1e6;  // GB/s, ns
  LinkTypeSpec link;
  link.kind = LinkKind::nvlink;
  const Tree& bandwidth = first_of(network, "bandwidth");
  const Tree& latency = first_of(network, "latency");
  link.bandwidth = BytesPerSecond{positive(bandwidth, "bandwidth") * 1e9};
  link.latency = Seconds{not_negative(latency, "latency") / 1e9};
  if (link.bandwidth > BytesPerSecond{kMost * 1e9}) {
    throw SpecError(bandwidth.at, "'bandwidth' must be at most 1000000 GB/s");
  }
  if (link.latency > Seconds{kMost / 1e9}) {
    throw SpecError(latency.at, "'latency' must be at most 1000000 ns");
  }
  link.source =
      kind.text == "Switch"
          ? "as the ASTRA-sim network says, in which a link is all of a GPU's NVLinks"
          : "as the ASTRA-sim network says, in which a link is all NVLinks of a pair of GPUs";

  Inventory out;
  out.origin = "an ASTRA-sim network";
  out.bond_figures = link;
  out.notes.emplace_back(
      "the host and PCIe are not in the file: assumed one socket, each GPU on it");
  for (int gpu = 0; gpu < gpus; ++gpu) {
    PciDevice device;
    device.order = gpu;
    out.devices.push_back(std::move(device));
  }
  if (kind.text == "Switch") {
    for (int gpu = 0; gpu < gpus; ++gpu) out.bonds.push_back({gpu, Bond::kSwitch, 1});
  } else if (kind.text == "FullyConnected") {
    for (int a = 0; a < gpus; ++a) {
      for (int b = a + 1; b < gpus; ++b) out.bonds.push_back({a, b, 1});
    }
  } else if (kind.text == "Ring") {
    for (int gpu = 0; gpu + 1 < gpus; ++gpu) out.bonds.push_back({gpu, gpu + 1, 1});
    if (gpus > 2) out.bonds.push_back({0, gpus - 1, 1});
    out.notes.emplace_back("GPUs that are no neighbours in the ring copy over PCIe");
  } else {
    throw SpecError(kind.at,
                    unknown_name("topology", kind.text, {"Ring", "Switch", "FullyConnected"}));
  }
  return out;
}

}  // namespace paceline
