// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/pinned_staging.hpp"

#include <algorithm>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

PinnedStaging::Lane::Lane() = default;

PinnedStaging::~PinnedStaging() {
  // an exception may have left a copy behind
  for (auto& [device, lane] : lanes_) cudaStreamSynchronize(lane.stream.get());
}

/// Makes the GPU current, and its halves large enough for `floats`.
PinnedStaging::Lane& PinnedStaging::lane(int device, std::size_t floats) {
  check(cudaSetDevice(device), "choosing a device");
  Lane& lane = lanes_[device];
  const std::size_t bytes = std::min(floats, kFloats) * sizeof(float);
  for (PinnedMemory& half : lane.memory) {
    if (half.bytes() < bytes) half = PinnedMemory(bytes);
  }
  return lane;
}

void PinnedStaging::write(RoleId role, std::span<float> to, const Fill& fill) {
  const int device = devices_[static_cast<std::size_t>(role)];
  if (device == kOnHost || to.empty()) return fill(to);
  Lane& lane = this->lane(device, to.size());
  const std::size_t parts = (to.size() + kFloats - 1) / kFloats;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::span<float> there =
        to.subspan(part * kFloats).first(std::min(kFloats, to.size() - part * kFloats));
    const std::size_t half = part % 2;
    if (part >= 2) check(cudaEventSynchronize(lane.copied[half].get()), "copying to a GPU");
    const std::span<float> here(lane.memory[half].as<float>(), there.size());
    fill(here);
    check(cudaMemcpyAsync(there.data(), here.data(), there.size_bytes(), cudaMemcpyDefault,
                          lane.stream.get()),
          "copying to a GPU");
    lane.copied[half].record(lane.stream.get());
  }
  check(cudaStreamSynchronize(lane.stream.get()), "copying to a GPU");
}

void PinnedStaging::read(RoleId role, std::span<const float> from, const Take& take) {
  const int device = devices_[static_cast<std::size_t>(role)];
  if (device == kOnHost || from.empty()) return take(from);
  Lane& lane = this->lane(device, from.size());
  const std::size_t parts = (from.size() + kFloats - 1) / kFloats;
  const auto part_of = [from](std::size_t part) {
    return from.subspan(part * kFloats).first(std::min(kFloats, from.size() - part * kFloats));
  };
  const auto queue = [&](std::size_t part) {
    if (part >= parts) return;
    const std::span<const float> there = part_of(part);
    check(cudaMemcpyAsync(lane.memory[part % 2].data(), there.data(), there.size_bytes(),
                          cudaMemcpyDefault, lane.stream.get()),
          "copying from a GPU");
    lane.copied[part % 2].record(lane.stream.get());
  };
  queue(0);
  for (std::size_t part = 0; part < parts; ++part) {
    queue(part + 1);
    check(cudaEventSynchronize(lane.copied[part % 2].get()), "copying from a GPU");
    take({lane.memory[part % 2].as<float>(), part_of(part).size()});
  }
}

}  // namespace paceline::cuda
