// SPDX-License-Identifier: MIT
/// \file
/// Executes one point on this computer's GPUs. The training is kept from repeat to repeat; each
/// repeat has new streams, buffers and a new machine.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exec/cuda/clocks/clock_watch.hpp"
#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/machine/cuda_machine.hpp"
#include "exec/cuda/machine/gpu_worker.hpp"
#include "exec/cuda/machine/role_streams.hpp"
#include "exec/cuda/machine/split_card.hpp"
#include "exec/cuda/machine/stream_work.hpp"
#include "exec/machine/executed_repeat.hpp"
#include "training/experiment/trainer.hpp"

namespace paceline::cuda {

/// The streams, buffers and workers of the roles of a repeat.
struct Workplace {
  /// Makes no workers yet. `plan` must outlive this.
  Workplace(const std::vector<int>& devices, const SplitCard& card, const Trainer& trainer,
            const Plan& plan, std::uint32_t repeat);

  RoleStreams streams;
  CudaArrayStore store;
  Buffers buffers;
  StreamWork work;
  std::unique_ptr<PipelineItems> items;  ///< null: workers read no items that loaders prepared
  std::vector<std::unique_ptr<GpuWorker>> workers;
  std::unique_ptr<NcclGroup> nccl;  ///< null: not used
  Site site;                        ///< all of the above, for a machine
};

/// The part of a point that one of several processes runs.
struct ProcessPart {
  int process = 0;
  int first_gpu = 0;  ///< of its first worker; the next workers have the next GPUs
};

class CudaExecution {
 public:
  /// NCCL takes seconds to discover a machine and sums gigabytes in one second: a call that takes a
  /// minute hangs.
  static constexpr Seconds kPatience{60};

  /// `setting` must outlive this. Chosen algorithms are kept in the folder `cache`; empty: they are
  /// not kept. `part`: all roles if empty.
  CudaExecution(const Setting& setting, const std::filesystem::path& cache,
                Seconds nccl_patience = kPatience, std::optional<ProcessPart> part = {});

  /// One repeat. Rethrows exceptions of roles, threads and devices, except Diverged. `clocks`,
  /// which may be null, reads only while steps run.
  Executed run(std::uint32_t repeat, Recorder& recorder, ClockWatch* clocks = nullptr);

  /// The workplace of a repeat. `plan`, which belongs to the setting, must outlive it. Of several
  /// processes it has no NCCL yet.
  std::unique_ptr<Workplace> workplace(const Plan& plan, std::uint32_t repeat);
  /// Whether NCCL sums the gradients.
  bool needs_nccl() const;
  /// Connects this process's ranks of NCCL with `others`.
  void connect(Workplace& place, NcclGroup::Others others) const;

  /// The mini-batches of a worker in a repeat.
  BatchSetting batches(RoleId worker, std::uint32_t repeat) const;
  Trainer& trainer() { return trainer_; }
  /// By role: its GPU, or kOnHost.
  const std::vector<int>& devices() const { return devices_; }
  /// A mini-batch loss above this bound ends the training.
  std::optional<double> loss_bound() const { return trainer_.loss_bound(); }
  /// How workers share a card, in one line; "" if each worker has its own card.
  std::string split() const;
  /// SMs per worker; 0: the whole GPU.
  int sms() const { return card_.sms(); }

 private:
  cudaStream_t copies_of(RoleId worker, const Workplace& place) const;
  std::unique_ptr<BatchSource> source_of(const BatchSetting& batches, const Workplace& place,
                                         cudaStream_t compute, cudaStream_t copies) const;
  std::vector<std::unique_ptr<CudaNetwork>> networks_by_shape(const NetworkSetting& of_all,
                                                              const CudaNetwork& largest) const;
  std::unique_ptr<GpuWorker> make_worker(RoleId worker, std::uint32_t repeat, Workplace& place);
  double rate_of(RoleId worker) const;
  bool runs(RoleId worker) const {
    return !part_ || setting_.plan.process_of(worker) == part_->process;
  }

  const Setting& setting_;
  Trainer trainer_;
  Placement placement_;
  std::vector<int> devices_;  ///< by role: the GPU, or kOnHost
  SplitCard card_;
  std::map<int, AlgorithmCache> caches_;  ///< by device
  Seconds nccl_patience_;
  std::optional<ProcessPart> part_;
  int most_streams_ = 0;  ///< on one card, so far
};

}  // namespace paceline::cuda
