// SPDX-License-Identifier: MIT
#include "experiments/language/not_yet.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace paceline {
namespace {

enum class Match { whole, begin, inside };

struct Row {
  std::string_view what;  ///< the kind of name
  Match match;
  std::string_view text;  ///< in lower case
  std::string_view instead;
};

constexpr std::string_view kClusters =
    "a cluster is a machine of machines: 'machine: {of: dgx1-v100, count: 4, network: "
    "infiniband-edr}'";
constexpr std::string_view kTransformers =
    "presets are bert_base, bert_large, bert_large_512, gpt2 and transformer_small; others are "
    "blocks: '{kind: transformer, layers: 24, heads: 16, causal: true}'";
constexpr std::string_view kVision =
    "transformers of images are not modelled; a network of known step time and gradient stands in: "
    "{kind: synthetic, compute: 180 ms, gradient: 500 MB}";
constexpr std::string_view kTransformerBlock =
    "attention is in the block 'transformer'; 'layer-norm', 'linear' and 'gelu' stand alone too";
constexpr std::string_view kInput =
    "records that are read and decoded are 'input: {kind: pipeline, decode: {workers: 4, time: "
    "8 ms}}'";
constexpr std::string_view kParallelism =
    "only data parallelism is modelled: every worker has the whole network";

constexpr std::array kRows{
    Row{"machine", Match::inside, " x ", kClusters},
    Row{"machine", Match::inside, "cluster", kClusters},
    Row{"key", Match::whole, "machines", kClusters},
    Row{"key", Match::whole, "nodes", kClusters},
    Row{"key", Match::whole, "hosts", kClusters},
    Row{"key", Match::whole, "cluster", kClusters},
    Row{"model", Match::begin, "gpt", kTransformers},
    Row{"model", Match::begin, "bert", kTransformers},
    Row{"model", Match::begin, "llama", kTransformers},
    Row{"model", Match::inside, "transformer", kTransformers},
    Row{"model", Match::begin, "vit", kVision},
    Row{"network", Match::inside, "transformer", kTransformers},
    Row{"block", Match::inside, "attention", kTransformerBlock},
    Row{"block", Match::inside, "transformer", kTransformerBlock},
    Row{"block", Match::begin, "layernorm", kTransformerBlock},
    Row{"input", Match::whole, "files", kInput},
    Row{"input", Match::whole, "disk", kInput},
    Row{"input", Match::whole, "real", kInput},
    Row{"key", Match::whole, "tensor_parallel", kParallelism},
    Row{"key", Match::whole, "pipeline_parallel", kParallelism},
    Row{"key", Match::whole, "tp", kParallelism},
    Row{"key", Match::whole, "pp", kParallelism},
};

bool matches(const Row& row, std::string_view text) {
  switch (row.match) {
    case Match::whole:
      return text == row.text;
    case Match::begin:
      return text.starts_with(row.text);
    case Match::inside:
      return text.find(row.text) != std::string_view::npos;
  }
  return false;
}

}  // namespace

std::string not_yet(std::string_view what, std::string_view text) {
  std::string small(text.substr(0, 64));
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) {
    return one.what == what && matches(one, small);
  });
  return row == kRows.end() ? "" : std::string(row->instead);
}

}  // namespace paceline
