// SPDX-License-Identifier: MIT
/// \file
/// Every aggregation with every update that it serves, and variants of placement, staging, encoding
/// and algorithm.
#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "training/experiment/experiment_file.hpp"
#include "training/strategies/aggregations/aggregation.hpp"

namespace paceline {

struct LegalPair {
  std::string aggregation;
  std::string update;
};

inline void PrintTo(const LegalPair& pair, std::ostream* out) {
  *out << pair.aggregation << " " << pair.update;
}

inline std::vector<LegalPair> legal_pairs() {
  std::vector<LegalPair> pairs;
  for (const auto& row : family<Aggregation>().rows) {
    const std::vector<std::string> served = updates_served(*row.blank());
    for (const std::string& update : served) pairs.push_back({row.name, update});
    if (served.empty()) pairs.push_back({row.name, ""});
  }
  for (const std::string& update : updates_served(*Choice<Aggregation>("parameter-server"))) {
    pairs.push_back({"{kind: parameter-server, shards: 3, bucket: 200 B}", update});
    pairs.push_back({"{kind: parameter-server, placement: gpu, overlap: false}", update});
  }
  pairs.push_back({"{kind: parameter-server, placement: sharded-gpus}", "k-sync"});
  for (const char* update : {"sync", "async", "k-sync"}) {
    pairs.push_back({"{kind: parameter-server, fetch: random, shards: 2, bucket: 200 B}", update});
  }
  for (const char* aggregation : {"allreduce", "parameter-server", "distributed-replicated"}) {
    pairs.push_back({aggregation, "{kind: sync, accumulate: 3}"});
  }
  pairs.push_back({"{kind: parameter-server, staged: true, shards: 3, bucket: 200 B}", "sync"});
  pairs.push_back({"{kind: distributed-replicated, staged: true, gpus_per_worker: 2}", "sync"});
  pairs.push_back({"{kind: distributed-replicated, gpus_per_worker: 3}", "local-sgd"});
  pairs.push_back({"{kind: parameter-server, gpus_per_worker: 2}", "sync"});
  pairs.push_back({"{kind: replicated, placement: sharded-gpus, bucket: 200 B}", "sync"});
  pairs.push_back(
      {"{kind: replicated, placement: sharded-gpus, divide: in-turn, bucket: 200 B}", "sync"});
  pairs.push_back({"{kind: concatenated, optimizer: first-gpu, bucket: 200 B}", "sync"});
  pairs.push_back(
      {"{kind: parameter-server, placement: sharded-gpus, variables: {fc1: cpu}}", "k-sync"});
  pairs.push_back(
      {"{kind: parameter-server, placement: sharded-gpus, divide: by-variable, fetch: random}",
       "sync"});
  pairs.push_back({"{kind: peer-to-peer, compression: one-bit, bucket: 200 B}", "sync"});
  pairs.push_back({"{kind: allreduce, compression: fp16, bucket: 200 B}", "sync"});
  pairs.push_back(
      {"{kind: allreduce, algorithm: {kind: ring, slices: 2}, compression: fp16, bucket: 200 B}",
       "sync"});
  for (const char* update : {"sync", "k-sync", "async", "k-batch-async"}) {
    pairs.push_back(
        {"{kind: parameter-server, compression: {kind: top-k, share: 10 %}, "
         "shards: 3, bucket: 200 B}",
         update});
  }
  for (const char* algorithm :
       {"ring", "{kind: ring, slices: 3}", "halving-doubling", "double-binary-tree",
        "{kind: hierarchical, group: 2}", "{kind: torus, columns: 5}",
        "{kind: halving-doubling, slices: 2}", "{kind: hierarchical, group: 2, slices: 3}",
        "{kind: torus, columns: 5, slices: 3}", "{kind: double-binary-tree, slices: 5}"}) {
    pairs.push_back(
        {std::string("{kind: allreduce, algorithm: ") + algorithm + ", bucket: 200 B}", "sync"});
  }
  for (const char* update :
       {"{kind: k-batch-sync, k: 4}", "{kind: k-batch-async, k: 4}", "{kind: ssp, slack: 0}",
        "{kind: ssp, slack: 1}", "{kind: downpour, push_every: 3, fetch_every: 2}",
        "{kind: downpour, push_every: 1, fetch_every: 4}", "{kind: local-sgd, every: 1}",
        "{kind: adasync, k: 1, window: 5, base: k-batch-async}"}) {
    pairs.push_back({"{kind: parameter-server, shards: 2}", update});
  }
  return pairs;
}

}  // namespace paceline
