// SPDX-License-Identifier: MIT
// cuBLASLt: D = epilogue(alpha op(A) op(B) + beta C), by Eigen in fp32. Every product has two
// algorithms; the first one needs a workspace.
#include <cstring>
#include <vector>

#include <Eigen/Core>
#include <cublasLt.h>

#include "tests/exec/cuda/emulation/numbers.hpp"
#include "tests/exec/cuda/emulation/stream.hpp"

using namespace paceline::cuda::emulation;

namespace {

constexpr std::size_t kWorkspace = 32768;     // bytes, of the first algorithm
constexpr std::uint64_t kAlgorithm = 0xa190;  // marks an initialised algorithm

/// A matrix, column by column.
struct Layout {
  cudaDataType type = CUDA_R_32F;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading = 0;

  bool legal() const { return rows > 0 && columns > 0 && leading >= rows; }
};

struct Product {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
  std::int32_t transpose_a = CUBLAS_OP_N;
  std::int32_t transpose_b = CUBLAS_OP_N;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
};

struct Preference {
  std::size_t workspace = 0;
};

/// Sets an attribute. Fails if the size is not that of the member.
template <class T>
cublasStatus_t assign(T& member, const void* value, std::size_t bytes) {
  if (value == nullptr || bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&member, value, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

const Layout& of(cublasLtMatrixLayout_t handle) {
  return *reinterpret_cast<const Layout*>(handle);
}

/// op(X) in fp32.
Eigen::MatrixXf read(const void* data, const Layout& layout, std::int32_t operation) {
  const std::vector<float> values = read_floats(
      data, *number_of(layout.type), 0, (layout.columns - 1) * layout.leading + layout.rows);
  const Eigen::Map<const Eigen::MatrixXf, 0, Eigen::OuterStride<>> matrix(
      values.data(), layout.rows, layout.columns, Eigen::OuterStride<>(layout.leading));
  if (operation == CUBLAS_OP_N) return matrix;
  return matrix.transpose();
}

bool known_epilogue(std::uint32_t epilogue) {
  switch (epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
      return true;
    default:
      return false;
  }
}

/// The description of a product.
struct Call {
  Product product;
  Layout a, b, c, d;

  bool adds_bias() const {
    return product.epilogue == CUBLASLT_EPILOGUE_BIAS ||
           product.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
  }
  bool has_relu() const {
    return product.epilogue == CUBLASLT_EPILOGUE_RELU ||
           product.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
  }

  cublasStatus_t legal() const {
    for (const Layout* layout : {&a, &b, &c, &d}) {
      if (!layout->legal()) return CUBLAS_STATUS_INVALID_VALUE;
      if (!number_of(layout->type)) return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    const bool ta = product.transpose_a != CUBLAS_OP_N;
    const bool tb = product.transpose_b != CUBLAS_OP_N;
    if ((ta ? a.columns : a.rows) != d.rows || (tb ? b.rows : b.columns) != d.columns ||
        (ta ? a.rows : a.columns) != (tb ? b.columns : b.rows) || c.rows != d.rows ||
        c.columns != d.columns) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (a.type != b.type || c.type != d.type || (d.type != a.type && d.type != CUDA_R_32F) ||
        product.scale != CUDA_R_32F || !known_epilogue(product.epilogue)) {
      return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return CUBLAS_STATUS_SUCCESS;
  }

  paceline::cuda::Cost cost(bool adds) const {
    const auto bytes = [](const Layout& layout) {
      return layout.rows * layout.columns *
             static_cast<std::int64_t>(bytes_of(*number_of(layout.type)));
    };
    const std::int64_t inner = product.transpose_a != CUBLAS_OP_N ? a.rows : a.columns;
    return {"product", bytes(a) + bytes(b) + (adds ? bytes(c) : 0) + (adds_bias() ? 4 * d.rows : 0),
            bytes(d), 2 * d.rows * d.columns * inner};
  }

  void run(float alpha, const void* a_data, const void* b_data, float beta, const void* c_data,
           void* d_data) const {
    const Eigen::MatrixXf left = read(a_data, a, product.transpose_a);
    const Eigen::MatrixXf right = read(b_data, b, product.transpose_b);
    const Eigen::MatrixXf products = left * right;
    const Reader bias(product.bias, *number_of(d.type));
    const Reader addend(c_data, *number_of(c.type));
    const Writer result(d_data, *number_of(d.type));
    for (std::int64_t j = 0; j < d.columns; ++j) {
      for (std::int64_t i = 0; i < d.rows; ++i) {
        float value = alpha * products(i, j);
        if (beta != 0.0F) value += beta * addend[j * c.leading + i];
        if (adds_bias()) value += bias[i];
        if (has_relu() && value < 0.0F) value = 0.0F;
        result.set(j * d.leading + i, value);
      }
    }
  }
};

Call call_of(cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
             cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d) {
  return {*reinterpret_cast<const Product*>(product), of(a), of(b), of(c), of(d)};
}

}  // namespace

extern "C" {

const char* cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}

const char* cublasLtGetStatusString(cublasStatus_t status) {
  return cublasLtGetStatusName(status);
}

std::size_t cublasLtGetVersion() {
  return CUBLAS_VERSION;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (callable(current_device()) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = reinterpret_cast<cublasLtHandle_t>(new int(current_device()));
  note_handle();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t leading) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{
      type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete reinterpret_cast<Layout*>(layout);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* product, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  auto* object = new Product;
  object->compute = compute;
  object->scale = scale;
  *product = reinterpret_cast<cublasLtMatmulDesc_t>(object);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  delete reinterpret_cast<Product*>(product);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t handle,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  Product& product = *reinterpret_cast<Product*>(handle);
  std::int32_t ignored = 0;
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return assign(product.transpose_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return assign(product.transpose_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return assign(product.epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return assign(product.bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
      return assign(ignored, value, bytes);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete reinterpret_cast<Preference*>(preference);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  if (attribute != CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) return CUBLAS_STATUS_SUCCESS;
  return assign(reinterpret_cast<Preference*>(preference)->workspace, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  *found = 0;
  if (requested <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  const cublasStatus_t status = call_of(product, a, b, c, d).legal();
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const std::size_t most = reinterpret_cast<Preference*>(preference)->workspace;
  for (const std::size_t workspace : {kWorkspace, std::size_t{0}}) {
    if (workspace > most || *found == requested) continue;
    results[*found] = {};
    results[*found].algo.data[0] = kAlgorithm;
    results[*found].algo.data[1] = workspace;
    results[*found].workspaceSize = workspace;
    results[*found].state = CUBLAS_STATUS_SUCCESS;
    ++*found;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t product,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algo,
                                       cublasLtMatmulHeuristicResult_t* result) {
  const cublasStatus_t status = call_of(product, a, b, c, d).legal();
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (algo->data[0] != kAlgorithm) return CUBLAS_STATUS_INVALID_VALUE;
  *result = {};
  result->algo = *algo;
  result->workspaceSize = algo->data[1];
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t product, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algo,
                              void* workspace, std::size_t bytes, cudaStream_t stream) {
  const Call call = call_of(product, a_layout, b_layout, c_layout, d_layout);
  if (const auto status = call.legal(); status != CUBLAS_STATUS_SUCCESS) return status;
  if (algo != nullptr) {
    if (algo->data[0] != kAlgorithm) return CUBLAS_STATUS_INVALID_VALUE;
    if (algo->data[1] > bytes || (algo->data[1] > 0 && workspace == nullptr)) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
  }
  if (call.adds_bias() && call.product.bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const std::size_t used = algo == nullptr ? 0 : algo->data[1];
  const auto run = [=, by = *static_cast<const float*>(alpha),
                    old = *static_cast<const float*>(beta)] {
    if (used > 0) std::memset(workspace, 0xff, used);  // destroys data that others keep there
    call.run(by, a, b, old, c, d);
  };
  const cudaError_t status =
      submit(stream, {Kind::library, run, {}, call.cost(*static_cast<const float*>(beta) != 0)});
  return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
