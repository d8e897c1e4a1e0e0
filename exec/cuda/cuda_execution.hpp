// SPDX-License-Identifier: MIT
/// \file
/// One point being executed on this computer's GPUs: its training, kept from repeat to repeat, and
/// streams, buffers and a machine anew for each.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/machine/cuda_machine.hpp"
#include "exec/cuda/machine/gpu_worker.hpp"
#include "exec/cuda/machine/role_streams.hpp"
#include "exec/cuda/machine/split_card.hpp"
#include "exec/machine/executed.hpp"
#include "training/learning/trainer.hpp"

namespace paceline::cuda {

/// What the roles of a repeat work with.
struct Workplace {
  /// Without workers yet. `plan` must outlive this.
  Workplace(const std::vector<int>& devices, const SplitCard& card, const Trainer& trainer,
            const Plan& plan, std::uint32_t repeat);

  RoleStreams streams;
  CudaArrayStore store;
  Buffers buffers;
  std::vector<std::unique_ptr<ArrayWork>> work;  ///< by lane
  std::vector<std::unique_ptr<GpuWorker>> workers;
  std::unique_ptr<NcclGroup> nccl;  ///< null: there is none
  Site site;                        ///< all of the above, for a machine
};

class CudaExecution {
 public:
  /// NCCL takes seconds to find its way about a machine and sums gigabytes in one: what takes a
  /// minute hangs.
  static constexpr Seconds kPatience{60};

  /// `setting` must outlive this. Chosen algorithms are kept in `cache` (a folder; empty: nowhere).
  CudaExecution(const Setting& setting, const std::filesystem::path& cache,
                Seconds nccl_patience = kPatience);

  /// One repeat. Throws what a role, a thread or a device throws, divergence aside.
  Executed run(std::uint32_t repeat, Recorder& recorder);

  /// What a repeat works with; `plan`, which is of the setting, must outlive it.
  std::unique_ptr<Workplace> workplace(const Plan& plan, std::uint32_t repeat);

  /// A mini-batch's loss above this is the end.
  std::optional<double> loss_bound() const { return trainer_.loss_bound(); }
  /// How workers share a card, in a line; "" where each has its own.
  const std::string& split() const { return card_.said(); }
  /// SMs that a worker has; 0: all of its GPU.
  int sms() const { return card_.sms(); }

 private:
  std::unique_ptr<GpuWorker> make_worker(RoleId worker, std::uint64_t seed,
                                         const RoleStreams& streams, Buffers& buffers);

  const Setting& setting_;
  Trainer trainer_;
  std::vector<int> devices_;  ///< by role: the GPU, or kOnHost
  SplitCard card_;
  AlgorithmCache cache_;
  Seconds nccl_patience_;
};

/// The GPU of every role of a point, or kOnHost for servers on the CPU.
std::vector<int> devices_of(const ExperimentPoint& point, const Plan& plan);

}  // namespace paceline::cuda
