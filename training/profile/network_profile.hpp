// SPDX-License-Identifier: MIT
/// \file
/// The times of a network's arithmetic on one worker of this computer, on the host's threads or on
/// a GPU.
#pragma once
#include <string>
#include <vector>

#include "experiments/language/description.hpp"
#include "models/network.hpp"
#include "topology/gpu.hpp"
#include "training/workload/tensor_layout.hpp"

namespace paceline {

/// Everything that these times depend on: a profile is used for exactly this workload.
struct Workload {
  std::string network;  ///< Network::name
  std::int64_t parameters = 0;
  std::size_t layers = 0;
  int batch = 0;
  std::string optimizer;
  std::string dataset;  ///< source of the first layer's items; "": none, the same items every time
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  std::string gpu;       ///< the driver's name of the GPU; "": a thread of the host
  int virtual_gpus = 1;  ///< disjoint parts of the card; the worker has one of them
  bool lengths = false;  ///< sequences are of unequal length: times at several are needed

  bool operator==(const Workload&) const = default;
};

/// Several workers that train independently at the same time, on one card or on the host's cores.
struct SharedTimes {
  int workers = 2;
  Seconds forward;   ///< of all layers, of one worker
  Seconds backward;  ///< of all layers, of one worker
  static void describe(Description<SharedTimes>& d);
};

/// The time of a mini-batch after the cores have slept: caches, clocks and wake-ups are cold.
struct AfterSleep {
  Seconds slept;
  Seconds longer;  ///< in addition to that of a mini-batch that follows another at once
  static void describe(Description<AfterSleep>& d);
};

/// The times of a mini-batch of sequences of another length than the network's, on one worker with
/// nothing else under way.
struct LengthTimes {
  int length = 0;                 ///< positions
  std::vector<Seconds> forward;   ///< by layer
  std::vector<Seconds> backward;  ///< by layer
  static void describe(Description<LengthTimes>& d);
};

/// One worker's times for a workload, alone on the machine.
struct NetworkProfile {
  std::string network;
  std::int64_t parameters = 0;
  int batch = 0;
  std::string optimizer;
  std::string dataset;            ///< source of the first layer's items
  std::vector<Seconds> forward;   ///< by layer; the first includes drawing the mini-batch
  std::vector<Seconds> backward;  ///< by layer
  Seconds update;                 ///< of all parameters by the optimizer
  Seconds reduce;                 ///< addition of one gradient to another
  Seconds copy;                   ///< of all parameters from one worker's memory to another's
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  std::string gpu;                    ///< the driver's name of the GPU; "": a thread of the host
  int virtual_gpus = 1;               ///< disjoint parts of the card; the worker has one of them
  int sms = 0;                        ///< of that part; 0: not on a GPU
  std::optional<Seconds> cpu_update;  ///< of a GPU's network, by a server on the CPU
  std::optional<Seconds> cpu_reduce;  ///< of a GPU's network, by a server on the CPU
  Flops flops;                        ///< of a mini-batch, forward and backward
  std::string clocks;  ///< of the GPU during the measurement, and its power; "": not known
  std::vector<SharedTimes> shared;  ///< of several workers at once
  // On the host during training, where memory is cold and threads sleep between operations:
  std::optional<Seconds> server_update;  ///< of all parameters, by a server on another thread
  /// From the completion of an operation's last dependency to its start.
  std::optional<Seconds> start;
  std::optional<Seconds> passing_on;  ///< the part of `start` in which cores wake threads
  std::optional<Seconds> decision;  ///< the time that a role's decision adds between two operations
  std::vector<AfterSleep> after_sleep;  ///< ascending by `slept`
  /// Ascending by length, the last of the network's own; empty: sequences are of one length.
  std::vector<LengthTimes> by_length;

  NetworkProfile() = default;
  /// The workload without times.
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
