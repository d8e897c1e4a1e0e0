// SPDX-License-Identifier: MIT
/// \file
/// A matrix product by cuBLAS with the fastest algorithm for its shape, taken from the cache or
/// found by timing cuBLAS's proposals.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <cublasLt.h>

#include "exec/cuda/layers/tensor.hpp"
#include "exec/cuda/layers/toolbox.hpp"

namespace paceline::cuda {

/// d = op(a) op(b), column-major: d is [rows x columns], op(a) [rows x inner] and op(b) [inner x
/// columns], packed; op transposes or not.
struct ProductProblem {
  Precision precision = Precision::fp32;
  std::int64_t rows = 0, columns = 0, inner = 0;
  bool transposes_a = false, transposes_b = false;
  bool adds = false;  ///< adds to d instead of overwriting it
  bool bias = false;  ///< adds a bias to each row; fp32 d only
  bool relu = false;  ///< ReLU of the sum; fp32 d only
};

struct ProductOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* d = nullptr;
  const float* bias = nullptr;  ///< aligned to 16 bytes
};

class MatrixProduct {
 public:
  /// If the cache has no entry, times the algorithms in its own memory and synchronises with the
  /// device. `tools` must outlive this; the operands' addresses must stay valid. Throws Error with
  /// the layer's name.
  MatrixProduct(const Toolbox& tools, const ProductProblem& problem,
                const ProductOperands& operands, std::string layer);

  std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// Runs the product once and, if that fails, chooses again within the same workspace.
  /// Synchronises with the device. Throws Error with the layer's name.
  void prepare(void* workspace);
  /// Queues the product. Throws Error.
  void run(void* workspace) const;
  /// The algorithm, as stored in the cache.
  const std::string& text() const { return text_; }

 private:
  /// A description object of cuBLASLt.
  template <class Handle, cublasStatus_t (*destroy)(Handle)>
  struct Destroy {
    void operator()(Handle handle) const { destroy(handle); }
  };
  template <class Handle, cublasStatus_t (*destroy)(Handle)>
  using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle, destroy>>;
  using Operation = Owner<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
  using Matrix = Owner<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;

  static Operation describe(const ProductProblem& problem, const ProductOperands& operands,
                            std::int32_t multiprocessors);
  Matrix matrix(std::int64_t rows, std::int64_t columns, bool transposed) const;
  std::string key() const;
  bool recall(const std::string& text);
  void choose(std::size_t limit);
  std::vector<cublasLtMatmulHeuristicResult_t> proposals(std::size_t limit) const;
  void run(const ProductOperands& operands, const cublasLtMatmulAlgo_t& algorithm, void* workspace,
           std::size_t workspace_bytes) const;

  const Toolbox& tools_;
  const ProductProblem problem_;
  const ProductOperands operands_;
  const std::string layer_;
  const Operation operation_;
  const Matrix a_, b_, d_;
  cublasLtMatmulAlgo_t algorithm_{};
  std::size_t workspace_bytes_ = 0;
  std::string text_;
};

}  // namespace paceline::cuda
