// SPDX-License-Identifier: MIT
/// \file
/// A product of two matrices by cuBLAS, by the algorithm that is the fastest at its shape: found in
/// the cache, or by trying what cuBLAS proposes.
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

/// d = op(a) op(b), column after column: d is [rows x columns], op(a) [rows x inner] and op(b)
/// [inner x columns], packed; op transposes or not.
struct ProductProblem {
  Precision precision = Precision::fp32;
  std::int64_t rows = 0, columns = 0, inner = 0;
  bool transposes_a = false, transposes_b = false;
  bool adds = false;  ///< to d, instead of overwriting it
  bool bias = false;  ///< adds a bias to each row, fp32 d only
  bool relu = false;  ///< of the sum, fp32 d only
};

struct ProductOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* d = nullptr;
  const float* bias = nullptr;  ///< a multiple of 16 bytes
};

class MatrixProduct {
 public:
  /// Where the cache knows nothing, tries the algorithms on memory of its own and waits for the
  /// device. `tools` must outlive this, and the operands stay where they are. Throws Error naming
  /// the layer.
  MatrixProduct(const Toolbox& tools, const ProductProblem& problem,
                const ProductOperands& operands, std::string layer);

  std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// Runs once, and where that fails, chooses again within the same workspace. Waits for the
  /// device. Throws Error naming the layer.
  void prepare(void* workspace);
  /// Queues the product. Throws Error.
  void run(void* workspace) const;
  /// The algorithm, as the cache has it.
  const std::string& text() const { return text_; }

 private:
  /// A description that cuBLAS made.
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
