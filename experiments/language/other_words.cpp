// SPDX-License-Identifier: MIT
#include "experiments/language/other_words.hpp"

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
constexpr std::string_view kComputers =
    "a machine is a whole computer: 'paceline list machines' names the GPUs of each";
constexpr std::string_view kPyTorch = "'pytorch', or 'pytorch-compile' with torch.compile";
constexpr std::string_view kAllReduce =
    "DistributedDataParallel and Horovod are '{kind: allreduce, algorithm: nccl}'";
constexpr std::string_view kAccumulate = "'update: {kind: sync, accumulate: 4}'";
constexpr std::string_view kRate = "'optimizer: {kind: sgd, learning_rate: 0.1}'";
constexpr std::string_view kBatch = "'batch' is of each worker, 'global_batch' of all";
constexpr std::string_view kAdam = "'adam' has the same arithmetic, memory and traffic";
constexpr std::string_view kMixed = "mixed precision is 'fp16' or 'bf16'";

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
    Row{"aggregation", Match::whole, "fsdp", kParallelism},
    Row{"aggregation", Match::begin, "zero", kParallelism},
    Row{"aggregation", Match::whole, "deepspeed", kParallelism},
    Row{"machine", Match::whole, "h100", kComputers},
    Row{"machine", Match::whole, "b200", kComputers},
    Row{"machine", Match::whole, "a100", kComputers},
    Row{"machine", Match::whole, "v100", kComputers},
    Row{"machine", Match::whole, "p100", kComputers},
    Row{"machine", Match::whole, "k80", kComputers},
    Row{"software", Match::whole, "torch", kPyTorch},
    Row{"software", Match::whole, "ddp", kPyTorch},
    Row{"aggregation", Match::whole, "ddp", kAllReduce},
    Row{"aggregation", Match::whole, "horovod", kAllReduce},
    Row{"aggregation", Match::whole, "nccl", kAllReduce},
    Row{"key", Match::whole, "accumulate", kAccumulate},
    Row{"key", Match::begin, "gradient_accumulation", kAccumulate},
    Row{"key", Match::whole, "lr", kRate},
    Row{"key", Match::whole, "learning_rate", kRate},
    Row{"key", Match::inside, "batch_size", kBatch},
    Row{"key", Match::whole, "num_workers", kInput},
    Row{"optimizer", Match::whole, "adamw", kAdam},
    Row{"name", Match::whole, "amp", kMixed},
    Row{"name", Match::whole, "mixed", kMixed},
    Row{"name", Match::whole, "half", kMixed},
    Row{"name", Match::whole, "float16", kMixed},
    Row{"name", Match::whole, "bfloat16", kMixed},
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

std::string instead_of(std::string_view what, std::string_view text) {
  std::string small(text.substr(0, 64));
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) {
    return one.what == what && matches(one, small);
  });
  return row == kRows.end() ? "" : std::string(row->instead);
}

}  // namespace paceline
