// SPDX-License-Identifier: MIT
/// \file
/// What a network's arithmetic took on one worker of this computer, on the host's threads or on a
/// GPU.
#pragma once
#include <string>
#include <vector>

#include "experiments/description.hpp"
#include "models/network.hpp"
#include "topology/gpu.hpp"
#include "training/layout.hpp"

namespace paceline {

/// What those times depend on: they are used of just this, and of nothing that is only like it.
struct Workload {
  std::string network;  ///< Network::name
  std::int64_t parameters = 0;
  std::size_t layers = 0;
  int batch = 0;
  std::string optimizer;
  std::string dataset;  ///< whose items the first layer draws; "": of none, the same items again
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  std::string gpu;       ///< as its driver calls it; "": a thread of the host
  int virtual_gpus = 1;  ///< disjoint parts of the card; the worker has one of them

  bool operator==(const Workload&) const = default;
};

/// Several workers that each train for themselves on one card or on the host's cores, at the same
/// time.
struct SharedTimes {
  int workers = 2;
  Seconds forward;   ///< of all layers, of one worker
  Seconds backward;  ///< likewise
  static void describe(Description<SharedTimes>& d);
};

/// A mini-batch on cores that have slept: caches, clocks and wake-ups are cold.
struct AfterSleep {
  Seconds slept;
  Seconds longer;  ///< than a mini-batch that follows another at once
  static void describe(Description<AfterSleep>& d);
};

/// One worker's times for a workload, alone on the machine.
struct NetworkProfile {
  std::string network;
  std::int64_t parameters = 0;
  int batch = 0;
  std::string optimizer;
  std::string dataset;            ///< whose items the first layer draws
  std::vector<Seconds> forward;   ///< by layer; the first includes drawing the mini-batch
  std::vector<Seconds> backward;  ///< by layer
  Seconds update;                 ///< of all parameters by the optimizer
  Seconds reduce;                 ///< adding a gradient to another
  Seconds copy;                   ///< of all parameters from one worker's memory to another's
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  std::string gpu;                    ///< as its driver calls it; "": a thread of the host
  int virtual_gpus = 1;               ///< disjoint parts of the card; the worker has one of them
  int sms = 0;                        ///< of that part; 0: of no GPU
  std::optional<Seconds> cpu_update;  ///< of a GPU's network, by a server on the CPU
  std::optional<Seconds> cpu_reduce;  ///< likewise
  Flops flops;                        ///< of a mini-batch, forward and backward
  std::string clocks;                 ///< of the GPU meanwhile, and its power; "": not known
  std::vector<SharedTimes> shared;    ///< of several at once
  // On the host, while it trains: where memory is cold and threads sleep between their turns.
  std::optional<Seconds> server_update;  ///< of all parameters, by a server on another thread
  std::optional<Seconds> start;       ///< from the end of what an operation waits for to its begin
  std::optional<Seconds> passing_on;  ///< of that, what cores are busy with: waking threads
  std::optional<Seconds> decision;    ///< what a role's decision between the two adds
  std::vector<AfterSleep> after_sleep;  ///< ascending by `slept`

  NetworkProfile() = default;
  /// Of a workload, without times.
  explicit NetworkProfile(const Workload& of)
      : network(of.network),
        parameters(of.parameters),
        batch(of.batch),
        optimizer(of.optimizer),
        dataset(of.dataset),
        precision(of.precision),
        layout(of.layout),
        gpu(of.gpu),
        virtual_gpus(of.virtual_gpus) {}

  Seconds forward_total() const;
  Seconds backward_total() const;
  bool is_of(const Workload& workload) const;
  static void describe(Description<NetworkProfile>& d);
};

}  // namespace paceline
