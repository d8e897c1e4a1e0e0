// SPDX-License-Identifier: MIT
// Every operation must be bitwise equal to the host's, on slices with arbitrary begin and end.
#include "exec/cuda/kernels/flat.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/kernels/device_slice.hpp"
#include "training/learning/host_arrays.hpp"

namespace paceline::cuda {
namespace {

/// The offsets of the arrays of a call from a multiple of 256 bytes, in floats: equal modulo 16
/// bytes in the first rows (whole vectors), different in the others.
constexpr std::array<std::array<std::size_t, 3>, 5> kBegins{
    {{0, 0, 0}, {4, 8, 0}, {3, 7, 3}, {0, 1, 2}, {1, 1, 0}}};
constexpr std::array<std::size_t, 8> kCounts{0, 1, 2, 3, 4, 7, 64, 1029};

class FlatTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) stream_ = std::make_unique<DeviceStream>();
  }
  cudaStream_t stream() const { return stream_->get(); }
  void wait() const { check(cudaStreamSynchronize(stream()), "computing"); }
  template <class Run>
  static void on_all_slices(const Run& run) {
    for (const auto& begins : kBegins) {
      for (const std::size_t count : kCounts) {
        SCOPED_TRACE(testing::Message() << "begins " << begins[0] << ' ' << begins[1] << ' '
                                        << begins[2] << ", count " << count);
        run(begins, count);
      }
    }
  }
  std::mt19937& random() { return random_; }

 private:
  std::unique_ptr<DeviceStream> stream_;
  std::mt19937 random_{std::random_device{}()};
};

TEST_F(FlatTest, FillsAndAssigns) {
  on_all_slices([&](const auto& begins, std::size_t count) {
    DeviceSlice filled(std::vector<float>(count, kNan), begins[0]);
    fill(filled.get(), 2.5F, stream());
    const std::vector<float> from = random_floats(count, random());
    const DeviceSlice source(from, begins[1]);
    DeviceSlice assigned(std::vector<float>(count, kNan), begins[2]);
    assign(assigned.get(), source.get(), 0.3F, stream());
    wait();
    EXPECT_EQ(filled.read(), std::vector<float>(count, 2.5F));
    std::vector<float> expected(count);
    HostArrayWork().assign(expected, from, 0.3F);
    EXPECT_EQ(assigned.read(), expected);
  });
}

TEST_F(FlatTest, AccumulatesAsTheHostDoes) {
  on_all_slices([&](const auto& begins, std::size_t count) {
    const std::vector<float> from = random_floats(count, random());
    std::vector<float> expected = random_floats(count, random());
    const DeviceSlice source(from, begins[0]);
    DeviceSlice sum(expected, begins[1]);
    DeviceSlice fresh(std::vector<float>(count, kNan), begins[2]);
    accumulate(sum.get(), source.get(), {0.7F, nullptr}, false, stream());
    accumulate(fresh.get(), source.get(), {0.7F, nullptr}, true, stream());
    wait();
    paceline::accumulate(expected, from, 0.7F);
    EXPECT_EQ(sum.read(), expected);
    std::fill(expected.begin(), expected.end(), 0.0F);
    paceline::accumulate(expected, from, 0.7F);
    EXPECT_EQ(fresh.read(), expected);
  });
}

// Three updates of each optimizer, out of place.
TEST_F(FlatTest, UpdatesAsTheHostDoes) {
  for (const auto& row : family<Optimizer>().rows) {
    SCOPED_TRACE(row.name);
    const Choice<Optimizer> rule(row.name);
    if (rule->reads_again() > 0) continue;
    on_all_slices([&](const auto& begins, std::size_t count) {
      std::vector<float> weights = random_floats(count, random());
      OptimizerState state = rule->start(count);
      DeviceSlice from(weights, begins[0]), to(std::vector<float>(count, kNan), begins[1]);
      DeviceSlice mean(state.mean, begins[2]), squares(state.squares, begins[0]);
      for (int update_number = 1; update_number <= 3; ++update_number) {
        const std::vector<float> g = random_floats(count, random());
        const DeviceSlice gradient(g, begins[2]);
        const UpdateArrays arrays{from.get(), to.get(),      gradient.get(),
                                  mean.get(), squares.get(), {}};
        std::visit(
            [&](const auto& step) {
              if constexpr (!LayerwiseStep<std::decay_t<decltype(step)>>) {
                update(step, arrays, {0.25F, nullptr}, stream());
              }
            },
            rule->step(0.1, update_number));
        wait();
        std::vector<float> expected(count);
        rule->update(weights, expected, g, 0.25F, 0.1, state);
        EXPECT_EQ(to.read(), expected);
        EXPECT_EQ(mean.read(), state.mean);
        EXPECT_EQ(squares.read(), state.squares);
        EXPECT_EQ(from.read(), weights);
      }
    });
  }
}

TEST_F(FlatTest, UpdatesInPlace) {
  const std::vector<float> g = random_floats(77, random());
  std::vector<float> weights = random_floats(77, random());
  const Choice<Optimizer> rule("adam");
  OptimizerState state = rule->start(77);
  DeviceSlice own(weights, 2), gradient(g, 2), mean(state.mean, 2), squares(state.squares, 2);
  std::visit(
      [&](const auto& step) {
        if constexpr (!LayerwiseStep<std::decay_t<decltype(step)>>) {
          update(step, {own.get(), own.get(), gradient.get(), mean.get(), squares.get(), {}}, {},
                 stream());
        }
      },
      rule->step(0.01, 1));
  wait();
  rule->update(weights, weights, g, 1, 0.01, state);
  EXPECT_EQ(own.read(), weights);
}

TEST_F(FlatTest, AFactorMayComeLater) {
  const PinnedMemory factor(sizeof(float));
  const std::vector<float> from = random_floats(300, random());
  const DeviceSlice source(from, 1);
  DeviceSlice sum(std::vector<float>(300, kNan), 1);
  const auto set = [](void* at) { *static_cast<float*>(at) = -0.5F; };
  check(cudaLaunchHostFunc(stream(), set, factor.data()), "queueing a call");
  accumulate(sum.get(), source.get(), {1, factor.as<float>()}, true, stream());
  wait();
  std::vector<float> expected(300, 0);
  paceline::accumulate(expected, from, -0.5F);
  EXPECT_EQ(sum.read(), expected);
}

// More elements than threads: 1,024 blocks of 256 for the norms, 2,048 for the others.
TEST_F(FlatTest, LoopsOverWhatIsMoreThanItsThreads) {
  constexpr std::size_t kCount = std::size_t{2048} * 256 + 1031;
  std::vector<float> expected = random_floats(kCount, random());
  const std::vector<float> from = expected;
  const DeviceSlice source(from, 0);
  DeviceSlice sum(expected, 1);  // another alignment, so one by one
  accumulate(sum.get(), source.get(), {2, nullptr}, false, stream());
  const DeviceMemory partials(kSquarePartials * sizeof(double));
  const PinnedMemory square(sizeof(double));
  square_of_norm(source.get(), partials.as<double>(), square.as<double>(), stream());
  wait();
  paceline::accumulate(expected, from, 2);
  EXPECT_EQ(sum.read(), expected);
  const double norm = squared_norm(from);
  EXPECT_NEAR(*square.as<double>(), norm, 1e-12 * norm);
}

TEST_F(FlatTest, SquaresOfNormsAndDistances) {
  const DeviceMemory partials(kSquarePartials * sizeof(double));
  const PinnedMemory squares(2 * sizeof(double));
  auto* found = squares.as<double>();
  on_all_slices([&](const auto& begins, std::size_t count) {
    const std::vector<float> a = random_floats(count, random());
    const std::vector<float> b = random_floats(count, random());
    const DeviceSlice first(a, begins[0]), second(b, begins[1]);
    for (int again = 0; again < 2; ++again) {
      found[0] = found[1] = std::numeric_limits<double>::quiet_NaN();
      square_of_norm(first.get(), partials.as<double>(), &found[0], stream());
      square_of_distance(first.get(), second.get(), partials.as<double>(), &found[1], stream());
      wait();
      EXPECT_NEAR(found[0], squared_norm(a), 1e-14 * squared_norm(a));
      EXPECT_NEAR(found[1], squared_distance(a, b), 1e-14 * squared_distance(a, b));
    }
  });
}

TEST_F(FlatTest, ASquareIsTheSameToTheBitWhenItIsFoundAgain) {
  const DeviceMemory partials(kSquarePartials * sizeof(double));
  const PinnedMemory squares(2 * sizeof(double));
  const std::vector<float> a = random_floats(5000, random());
  const DeviceSlice aligned(a, 0), unaligned(a, 3);
  square_of_norm(aligned.get(), partials.as<double>(), squares.as<double>(), stream());
  square_of_norm(unaligned.get(), partials.as<double>(), squares.as<double>() + 1, stream());
  wait();
  EXPECT_EQ(squares.as<double>()[0], squares.as<double>()[1]);
}

}  // namespace
}  // namespace paceline::cuda
