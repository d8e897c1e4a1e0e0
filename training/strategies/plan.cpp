// SPDX-License-Identifier: MIT
#include "training/strategies/plan.hpp"

#include <algorithm>

namespace paceline {
Slice Plan::whole() const {
  Slice all;
  for (const Bucket& bucket : cut.buckets) {
    all.end = std::max(all.end, bucket.slice.end);
    all.bytes += bucket.slice.bytes;
  }
  return all;
}

bool Plan::survives_loss_of(int process) const {
  if (!survives_deaths() || mortality.restart) return false;
  for (int shard = 0; shard < shards; ++shard) {
    if (process_of(server(shard)) == process) return false;
  }
  return true;
}

std::vector<Slice> shards_of_buckets(const std::vector<Bucket>& buckets, int places,
                                     double bytes_per_parameter) {
  constexpr int kMostParts = 8;  // each is a role
  const std::int64_t all = buckets.front().slice.end;
  std::vector<Slice> shards;
  std::int64_t begin = 0;
  for (std::size_t i = buckets.size(); i-- > 0;) {  // the last bucket has the first parameters
    const std::int64_t end = buckets[i].slice.end;
    if (i > 0 && (end - begin) * kMostParts < all) continue;
    for (int place = 0; place < places; ++place) {
      shards.push_back(slice_of(begin + (end - begin) * place / places,
                                begin + (end - begin) * (place + 1) / places, bytes_per_parameter));
    }
    begin = end;
  }
  return shards;
}

namespace {

/// The form of the gradients of layers [layer, last).
GradientCodec codec_of(const Layer& layer, const Travel& travel) {
  if (travel.sparse_items == 0 || layer.kind != LayerKind::embedding) return travel.codec;
  GradientCodec rows{GradientCodec::Kind::rows};
  rows.width = layer.out.channels;
  const std::int64_t touched = std::int64_t{travel.sparse_items} * layer.in.height;
  rows.most = static_cast<std::int32_t>(std::min<std::int64_t>(touched, layer.vocabulary));
  return rows;
}

}  // namespace

Cut cut_network(const Network& network, const Travel& travel, int shards,
                double bytes_per_parameter) {
  Cut cut;
  const std::vector<std::int64_t> offsets = network.parameter_offsets();
  const auto layers = static_cast<std::int32_t>(network.layers.size());
  const std::int64_t all = network.parameters();
  std::int32_t last = layers;
  std::int64_t end = all;
  for (std::int32_t layer = layers - 1; layer >= 0; --layer) {
    const std::int64_t begin = layer == 0 ? 0 : offsets[static_cast<std::size_t>(layer)];
    const double bytes = static_cast<double>(end - begin) * bytes_per_parameter;
    const bool first = cut.buckets.empty() && travel.first_bucket > Bytes{};
    const Bytes least = first ? travel.first_bucket : travel.bucket;
    const bool full = travel.overlap && bytes >= least.value();
    const auto has_rows = [&](std::int32_t which) {
      const Layer& one = network.layers[static_cast<std::size_t>(which)];
      return travel.sparse_items > 0 && one.kind == LayerKind::embedding;
    };
    const bool ends = full || has_rows(layer) || (layer > 0 && has_rows(layer - 1));
    if (layer > 0 && !(ends && end > begin && begin > 0)) continue;
    cut.buckets.push_back({layer, last, slice_of(begin, end, bytes_per_parameter),
                           codec_of(network.layers[static_cast<std::size_t>(layer)], travel)});
    last = layer;
    end = begin;
  }
  for (int shard = 0; shard < shards; ++shard) {
    cut.shards.push_back(
        slice_of(all * shard / shards, all * (shard + 1) / shards, bytes_per_parameter));
  }
  return cut;
}

}  // namespace paceline
