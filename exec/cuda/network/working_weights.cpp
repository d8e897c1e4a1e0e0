// SPDX-License-Identifier: MIT
#include "exec/cuda/network/working_weights.hpp"

#include <algorithm>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

/// The dimensions of a layer's matrix in the flat layout, [out][in][spatial], the number of scalars
/// that follow it, and the channels that the network's input has in addition.
struct Split {
  int out = 0, in = 0, spatial = 1;
  std::int64_t vectors = 0;
  int padding = 0;
  std::int64_t matrix() const { return std::int64_t{out} * in * spatial; }
};

Split split(const Layer& layer) {
  Split split;
  switch (layer.kind) {
    case LayerKind::convolution:
      split = {layer.out.channels, layer.in.channels, layer.kernel_height * layer.kernel_width};
      split.vectors = layer.bias ? layer.out.channels : 0;
      split.in = static_cast<int>((layer.parameters - split.vectors) / (split.out * split.spatial));
      split.padding = layer.in.channels - split.in;
      break;
    case LayerKind::fully_connected:
      split = {layer.out.channels, layer.in.channels, layer.in.height * layer.in.width};
      break;
    case LayerKind::embedding:
      split = {layer.vocabulary, layer.out.channels};
      break;
    case LayerKind::lstm:  // input and recurrent matrices in a row: their order does not change
      split = {4 * layer.out.channels, layer.in.channels + layer.out.channels};
      break;
    default:
      break;
  }
  split.vectors = layer.parameters - split.matrix();
  return split;
}

/// The alignment of 16 bytes that the fast kernels of cuBLAS and cuDNN require; the flat layout
/// only guarantees 4.
bool is_aligned(const float* matrix) {
  return reinterpret_cast<std::uintptr_t>(matrix) % 16 == 0;
}

/// Copies begin at multiples of 256 bytes in every number format.
constexpr std::int64_t kAlignment = 128;  // in elements

}  // namespace

MatrixRange WorkingWeights::Table::range(std::size_t first, std::size_t last) const {
  const std::size_t begin = before[first];
  const std::size_t end = before[last];
  if (begin == end) return {};
  return {device + begin, std::span(host).subspan(begin, end - begin)};
}

WorkingWeights::WorkingWeights(const NetworkSetting& setting, const std::vector<Group>& groups,
                               const float* weights, float* gradient, cudaStream_t stream)
    : weights_(weights),
      gradient_(gradient),
      format_{element_of(setting.precision), setting.layout == Layout::nhwc},
      scale_(setting.precision == Precision::fp16 ? sizeof(LossScale) : 0) {
  if (scale_.bytes() > 0) set_loss_scale(scale_.as<LossScale>(), setting.loss_scale, stream);
  const std::vector<std::int64_t> offsets = setting.network->parameter_offsets();
  for (const Group& group : groups) {
    const auto first = static_cast<std::size_t>(group.first());
    add_group(setting.network->layers[first], offsets[first]);
    Parameters& shortcut = shortcuts_.emplace_back();
    shortcut.element = format_.element;
    if (group.shortcut >= 0) {
      const auto second = static_cast<std::size_t>(group.shortcut);
      add_vectors(shortcut, offsets[second], setting.network->layers[second].parameters);
    }
    matrices_.before.push_back(matrices_.host.size());
    vectors_.before.push_back(vectors_.host.size());
  }
  const auto bytes = static_cast<std::size_t>(copied_ * bytes_of(format_.element));
  copies_ = DeviceMemory(bytes);
  gradients_ = DeviceMemory(bytes);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (copy_at_[g] < 0) continue;
    const auto at = static_cast<std::size_t>(copy_at_[g] * bytes_of(format_.element));
    parameters_[g].matrix = copies_.as<std::byte>() + at;
    parameters_[g].matrix_gradient = gradients_.as<std::byte>() + at;
  }
  copy_tables(stream);
}

void WorkingWeights::add_group(const Layer& layer, std::int64_t offset) {
  const Split parts = split(layer);
  Parameters parameters;
  parameters.element = format_.element;
  std::int64_t copy_at = -1;
  if (parts.matrix() > 0) {
    const bool same_order = !format_.channels_last || parts.in == 1 || parts.spatial == 1;
    const bool aligned = is_aligned(weights_ + offset) && is_aligned(gradient_ + offset);
    if (format_.element == Element::fp32 && same_order && aligned) {
      parameters.matrix = weights_ + offset;
      parameters.matrix_gradient = gradient_ + offset;
    } else {
      copy_at = copied_;
      const PackedMatrix& packed = matrices_.host.emplace_back(
          PackedMatrix{offset, copied_, parts.out, parts.in, parts.spatial, 0, parts.padding});
      copied_ += (packed.working_elements() + kAlignment - 1) / kAlignment * kAlignment;
    }
  }
  if (parts.vectors > 0) add_vectors(parameters, offset + parts.matrix(), parts.vectors);
  parameters_.push_back(parameters);
  copy_at_.push_back(copy_at);
}

void WorkingWeights::add_vectors(Parameters& parameters, std::int64_t at, std::int64_t count) {
  parameters.vectors = weights_ + at;
  parameters.vector_gradients = gradient_ + at;
  if (scale_.bytes() > 0) vectors_.host.push_back({at, at, static_cast<int>(count), 1, 1, 0});
}

void WorkingWeights::copy_tables(cudaStream_t stream) {
  lay_tiles(matrices_.host);
  lay_tiles(vectors_.host);
  const std::size_t rows = matrices_.host.size() + vectors_.host.size();
  if (rows == 0) return;
  const PinnedMemory staged(rows * sizeof(PackedMatrix));
  auto* end = std::copy(matrices_.host.begin(), matrices_.host.end(), staged.as<PackedMatrix>());
  std::copy(vectors_.host.begin(), vectors_.host.end(), end);
  table_ = DeviceMemory(staged.bytes());
  check(cudaMemcpyAsync(table_.data(), staged.data(), staged.bytes(), cudaMemcpyDefault, stream),
        "copying the table of weights");
  check(cudaStreamSynchronize(stream), "copying the table of weights");
  matrices_.device = table_.as<PackedMatrix>();
  vectors_.device = matrices_.device + matrices_.host.size();
}

void WorkingWeights::pack(std::size_t first, std::size_t last, cudaStream_t stream) const {
  pack_weights(weights_, copies_.data(), format_, matrices_.range(first, last), stream);
}

void WorkingWeights::settle(cudaStream_t stream) const {
  if (scale_.bytes() > 0) settle_loss_scale(scale_.as<LossScale>(), stream);
}

void WorkingWeights::unpack(std::size_t first, std::size_t last, cudaStream_t stream) const {
  auto* const scale = scale_.as<LossScale>();
  unpack_gradients(gradients_.data(), gradient_, format_, scale, matrices_.range(first, last),
                   stream);
  // in place: the flat gradient is also the working one, at the same offsets
  unpack_gradients(gradient_, gradient_, {Element::fp32, false}, scale, vectors_.range(first, last),
                   stream);
}

}  // namespace paceline::cuda
