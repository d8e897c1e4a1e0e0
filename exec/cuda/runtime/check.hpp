// SPDX-License-Identifier: MIT
/// \file
/// Converts error codes of the CUDA libraries to exceptions.
#pragma once
#include <source_location>
#include <stdexcept>
#include <string>

#include <cublasLt.h>

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <nccl.h>

namespace paceline::cuda {

/// A call failed. `lasting`: the device's context is lost (a kernel fault), so that no call
/// succeeds until the device is reset.
class Error : public std::runtime_error {
 public:
  Error(const std::string& what, bool lasting) : std::runtime_error(what), lasting_(lasting) {}
  bool lasting() const { return lasting_; }

 private:
  bool lasting_;
};

/// Each throws Error unless the call succeeded; `doing` is part of the message ("copying").
void check(cudaError_t status, const char* doing,
           std::source_location at = std::source_location::current());
void check(cudnnStatus_t status, const char* doing,
           std::source_location at = std::source_location::current());
void check(cublasStatus_t status, const char* doing,
           std::source_location at = std::source_location::current());
void check(ncclResult_t status, const char* doing,
           std::source_location at = std::source_location::current());

}  // namespace paceline::cuda
