// SPDX-License-Identifier: MIT
/// \file
/// A CUDA machine without networks: roles with buffers and streams, for probes that run as
/// strategies do.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "exec/cuda/machine/cuda_machine.hpp"

namespace paceline::cuda {

/// Workers on GPUs and one server on the host, with `parameters` parameters.
class ProbeBench {
 public:
  /// One worker on each of `gpus`. `observer` must outlive this; it may be null. Throws Error.
  ProbeBench(std::vector<int> gpus, std::int64_t parameters, Observer* observer);

  RoleId workers() const { return plan_.workers; }
  RoleId server() const { return plan_.server(0); }
  /// Runs one program for each worker, in order; roles without a program do nothing. Throws Error.
  void run(const std::function<std::vector<Task<>>(Backend&)>& programs);

 private:
  static Plan plan_of(int workers, std::int64_t parameters, Observer* observer);

  std::vector<int> devices_;
  Plan plan_;
  RoleStreams streams_;
  CudaArrayStore store_;
  Choice<Optimizer> optimizer_{"sgd"};
  Buffers buffers_;
  StreamWork work_;
  Site site_;
};

}  // namespace paceline::cuda
