// SPDX-License-Identifier: MIT
#include "exec/cuda/runtime/check.hpp"

#include <array>
#include <utility>

#include "exec/cuda/runtime/toolkit.hpp"

namespace paceline::cuda {
namespace {

std::string message(const char* doing, const std::string& reason, const std::source_location& at) {
  const std::string file = at.file_name();
  return std::string(doing) + ": " + reason + " (" + file.substr(file.rfind('/') + 1) + ":" +
         std::to_string(at.line()) + ")";
}

/// Whether the error has lost the device's context. Others (out of memory, a failed launch) leave
/// it intact.
bool is_lasting(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorExternalDevice:
#if PACELINE_CUDA_API >= 12060
    case cudaErrorTensorMemoryLeak:
#endif
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

/// A library reports its own error. Its cause may be an earlier fault that has lost the context of
/// the current device: then that is named too. The query does not wait.
[[noreturn]] void fail(const char* doing, std::string reason, const std::source_location& at) {
  const cudaError_t status = cudaStreamQuery(nullptr);
  cudaGetLastError();
  const bool lost = is_lasting(status);
  if (lost) reason += std::string(", after: ") + cudaGetErrorString(status);
  throw Error(message(doing, reason, at), lost);
}

}  // namespace

void check(cudaError_t status, const char* doing, std::source_location at) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears an error that is not lasting, so that later calls do not report it
  throw Error(message(doing, cudaGetErrorString(status), at), is_lasting(status));
}

void check(cudnnStatus_t status, const char* doing, std::source_location at) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 1024> details{};
  cudnnGetLastErrorString(details.data(), details.size());
  std::string reason = std::string("cuDNN: ") + cudnnGetErrorString(status);
  if (details.front() != '\0') reason += std::string(" (") + details.data() + ")";
  fail(doing, std::move(reason), at);
}

void check(cublasStatus_t status, const char* doing, std::source_location at) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail(doing, std::string("cuBLAS: ") + cublasLtGetStatusString(status), at);
}

void check(ncclResult_t status, const char* doing, std::source_location at) {
  if (status == ncclSuccess || status == ncclInProgress) return;
  fail(doing, std::string("NCCL: ") + ncclGetErrorString(status), at);
}

}  // namespace paceline::cuda
