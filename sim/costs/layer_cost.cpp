// SPDX-License-Identifier: MIT
#include "sim/costs/layer_cost.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "experiments/language/share.hpp"
#include "sim/costs/layer_traffic.hpp"
#include "sim/costs/lstm_work.hpp"

namespace paceline {
namespace {

/// The rates that a GPU attains on one kind of layer.
struct Reached {
  FlopsPerSecond arithmetic;
  BytesPerSecond memory;
  bool arithmetic_known = false;  ///< from the efficiency table; else the peak
  bool memory_known = false;
};

std::string name_of(LayerKind kind) {
  for (const auto& row : enum_rows<LayerKind>()) {
    if (row.value == kind) return row.name;
  }
  return "";
}

Reached reached_on(const GpuSpec& gpu, const Layer& layer, Precision precision) {
  const bool multiplies = layer.macs > 0;
  const FlopsPerSecond peak = multiplies ? gpu.peak(precision) : gpu.fp32;
  Reached reached;
  reached.arithmetic = peak > FlopsPerSecond{0} ? peak : gpu.fp32;
  reached.memory = gpu.memory_bandwidth;
  const Efficiency* own = gpu.efficiency_of(name_of(layer.kind));
  if (multiplies && own != nullptr) {
    reached.arithmetic = reached.arithmetic * own->share.fraction;
    reached.arithmetic_known = true;
  }
  const Efficiency* memory = multiplies || own == nullptr ? gpu.efficiency_of("memory") : own;
  if (memory != nullptr) {
    reached.memory = reached.memory * memory->share.fraction;
    reached.memory_known = true;
  }
  return reached;
}

/// The time of one pass, the longer of arithmetic and memory, and whether the binding rate is from
/// the efficiency table.
struct Pass {
  Seconds time;
  bool known = false;
};

Pass roofline(Flops flops, Bytes bytes, const Reached& reached) {
  const Seconds arithmetic = flops / reached.arithmetic;
  const Seconds memory = bytes / reached.memory;
  if (arithmetic > memory) return {arithmetic, reached.arithmetic_known};
  return {memory, reached.memory_known};
}

/// The sum of parts that run one after another.
Pass roofline(std::initializer_list<PartWork> parts, const Reached& reached) {
  Pass sum{Seconds{}, true};
  for (const PartWork& part : parts) {
    const Pass one = roofline(part.flops, part.bytes, reached);
    sum.time += one.time;
    sum.known = sum.known && one.known;
  }
  return sum;
}

LayerTime in_parts(std::initializer_list<PartWork> forward,
                   std::initializer_list<PartWork> backward, const Reached& reached) {
  const Pass ahead = roofline(forward, reached);
  const Pass back = roofline(backward, reached);
  const bool known = ahead.known && back.known;
  return {ahead.time, back.time, known ? CostSource::efficiency : CostSource::roofline, false};
}

LayerTime computed(const Layer& layer, int batch, Precision precision, const GpuSpec& gpu) {
  // The processor of an ideal machine has no figures: it takes no time.
  if (gpu.fp32 <= FlopsPerSecond{0}) return {Seconds{}, Seconds{}, CostSource::given, false};
  const Reached reached = reached_on(gpu, layer, precision);
  if (layer.kind == LayerKind::lstm) {
    const LstmWork work = lstm_work(layer, batch, element_size(precision));
    return in_parts({work.forward_inputs, work.forward_steps},
                    {work.backward_steps, work.backward_products}, reached);
  }
  const LayerTraffic traffic = layer_traffic(layer, batch, element_size(precision));
  const double items = batch;
  return in_parts({{layer.forward_flops() * items, traffic.forward}},
                  {{layer.backward_flops() * items, traffic.backward}}, reached);
}

/// Whether the times of `profile` are of exactly this network, batch, precision and GPU.
bool measured_of(const NetworkProfile& profile, const Network& network, int batch,
                 Precision precision, const GpuSpec& gpu) {
  return profile.network == network.name && profile.parameters == network.parameters() &&
         profile.forward.size() == network.layers.size() &&
         profile.backward.size() == network.layers.size() && profile.batch == batch &&
         profile.precision == precision && same_gpu(gpu, profile.gpu);
}

}  // namespace

std::span<const EnumName<CostSource>> enum_names(const CostSource*) {
  static constexpr std::array<EnumName<CostSource>, 4> kNames{{
      {"given", CostSource::given},
      {"profile", CostSource::profile},
      {"efficiency", CostSource::efficiency},
      {"roofline", CostSource::roofline},
  }};
  return kNames;
}

std::vector<LayerTime> layer_times(const Network& network, int batch, Precision precision,
                                   const GpuSpec& gpu, const NetworkProfile* profile) {
  if (profile != nullptr && !measured_of(*profile, network, batch, precision, gpu)) {
    profile = nullptr;
  }
  std::vector<LayerTime> times;
  times.reserve(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.kind == LayerKind::synthetic) {
      times.push_back(
          {layer.synthetic_forward, layer.synthetic_backward, CostSource::given, false});
      continue;
    }
    if (profile != nullptr) {
      times.push_back({profile->forward[i], profile->backward[i], CostSource::profile, false});
      continue;
    }
    times.push_back(computed(layer, batch, precision, gpu));
  }
  return times;
}

Seconds step_time(const std::vector<LayerTime>& times) {
  Seconds sum;
  for (const LayerTime& time : times) sum += time.forward + time.backward;
  return sum;
}

void scale_to(std::vector<LayerTime>& times, Seconds one_worker_step) {
  const Seconds sum = step_time(times);
  if (sum <= Seconds{0}) throw std::invalid_argument("scale_to: the layers take no time");
  const double factor = one_worker_step / sum;
  for (LayerTime& time : times) {
    time.forward = time.forward * factor;
    time.backward = time.backward * factor;
    time.scaled = true;
  }
}

}  // namespace paceline
