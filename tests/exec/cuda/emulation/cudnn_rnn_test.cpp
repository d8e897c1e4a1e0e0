// SPDX-License-Identifier: MIT
// The emulated LSTM against its formulas in fp64, and its gradients against central differences of
// them.
#include <functional>

#include <cudnn.h>

#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/emulation/arrays.hpp"

namespace paceline::cuda::emulation {
namespace {

constexpr int kSteps = 3;
constexpr int kBatch = 2;
constexpr int kInputs = 3;
constexpr int kUnits = 4;
const int kLengths[kBatch] = {3, 2};

using Values = std::vector<double>;

/// What goes into an LSTM, flat; weights as the test reads them out of the library's space.
struct Given {
  Values x, hx, cx;
  std::array<Values, 8> matrices;  ///< [unit][input], [unit][unit]
  std::array<Values, 8> biases;    ///< empty: none
};

struct Result {
  Values y, hy, cy;
};

Result by_formula(const Given& given, bool batch_major) {
  const auto at = [&](int item, int step, int width) {
    return static_cast<std::size_t>((batch_major ? item * kSteps + step : step * kBatch + item) *
                                    width);
  };
  Result result{Values(kSteps * kBatch * kUnits, 0.0), given.hx, given.cx};
  for (int item = 0; item < kBatch; ++item) {
    double* h = &result.hy[static_cast<std::size_t>(item * kUnits)];
    double* c = &result.cy[static_cast<std::size_t>(item * kUnits)];
    for (int step = 0; step < kLengths[item]; ++step) {
      double gates[4][kUnits];
      for (std::size_t gate = 0; gate < 4; ++gate) {
        for (std::size_t u = 0; u < kUnits; ++u) {
          double sum = 0.0;
          for (const std::size_t bias : {gate, gate + 4}) {
            if (!given.biases[bias].empty()) sum += given.biases[bias][u];
          }
          for (std::size_t i = 0; i < kInputs; ++i) {
            sum += given.matrices[gate][u * kInputs + i] * given.x[at(item, step, kInputs) + i];
          }
          for (std::size_t v = 0; v < kUnits; ++v) {
            sum += given.matrices[gate + 4][u * kUnits + v] * h[v];
          }
          gates[gate][u] = gate == 2 ? std::tanh(sum) : 1.0 / (1.0 + std::exp(-sum));
        }
      }
      for (std::size_t u = 0; u < kUnits; ++u) {
        c[u] = gates[1][u] * c[u] + gates[0][u] * gates[2][u];
        h[u] = gates[3][u] * std::tanh(c[u]);
        result.y[at(item, step, kUnits) + u] = h[u];
      }
    }
  }
  return result;
}

class CudnnRnnTest : public DeviceTest {
 protected:
  void describe(Number number, bool batch_major, cudnnRNNBiasMode_t bias) {
    const cudnnDataType_t type = number == Number::fp32   ? CUDNN_DATA_FLOAT
                                 : number == Number::fp16 ? CUDNN_DATA_HALF
                                                          : CUDNN_DATA_BFLOAT16;
    check(cudnnCreate(&handle_), "handle");
    check(cudnnSetStream(handle_, stream_->get()), "stream");
    check(cudnnCreateRNNDescriptor(&rnn_), "rnn");
    check(cudnnCreateRNNDataDescriptor(&xs_), "x");
    check(cudnnCreateRNNDataDescriptor(&ys_), "y");
    check(cudnnCreateTensorDescriptor(&state_), "state");
    check(cudnnSetRNNDescriptor_v8(rnn_, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, bias,
                                   CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, type, CUDNN_DATA_FLOAT,
                                   CUDNN_FMA_MATH, kInputs, kUnits, kUnits, 1, nullptr,
                                   CUDNN_RNN_PADDED_IO_ENABLED),
          "rnn");
    const auto layout = batch_major ? CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED
                                    : CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
    check(cudnnSetRNNDataDescriptor(xs_, type, layout, kSteps, kBatch, kInputs, kLengths, nullptr),
          "x");
    check(cudnnSetRNNDataDescriptor(ys_, type, layout, kSteps, kBatch, kUnits, kLengths, nullptr),
          "y");
    const int sizes[] = {1, kBatch, kUnits};
    const int strides[] = {kBatch * kUnits, kUnits, 1};
    check(cudnnSetTensorNdDescriptor(state_, type, 3, sizes, strides), "state");
    check(cudnnGetRNNWeightSpaceSize(handle_, rnn_, &weight_bytes_), "weights");
    check(cudnnGetRNNTempSpaceSizes(handle_, rnn_, CUDNN_FWD_MODE_TRAINING, xs_, &work_bytes_,
                                    &reserve_bytes_),
          "spaces");
  }
  void SetUp() override {
    DeviceTest::SetUp();
    stream_ = std::make_unique<DeviceStream>();
  }
  void TearDown() override {
    cudnnDestroyTensorDescriptor(state_);
    cudnnDestroyRNNDataDescriptor(ys_);
    cudnnDestroyRNNDataDescriptor(xs_);
    cudnnDestroyRNNDescriptor(rnn_);
    cudnnDestroy(handle_);
  }

  /// Where the matrix and the bias of a gate lie in an array that is a weight space.
  std::pair<std::int64_t, std::int64_t> places(const Array& weights, int gate, Number number) {
    void* matrix = nullptr;
    void* bias = nullptr;
    check(cudnnGetRNNWeightParams(handle_, rnn_, 0, weight_bytes_, weights.data(), gate, nullptr,
                                  &matrix, nullptr, &bias),
          "params");
    const auto place = [&](void* address) {
      if (address == nullptr) return std::int64_t{-1};
      return (static_cast<std::byte*>(address) - static_cast<std::byte*>(weights.data())) /
             static_cast<std::int64_t>(bytes_of(number));
    };
    return {place(matrix), place(bias)};
  }

  void expect_lstm(Number number, bool batch_major, cudnnRNNBiasMode_t mode);

  std::unique_ptr<DeviceStream> stream_;
  cudnnHandle_t handle_ = nullptr;
  cudnnRNNDescriptor_t rnn_ = nullptr;
  cudnnRNNDataDescriptor_t xs_ = nullptr;
  cudnnRNNDataDescriptor_t ys_ = nullptr;
  cudnnTensorDescriptor_t state_ = nullptr;
  std::size_t weight_bytes_ = 0;
  std::size_t work_bytes_ = 0;
  std::size_t reserve_bytes_ = 0;
};

Values values_of(const Array& array, std::int64_t from, int count) {
  Values values;
  for (int i = 0; i < count; ++i) values.push_back(array[from + i]);
  return values;
}

void CudnnRnnTest::expect_lstm(Number number, bool batch_major, cudnnRNNBiasMode_t mode) {
  describe(number, batch_major, mode);
  std::mt19937 draws(3);
  constexpr std::size_t kStates = kBatch * kUnits;
  constexpr std::size_t kOutputs = kSteps * kStates;
  const std::size_t weight_count = weight_bytes_ / bytes_of(number);
  const Array x(kSteps * kBatch * kInputs, number, &draws);
  const Array hx(kStates, number, &draws);
  const Array cx(kStates, number, &draws);
  const Array weights(weight_count, number, &draws);
  const Array y(kOutputs, number, nullptr);
  const Array hy(kStates, number, nullptr);
  const Array cy(kStates, number, nullptr);
  const Array dy(kOutputs, number, &draws);
  const Array dhy(kStates, number, &draws);
  const Array dcy(kStates, number, &draws);
  const Array dx(kSteps * kBatch * kInputs, number, nullptr);
  const Array dhx(kStates, number, nullptr);
  const Array dcx(kStates, number, nullptr);
  const Array dw(weight_count, number, &draws);  // gradients are added to it
  const DeviceMemory work(work_bytes_);
  const DeviceMemory reserve(reserve_bytes_);

  Given given{values_of(x, 0, kSteps * kBatch * kInputs),
              values_of(hx, 0, kStates),
              values_of(cx, 0, kStates),
              {},
              {}};
  for (int gate = 0; gate < 8; ++gate) {
    const auto [matrix, bias] = places(weights, gate, number);
    const auto index = static_cast<std::size_t>(gate);
    given.matrices[index] = values_of(weights, matrix, kUnits * (gate < 4 ? kInputs : kUnits));
    if (bias >= 0) given.biases[index] = values_of(weights, bias, kUnits);
  }

  check(
      cudnnRNNForward(handle_, rnn_, CUDNN_FWD_MODE_TRAINING, nullptr, xs_, x.data(), ys_, y.data(),
                      state_, hx.data(), hy.data(), state_, cx.data(), cy.data(), weight_bytes_,
                      weights.data(), work_bytes_, work.data(), reserve_bytes_, reserve.data()),
      "forward");
  check(cudnnRNNBackwardData_v8(handle_, rnn_, nullptr, ys_, y.data(), dy.data(), xs_, dx.data(),
                                state_, hx.data(), dhy.data(), dhx.data(), state_, cx.data(),
                                dcy.data(), dcx.data(), weight_bytes_, weights.data(), work_bytes_,
                                work.data(), reserve_bytes_, reserve.data()),
        "backward");
  check(cudnnRNNBackwardWeights_v8(handle_, rnn_, CUDNN_WGRAD_MODE_ADD, nullptr, xs_, x.data(),
                                   state_, hx.data(), ys_, y.data(), weight_bytes_, dw.data(),
                                   work_bytes_, work.data(), reserve_bytes_, reserve.data()),
        "weights");
  check(cudaStreamSynchronize(stream_->get()), "an LSTM");

  const double loose = 10 * tolerance(number);  // states are rounded from step to step
  const Result expected = by_formula(given, batch_major);
  EXPECT_LT(distance(y.read(), expected.y), loose);
  EXPECT_LT(distance(hy.read(), expected.hy), loose);
  EXPECT_LT(distance(cy.read(), expected.cy), loose);

  const auto loss = [&] {
    const Result at = by_formula(given, batch_major);
    double sum = 0.0;
    for (std::size_t i = 0; i < kOutputs; ++i) sum += dy[static_cast<std::int64_t>(i)] * at.y[i];
    for (std::size_t i = 0; i < kStates; ++i) {
      const auto here = static_cast<std::int64_t>(i);
      sum += dhy[here] * at.hy[i] + dcy[here] * at.cy[i];
    }
    return sum;
  };
  const auto slopes = [&](Values& values) {
    Values found;
    for (double& value : values) {
      const double middle = value;
      value = middle + 1e-5;
      const double above = loss();
      value = middle - 1e-5;
      found.push_back((above - loss()) / 2e-5);
      value = middle;
    }
    return found;
  };
  EXPECT_LT(distance(dx.read(), slopes(given.x)), loose);
  EXPECT_LT(distance(dhx.read(), slopes(given.hx)), loose);
  EXPECT_LT(distance(dcx.read(), slopes(given.cx)), loose);
  const auto dw_read = dw.read();
  const auto expect_slopes = [&](std::int64_t from, Values& values) {
    Values expected_sums = slopes(values);
    Values found;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = from + static_cast<std::int64_t>(i);
      expected_sums[i] += dw[at];
      found.push_back(dw_read[static_cast<std::size_t>(at)]);
    }
    EXPECT_LT(distance(found, expected_sums), loose);
  };
  for (int gate = 0; gate < 8; ++gate) {
    const auto [matrix, bias] = places(weights, gate, number);
    expect_slopes(matrix, given.matrices[static_cast<std::size_t>(gate)]);
    if (bias >= 0) expect_slopes(bias, given.biases[static_cast<std::size_t>(gate)]);
  }
}

TEST_F(CudnnRnnTest, IsAnLstmByTheFormulas) {
  expect_lstm(Number::fp32, false, CUDNN_RNN_DOUBLE_BIAS);
}
TEST_F(CudnnRnnTest, TakesOneBiasAndTheBatchOutermost) {
  expect_lstm(Number::fp32, true, CUDNN_RNN_SINGLE_INP_BIAS);
}
TEST_F(CudnnRnnTest, TakesARecurrentBias) {
  expect_lstm(Number::fp32, true, CUDNN_RNN_SINGLE_REC_BIAS);
}
TEST_F(CudnnRnnTest, ComputesInHalf) {
  expect_lstm(Number::fp16, false, CUDNN_RNN_NO_BIAS);
}
TEST_F(CudnnRnnTest, ComputesInBfloat16) {
  expect_lstm(Number::bf16, true, CUDNN_RNN_SINGLE_INP_BIAS);
}

}  // namespace
}  // namespace paceline::cuda::emulation
