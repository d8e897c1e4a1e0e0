// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/matrix_product.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "exec/cuda/kernels/noise.hpp"
#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/fastest.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "experiments/language/value.hpp"

namespace paceline::cuda {
namespace {

/// NVIDIA's recommendation for Hopper (cuBLAS documentation, cublasSetWorkspace()).
constexpr std::size_t kProductWorkspace = std::size_t{32} << 20;
/// cuBLAS orders its proposals by expected time; the fastest is seldom further down.
constexpr int kMostAlgorithms = 8;

cudaDataType_t cuda_type_of(Element element) {
  if (element == Element::fp16) return CUDA_R_16F;
  return element == Element::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

cublasComputeType_t compute_type_of(Precision precision) {
  return precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

cublasLtEpilogue_t epilogue_of(const ProductProblem& problem) {
  if (problem.bias) return problem.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
  return problem.relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT;
}

/// The largest power of two up to 256 that divides the address.
std::uint32_t alignment_of(const void* address) {
  return std::uint32_t{1} << std::countr_zero(reinterpret_cast<std::uintptr_t>(address) | 256);
}

template <class T>
void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t name, const T& value) {
  check(cublasLtMatmulDescSetAttribute(operation, name, &value, sizeof(value)),
        "describing a product");
}

/// cuBLASLt's preferences for the choice of an algorithm.
class Preference {
 public:
  Preference() { check(cublasLtMatmulPreferenceCreate(&handle_), "describing a product"); }
  ~Preference() { cublasLtMatmulPreferenceDestroy(handle_); }
  Preference(const Preference&) = delete;
  Preference& operator=(const Preference&) = delete;
  cublasLtMatmulPreference_t get() const { return handle_; }
  template <class T>
  void set(cublasLtMatmulPreferenceAttributes_t name, const T& value) {
    check(cublasLtMatmulPreferenceSetAttribute(handle_, name, &value, sizeof(value)),
          "describing a product");
  }

 private:
  cublasLtMatmulPreference_t handle_ = nullptr;
};

/// An algorithm is 64 bytes, valid for the same version of cuBLAS (documentation of
/// cublasLtMatmulAlgo_t), written as 8 words.
std::string text_of(const cublasLtMatmulAlgo_t& algorithm) {
  std::string text = "cublas";
  for (const std::uint64_t word : algorithm.data) {
    char digits[20];
    std::snprintf(digits, sizeof(digits), " %llx", static_cast<unsigned long long>(word));
    text += digits;
  }
  return text;
}

bool parse(const std::string& text, cublasLtMatmulAlgo_t& algorithm) {
  unsigned long long words[8] = {};
  int end = 0;
  const int count = std::sscanf(text.c_str(), "cublas %llx %llx %llx %llx %llx %llx %llx %llx%n",
                                &words[0], &words[1], &words[2], &words[3], &words[4], &words[5],
                                &words[6], &words[7], &end);
  std::copy(std::begin(words), std::end(words), std::begin(algorithm.data));
  return count == 8 && static_cast<std::size_t>(end) == text.size();
}

}  // namespace

MatrixProduct::MatrixProduct(const Toolbox& tools, const ProductProblem& problem,
                             const ProductOperands& operands, std::string layer)
    : tools_(tools),
      problem_(problem),
      operands_(operands),
      layer_(std::move(layer)),
      operation_(describe(problem, operands, tools.cache().multiprocessors())),
      a_(matrix(problem.rows, problem.inner, problem.transposes_a)),
      b_(matrix(problem.inner, problem.columns, problem.transposes_b)),
      d_(matrix(problem.rows, problem.columns, false)) {
  const auto known = tools.cache().find(key());
  if (!known || !recall(*known)) choose(kProductWorkspace);
}

MatrixProduct::Operation MatrixProduct::describe(const ProductProblem& problem,
                                                 const ProductOperands& operands,
                                                 std::int32_t multiprocessors) {
  cublasLtMatmulDesc_t handle = nullptr;
  check(cublasLtMatmulDescCreate(&handle, compute_type_of(problem.precision), CUDA_R_32F),
        "describing a product");
  Operation operation(handle);
  const auto operator_of = [](bool transposes) { return transposes ? CUBLAS_OP_T : CUBLAS_OP_N; };
  set(handle, CUBLASLT_MATMUL_DESC_TRANSA, operator_of(problem.transposes_a));
  set(handle, CUBLASLT_MATMUL_DESC_TRANSB, operator_of(problem.transposes_b));
  set(handle, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(problem));
  if (problem.bias) set(handle, CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias);
  if (multiprocessors > 0) set(handle, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, multiprocessors);
  return operation;
}

MatrixProduct::Matrix MatrixProduct::matrix(std::int64_t rows, std::int64_t columns,
                                            bool transposed) const {
  if (transposed) std::swap(rows, columns);
  cublasLtMatrixLayout_t handle = nullptr;
  check(cublasLtMatrixLayoutCreate(&handle, cuda_type_of(element_of(problem_.precision)),
                                   static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), rows),
        "describing a matrix");
  return Matrix(handle);
}

std::string MatrixProduct::key() const {
  std::string text = "product " + Value<Precision>::write(problem_.precision).text;
  for (const std::int64_t size : {problem_.rows, problem_.columns, problem_.inner}) {
    text += ' ';
    text += std::to_string(size);
  }
  text += problem_.transposes_a ? " t" : " n";
  text += problem_.transposes_b ? "t" : "n";
  if (problem_.adds) text += " adds";
  if (problem_.bias) text += " bias";
  if (problem_.relu) text += " relu";
  if (tools_.deterministic()) text += " deterministic";
  const std::uint32_t alignment =
      std::min({alignment_of(operands_.a), alignment_of(operands_.b), alignment_of(operands_.d)});
  if (alignment < 16) text += " aligned " + std::to_string(alignment);
  return text;
}

/// Selects the algorithm stored as `text`; false if it is not available.
bool MatrixProduct::recall(const std::string& text) {
  cublasLtMatmulAlgo_t algorithm{};
  cublasLtMatmulHeuristicResult_t result{};
  if (!parse(text, algorithm)) return false;
  const cublasStatus_t status =
      cublasLtMatmulAlgoCheck(tools_.cublas(), operation_.get(), a_.get(), b_.get(), d_.get(),
                              d_.get(), &algorithm, &result);
  if (status != CUBLAS_STATUS_SUCCESS || result.state != CUBLAS_STATUS_SUCCESS) return false;
  if (result.workspaceSize > kProductWorkspace) return false;
  algorithm_ = algorithm;
  workspace_bytes_ = result.workspaceSize;
  text_ = text;
  return true;
}

std::vector<cublasLtMatmulHeuristicResult_t> MatrixProduct::proposals(std::size_t limit) const {
  Preference preference;
  preference.set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{limit});
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(operands_.a));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(operands_.b));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(operands_.d));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(operands_.d));
  if (element_of(problem_.precision) != Element::fp32 || tools_.deterministic()) {
    // partial sums are reduced in fp32, and in the workspace: in place their order may vary
    preference.set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                   std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  }
  std::vector<cublasLtMatmulHeuristicResult_t> results(kMostAlgorithms);
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      tools_.cublas(), operation_.get(), a_.get(), b_.get(), d_.get(), d_.get(), preference.get(),
      kMostAlgorithms, results.data(), &count);
  results.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<std::size_t>(count) : 0);
  std::erase_if(results, [](const auto& r) { return r.state != CUBLAS_STATUS_SUCCESS; });
  return results;
}

void MatrixProduct::choose(std::size_t limit) {
  const auto results = proposals(limit);
  const Element element = element_of(problem_.precision);
  const auto noise = [&](std::int64_t count) {
    DeviceMemory memory(static_cast<std::size_t>(count * bytes_of(element)));
    fill_with_noise(memory.data(), element, count, tools_.stream());
    return memory;
  };
  const DeviceMemory a = noise(problem_.rows * problem_.inner);
  const DeviceMemory b = noise(problem_.inner * problem_.columns);
  const DeviceMemory d = noise(problem_.rows * problem_.columns);
  std::size_t most = 0;
  for (const auto& result : results) most = std::max(most, result.workspaceSize);
  const DeviceMemory workspace(most);
  const ProductOperands trial{a.data(), b.data(), d.data(), operands_.bias};
  std::vector<Attempt> attempts;
  for (const auto& result : results) {
    attempts.emplace_back([&] { run(trial, result.algo, workspace.data(), result.workspaceSize); });
  }
  const auto best = tools_.deterministic() ? first_working(attempts, tools_.stream())
                                           : fastest(attempts, tools_.stream());
  if (!best) {
    const std::string why = attempts.empty() ? "no algorithm is proposed"
                                             : failure_of(attempts.front(), tools_.stream());
    throw Error("layer '" + layer_ + "': cuBLAS does not support " + key() + " (" + why + ")",
                false);
  }
  algorithm_ = results[*best].algo;
  workspace_bytes_ = results[*best].workspaceSize;
  text_ = text_of(algorithm_);
  tools_.cache().put(key(), text_);
}

void MatrixProduct::prepare(void* workspace) {
  const auto once = [&] { run(workspace); };
  if (failure_of(once, tools_.stream()).empty()) return;
  choose(workspace_bytes_);
  const std::string failure = failure_of(once, tools_.stream());
  if (!failure.empty()) throw Error("layer '" + layer_ + "': " + failure, false);
}

void MatrixProduct::run(void* workspace) const {
  run(operands_, algorithm_, workspace, workspace_bytes_);
}

void MatrixProduct::run(const ProductOperands& operands, const cublasLtMatmulAlgo_t& algorithm,
                        void* workspace, std::size_t workspace_bytes) const {
  constexpr float kOne = 1;
  const float beta = problem_.adds ? 1 : 0;
  check(cublasLtMatmul(tools_.cublas(), operation_.get(), &kOne, operands.a, a_.get(), operands.b,
                       b_.get(), &beta, operands.d, d_.get(), operands.d, d_.get(), &algorithm,
                       workspace, workspace_bytes, tools_.stream()),
        "multiplying matrices");
}

}  // namespace paceline::cuda
