// SPDX-License-Identifier: MIT
// The emulated products against plain loops in fp64, over orders, transposes, numbers and
// epilogues.
#include <cublasLt.h>

#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/emulation/arrays.hpp"

namespace paceline::cuda::emulation {
namespace {

struct Case {
  Number number;
  bool row_major;
  bool transpose_a, transpose_b;
  cublasLtEpilogue_t epilogue;
  float beta;
};

class CublasLtTest : public DeviceTest {
 protected:
  static constexpr int kM = 7;
  static constexpr int kN = 5;
  static constexpr int kK = 11;
  static constexpr int kSpare = 2;  // of a leading dimension

  struct Layout {
    cublasLtMatrixLayout_t handle = nullptr;
    int rows, columns, leading;
    bool row_major;
    Layout(Number number, int row_count, int column_count, bool by_rows)
        : rows(row_count),
          columns(column_count),
          leading((by_rows ? column_count : row_count) + kSpare),
          row_major(by_rows) {
      const cudaDataType type = number == Number::fp32   ? CUDA_R_32F
                                : number == Number::fp16 ? CUDA_R_16F
                                                         : CUDA_R_16BF;
      check(cublasLtMatrixLayoutCreate(&handle, type, static_cast<std::uint64_t>(rows),
                                       static_cast<std::uint64_t>(columns), leading),
            "layout");
      const std::int32_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
      check(cublasLtMatrixLayoutSetAttribute(handle, CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                             sizeof order),
            "order");
    }
    ~Layout() { cublasLtMatrixLayoutDestroy(handle); }
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;
    std::size_t numbers() const {
      return static_cast<std::size_t>(leading * (row_major ? rows : columns));
    }
    int at(int row, int column) const {
      return row_major ? row * leading + column : column * leading + row;
    }
  };

  void expect_product(const Case& tested) {
    std::mt19937 draws(7);
    const Layout la(tested.number, tested.transpose_a ? kK : kM, tested.transpose_a ? kM : kK,
                    tested.row_major);
    const Layout lb(tested.number, tested.transpose_b ? kN : kK, tested.transpose_b ? kK : kN,
                    tested.row_major);
    const Layout ld(tested.number, kM, kN, tested.row_major);
    const Array a(la.numbers(), tested.number, &draws);
    const Array b(lb.numbers(), tested.number, &draws);
    const Array old(ld.numbers(), tested.number, &draws);
    const Array d(ld.numbers(), tested.number, nullptr);
    const bool is_bias_gradient =
        tested.epilogue == CUBLASLT_EPILOGUE_BGRADA || tested.epilogue == CUBLASLT_EPILOGUE_BGRADB;
    const Array bias(tested.epilogue == CUBLASLT_EPILOGUE_BGRADB ? kN : kM, tested.number,
                     is_bias_gradient ? nullptr : &draws);

    cublasLtHandle_t handle = nullptr;
    check(cublasLtCreate(&handle), "handle");
    cublasLtMatmulDesc_t product = nullptr;
    check(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F), "product");
    const std::int32_t op_a = tested.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    const std::int32_t op_b = tested.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const auto epilogue = static_cast<std::uint32_t>(tested.epilogue);
    void* bias_data = bias.data();
    check(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, 4), "a");
    check(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, 4), "b");
    check(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, 4),
          "epilogue");
    check(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias_data,
                                         sizeof bias_data),
          "bias");
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "preference");
    const std::size_t most = 1U << 20U;
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &most, sizeof most),
          "workspace");
    cublasLtMatmulHeuristicResult_t results[4];
    int found = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle, product, la.handle, lb.handle, ld.handle,
                                         ld.handle, preference, 4, results, &found),
          "heuristic");
    ASSERT_EQ(found, 2);
    ASSERT_GT(results[0].workspaceSize, 0U);
    ASSERT_EQ(results[1].workspaceSize, 0U);

    const DeviceStream stream;
    const DeviceMemory workspace(results[0].workspaceSize);
    const float alpha = 0.5F;
    const auto run = [&](std::size_t bytes) {
      return cublasLtMatmul(handle, product, &alpha, a.data(), la.handle, b.data(), lb.handle,
                            &tested.beta, old.data(), ld.handle, d.data(), ld.handle,
                            &results[0].algo, workspace.data(), bytes, stream.get());
    };
    EXPECT_EQ(run(results[0].workspaceSize - 1), CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_EQ(run(workspace.bytes()), CUBLAS_STATUS_SUCCESS);
    check(cudaStreamSynchronize(stream.get()), "multiplying");

    const auto from_a = [&](int i, int k) {
      return a[tested.transpose_a ? la.at(k, i) : la.at(i, k)];
    };
    const auto from_b = [&](int k, int j) {
      return b[tested.transpose_b ? lb.at(j, k) : lb.at(k, j)];
    };
    const auto read = d.read();
    std::vector<double> expected;
    std::vector<double> multiplied;
    for (int i = 0; i < kM; ++i) {
      for (int j = 0; j < kN; ++j) {
        double sum = 0.0;
        for (int k = 0; k < kK; ++k) sum += from_a(i, k) * from_b(k, j);
        sum = alpha * sum + (tested.beta == 0.0F ? 0.0 : tested.beta * old[ld.at(i, j)]);
        if ((tested.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) sum += bias[i];
        if ((tested.epilogue & CUBLASLT_EPILOGUE_RELU) != 0) sum = std::max(sum, 0.0);
        expected.push_back(sum);
        multiplied.push_back(read[static_cast<std::size_t>(ld.at(i, j))]);
      }
    }
    EXPECT_LT(distance(multiplied, expected), tolerance(tested.number));
    EXPECT_TRUE(std::isnan(read.back()));  // what lies between the rows stays
    if (is_bias_gradient) {
      std::vector<double> sums;
      for (int i = 0; i < (tested.epilogue == CUBLASLT_EPILOGUE_BGRADA ? kM : kN); ++i) {
        sums.push_back(0.0);
        for (int k = 0; k < kK; ++k) {
          sums.back() += tested.epilogue == CUBLASLT_EPILOGUE_BGRADA ? from_a(i, k) : from_b(k, i);
        }
      }
      EXPECT_LT(distance(bias.read(), sums), tolerance(tested.number));
    }
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(product);
    cublasLtDestroy(handle);
  }
};

TEST_F(CublasLtTest, MultipliesInEveryOrder) {
  for (const Number number : {Number::fp32, Number::fp16, Number::bf16}) {
    for (int bits = 0; bits < 16; ++bits) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(number) << " " << bits);
      expect_product({number, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0,
                      CUBLASLT_EPILOGUE_DEFAULT, (bits & 8) != 0 ? 2.0F : 0.0F});
    }
  }
}

TEST_F(CublasLtTest, EpiloguesFollowTheProduct) {
  for (const auto epilogue :
       {CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
        CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB}) {
    SCOPED_TRACE(epilogue);
    expect_product({Number::fp32, false, true, false, epilogue, 0.0F});
    expect_product({Number::bf16, true, false, true, epilogue, 0.0F});
  }
}

}  // namespace
}  // namespace paceline::cuda::emulation
