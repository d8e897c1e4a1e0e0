// SPDX-License-Identifier: MIT
// Argument checks of the emulated cuBLASLt and cuDNN. Their results are compared with references in
// the tests of exec/cuda/layers.
#include <array>
#include <optional>
#include <vector>

#include <cublasLt.h>

#include <cudnn.h>

#include "exec/cuda/layers/cudnn_descriptors.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/emulation/arrays.hpp"

namespace paceline::cuda::emulation {
namespace {

class CublasLtTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    stream_.emplace();
    data_.emplace(12, Number::fp32, &draws_);
    result_.emplace(8, Number::fp32, nullptr);
    check(cublasLtCreate(&handle_), "handle");
    check(cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "product");
    check(cublasLtMatrixLayoutCreate(&a_, CUDA_R_32F, 2, 3, 2), "a");
    check(cublasLtMatrixLayoutCreate(&b_, CUDA_R_32F, 3, 4, 3), "b");
    check(cublasLtMatrixLayoutCreate(&d_, CUDA_R_32F, 2, 4, 2), "d");
    check(cublasLtMatmulPreferenceCreate(&preference_), "preference");
  }
  void TearDown() override {
    cublasLtMatmulPreferenceDestroy(preference_);
    for (cublasLtMatrixLayout_t layout : {a_, b_, d_}) cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(product_);
    cublasLtDestroy(handle_);
  }
  /// The algorithms within a workspace of `bytes`.
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms(std::size_t bytes) {
    check(cublasLtMatmulPreferenceSetAttribute(
              preference_, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes),
          "workspace");
    std::vector<cublasLtMatmulHeuristicResult_t> results(4);
    int found = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle_, product_, a_, b_, d_, d_, preference_, 4,
                                         results.data(), &found),
          "algorithms");
    results.resize(static_cast<std::size_t>(found));
    return results;
  }
  cublasStatus_t multiply(cublasLtMatrixLayout_t b, const cublasLtMatmulAlgo_t& algorithm,
                          void* workspace, std::size_t bytes) {
    const float one = 1;
    const float zero = 0;
    return cublasLtMatmul(handle_, product_, &one, data_->data(), a_, data_->data(), b, &zero,
                          result_->data(), d_, result_->data(), d_, &algorithm, workspace, bytes,
                          stream_->get());
  }

  std::mt19937 draws_{7};
  std::optional<DeviceStream> stream_;
  std::optional<Array> data_, result_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, d_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
};

TEST_F(CublasLtTest, ProposesAlgorithmsWithinTheWorkspace) {
  EXPECT_EQ(algorithms(0).size(), 1U);
  const auto results = algorithms(1U << 20U);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_GT(results[0].workspaceSize, 0U);
  EXPECT_EQ(results[1].workspaceSize, 0U);
}

TEST_F(CublasLtTest, ChecksAndOverwritesTheWorkspace) {
  const auto first = algorithms(1U << 20U).front();
  const Array workspace(first.workspaceSize / sizeof(float), Number::fp32, &draws_);
  EXPECT_EQ(multiply(b_, first.algo, workspace.data(), first.workspaceSize - 1),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(b_, first.algo, nullptr, first.workspaceSize), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(b_, first.algo, workspace.data(), first.workspaceSize), CUBLAS_STATUS_SUCCESS);
  check(cudaStreamSynchronize(stream_->get()), "multiplying");
  EXPECT_TRUE(std::isnan(workspace.read().front()));
  EXPECT_FALSE(std::isnan(result_->read().back()));
}

TEST_F(CublasLtTest, RefusesWhatDoesNotFit) {
  const auto plain = algorithms(0).front();
  EXPECT_EQ(multiply(d_, plain.algo, nullptr, 0), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(b_, cublasLtMatmulAlgo_t{}, nullptr, 0), CUBLAS_STATUS_INVALID_VALUE);
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  check(cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, 4),
        "epilogue");
  EXPECT_EQ(multiply(b_, plain.algo, nullptr, 0), CUBLAS_STATUS_INVALID_VALUE) << "no bias";
  epilogue = CUBLASLT_EPILOGUE_GELU;
  check(cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, 4),
        "epilogue");
  EXPECT_EQ(multiply(b_, plain.algo, nullptr, 0), CUBLAS_STATUS_NOT_SUPPORTED);
}

class CudnnTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    stream_.emplace();
    check(cudnnCreate(&handle_), "handle");
    check(cudnnSetStream(handle_, stream_->get()), "stream");
  }
  void TearDown() override { cudnnDestroy(handle_); }

  std::optional<DeviceStream> stream_;
  cudnnHandle_t handle_ = nullptr;
};

TEST_F(CudnnTest, ChecksConvolutions) {
  const TensorDescriptor x, y, wrong;
  const FilterDescriptor w;
  const ConvolutionDescriptor convolution;
  const auto describe = [](const TensorDescriptor& tensor, int channels, int height) {
    check(cudnnSetTensor4dDescriptor(tensor.get(), CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, channels,
                                     height, 4),
          "tensor");
  };
  describe(x, 2, 4);
  describe(y, 3, 4);
  describe(wrong, 3, 5);
  check(cudnnSetFilter4dDescriptor(w.get(), CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 2, 3, 3), "w");
  check(cudnnSetConvolution2dDescriptor(convolution.get(), 1, 1, 1, 1, 1, 1,
                                        CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
        "convolution");
  std::array<cudnnConvolutionFwdAlgoPerf_t, 4> results{};
  int found = 0;
  EXPECT_EQ(cudnnGetConvolutionForwardAlgorithm_v7(handle_, x.get(), w.get(), convolution.get(),
                                                   wrong.get(), 4, &found, results.data()),
            CUDNN_STATUS_BAD_PARAM);
  check(cudnnGetConvolutionForwardAlgorithm_v7(handle_, x.get(), w.get(), convolution.get(),
                                               y.get(), 4, &found, results.data()),
        "algorithms");
  ASSERT_EQ(found, 3);
  EXPECT_EQ(results[2].status, CUDNN_STATUS_NOT_SUPPORTED);
  std::size_t bytes = 0;
  check(cudnnGetConvolutionForwardWorkspaceSize(handle_, x.get(), w.get(), convolution.get(),
                                                y.get(), results[0].algo, &bytes),
        "workspace");
  ASSERT_EQ(bytes, results[0].memory);

  std::mt19937 draws(5);
  const Array in(32, Number::fp32, &draws);
  const Array weights(54, Number::fp32, &draws);
  const Array out(48, Number::fp32, nullptr);
  const Array workspace(bytes / sizeof(float), Number::fp32, &draws);
  const auto run = [&](const TensorDescriptor& to, std::size_t given, const auto& result) {
    const float one = 1;
    const float zero = 0;
    return cudnnConvolutionForward(handle_, &one, x.get(), in.data(), w.get(), weights.data(),
                                   convolution.get(), result.algo, workspace.data(), given, &zero,
                                   to.get(), out.data());
  };
  EXPECT_EQ(run(y, bytes - 1, results[0]), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(wrong, bytes, results[0]), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(run(y, bytes, results[2]), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(run(y, bytes, results[0]), CUDNN_STATUS_SUCCESS);
  check(cudaStreamSynchronize(stream_->get()), "convolving");
  EXPECT_TRUE(std::isnan(workspace.read().front()));
  EXPECT_FALSE(std::isnan(out.read().back()));
}

class EmulatedLstmTest : public CudnnTest {
 protected:
  static constexpr int kSteps = 2;
  static constexpr int kBatch = 3;
  static constexpr int kInputs = 4;
  static constexpr int kUnits = 5;

  static cudnnStatus_t set(const RecurrentDescriptor& lstm, cudnnRNNMode_t mode, int projected) {
    return cudnnSetRNNDescriptor_v8(
        lstm.get(), CUDNN_RNN_ALGO_STANDARD, mode, CUDNN_RNN_SINGLE_INP_BIAS, CUDNN_UNIDIRECTIONAL,
        CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, kInputs, kUnits,
        projected, 1, nullptr, CUDNN_RNN_PADDED_IO_ENABLED);
  }
  static cudnnStatus_t describe(const SequenceDescriptor& sequences, int width, int last) {
    const std::array<int, kBatch> lengths{kSteps, kSteps, last};
    return cudnnSetRNNDataDescriptor(sequences.get(), CUDNN_DATA_FLOAT,
                                     CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, kSteps, kBatch,
                                     width, lengths.data(), nullptr);
  }
};

TEST_F(EmulatedLstmTest, ChecksDescriptors) {
  const RecurrentDescriptor lstm;
  const SequenceDescriptor sequences;
  EXPECT_EQ(set(lstm, CUDNN_GRU, kUnits), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(set(lstm, CUDNN_LSTM, 3), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(describe(sequences, kInputs, 1), CUDNN_STATUS_NOT_SUPPORTED);
}

TEST_F(EmulatedLstmTest, ChecksArguments) {
  const RecurrentDescriptor lstm;
  const SequenceDescriptor xs, ys;
  ASSERT_EQ(set(lstm, CUDNN_LSTM, kUnits), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(describe(xs, kInputs, kSteps), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(describe(ys, kUnits, kSteps), CUDNN_STATUS_SUCCESS);
  const TensorDescriptor state, matrix_shape, bias_shape;
  const std::array<int, 3> sizes{1, kBatch, kUnits};
  const std::array<int, 3> strides{kBatch * kUnits, kUnits, 1};
  check(cudnnSetTensorNdDescriptor(state.get(), CUDNN_DATA_FLOAT, 3, sizes.data(), strides.data()),
        "state");
  std::size_t weight_bytes = 0;
  std::size_t work_bytes = 0;
  std::size_t reserve_bytes = 0;
  check(cudnnGetRNNWeightSpaceSize(handle_, lstm.get(), &weight_bytes), "weights");
  check(cudnnGetRNNTempSpaceSizes(handle_, lstm.get(), CUDNN_FWD_MODE_TRAINING, xs.get(),
                                  &work_bytes, &reserve_bytes),
        "spaces");
  std::mt19937 draws(5);
  const Array x(kSteps * kBatch * kInputs, Number::fp32, &draws);
  const Array y(kSteps * kBatch * kUnits, Number::fp32, nullptr);
  const Array weights(weight_bytes / sizeof(float), Number::fp32, &draws);
  const DeviceMemory work(work_bytes);
  const DeviceMemory reserve(reserve_bytes);
  const auto forward = [&](const SequenceDescriptor& in, const void* h, std::size_t given) {
    return cudnnRNNForward(handle_, lstm.get(), CUDNN_FWD_MODE_TRAINING, nullptr, in.get(),
                           x.data(), ys.get(), y.data(), state.get(), h, nullptr, state.get(),
                           nullptr, nullptr, weight_bytes, weights.data(), work_bytes, work.data(),
                           given, reserve.data());
  };
  EXPECT_EQ(forward(xs, nullptr, reserve_bytes - 1), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(forward(ys, nullptr, reserve_bytes), CUDNN_STATUS_BAD_PARAM) << "of another width";
  EXPECT_EQ(forward(xs, x.data(), reserve_bytes), CUDNN_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(forward(xs, nullptr, reserve_bytes), CUDNN_STATUS_SUCCESS);
  check(cudaStreamSynchronize(stream_->get()), "an LSTM");
  EXPECT_FALSE(std::isnan(y.read().back()));
  for (int gate = 0; gate < 8; ++gate) {
    void* matrix = nullptr;
    void* bias = nullptr;
    check(cudnnGetRNNWeightParams(handle_, lstm.get(), 0, weight_bytes, weights.data(), gate,
                                  matrix_shape.get(), &matrix, bias_shape.get(), &bias),
          "weights of a gate");
    EXPECT_NE(matrix, nullptr);
    EXPECT_EQ(bias == nullptr, gate >= 4) << "only biases of the input";
  }
}

}  // namespace
}  // namespace paceline::cuda::emulation
