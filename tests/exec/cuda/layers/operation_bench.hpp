// SPDX-License-Identifier: MIT
/// \file
/// Runs one operation with its tensors on the device. Inputs come from doubles on the host, outputs
/// are set to NaN before, and results are doubles in the order [item][channel][y][x].
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include "exec/cuda/layers/operations.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"

namespace paceline::cuda {

using Numbers = std::vector<double>;

/// An element and a layout that every operation must support.
struct Format {
  Element element;
  Layout layout;
  std::string name() const {
    constexpr const char* kElements[] = {"fp32", "fp16", "bf16"};
    return std::string(kElements[static_cast<int>(element)]) +
           (layout == Layout::nhwc ? " nhwc" : " nchw");
  }
  /// Bound of the relative L2 error: a few roundings.
  double tolerance() const {
    if (element == Element::fp32) return 3e-6;
    return element == Element::fp16 ? 6e-4 : 5e-3;
  }
};
inline constexpr Format kFormats[] = {{Element::fp32, Layout::nchw}, {Element::fp32, Layout::nhwc},
                                      {Element::fp16, Layout::nchw}, {Element::fp16, Layout::nhwc},
                                      {Element::bf16, Layout::nchw}, {Element::bf16, Layout::nhwc}};

/// Rounds to the element's format.
inline double rounded(double x, Element element) {
  const auto f = static_cast<float>(x);
  if (element == Element::fp16) return static_cast<double>(__half2float(__float2half_rn(f)));
  if (element == Element::bf16) {
    return static_cast<double>(__bfloat162float(__float2bfloat16_rn(f)));
  }
  return static_cast<double>(f);
}
inline Numbers rounded(Numbers numbers, Element element) {
  for (double& x : numbers) x = rounded(x, element);
  return numbers;
}

/// Random numbers for a seed, rounded to the element's format.
inline Numbers draw(std::int64_t count, unsigned seed, Element element, double mean = 0,
                    double deviation = 1) {
  std::mt19937 bits(seed);
  std::normal_distribution<double> normal(mean, deviation);
  Numbers numbers(static_cast<std::size_t>(count));
  for (double& x : numbers) x = rounded(normal(bits), element);
  return numbers;
}

/// Expects ||got - expected|| / ||expected|| <= tolerance, and no NaN.
inline void expect_close(const Numbers& got, const Numbers& expected, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  double distance = 0, length = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_FALSE(std::isnan(got[i])) << what << ": number " << i << " of " << got.size();
    distance += (got[i] - expected[i]) * (got[i] - expected[i]);
    length += expected[i] * expected[i];
  }
  EXPECT_LE(std::sqrt(distance), tolerance * std::sqrt(length) + 1e-30) << what;
}

/// Index of [item][channel][y][x] in a tensor.
inline std::size_t place(const Tensor& t, int item, int c, int y, int x) {
  const Shape s = t.shape;
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  if (t.layout == Layout::nhwc) {
    return at(((std::int64_t{item} * s.height + y) * s.width + x) * s.channels + c);
  }
  return at(((std::int64_t{item} * s.channels + c) * s.height + y) * s.width + x);
}

/// A tensor on the device; NaN until written.
class DeviceTensor {
 public:
  DeviceTensor(Format format, int batch, Shape shape)
      : tensor_{nullptr, format.element, format.layout, batch, shape},
        memory_(static_cast<std::size_t>(tensor_.bytes())) {
    tensor_.data = memory_.data();
    poison();
  }
  const Tensor& tensor() const { return tensor_; }
  std::int64_t elements() const { return tensor_.elements(); }

  void poison() { write(Numbers(static_cast<std::size_t>(elements()), std::nan(""))); }
  void write(const Numbers& numbers) {
    std::vector<unsigned char> bytes(memory_.bytes());
    each([&](std::size_t index, std::size_t at) { put(bytes, at, numbers[index]); });
    copy_now(memory_.data(), bytes.data(), bytes.size(), "writing");
  }
  Numbers read() const {
    std::vector<unsigned char> bytes(memory_.bytes());
    copy_now(bytes.data(), memory_.data(), bytes.size(), "reading");
    Numbers numbers(static_cast<std::size_t>(elements()));
    each([&](std::size_t index, std::size_t at) { numbers[index] = get(bytes, at); });
    return numbers;
  }

 private:
  template <class Visit>
  void each(Visit visit) const {
    std::size_t index = 0;
    for (int n = 0; n < tensor_.batch; ++n) {
      for (int c = 0; c < tensor_.shape.channels; ++c) {
        for (int y = 0; y < tensor_.shape.height; ++y) {
          for (int x = 0; x < tensor_.shape.width; ++x) visit(index++, place(tensor_, n, c, y, x));
        }
      }
    }
  }
  template <class T>
  static T at(const std::vector<unsigned char>& bytes, std::size_t index) {
    T value;
    std::memcpy(static_cast<void*>(&value), bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  double get(const std::vector<unsigned char>& bytes, std::size_t index) const {
    if (tensor_.element == Element::fp32) return static_cast<double>(at<float>(bytes, index));
    return static_cast<double>(tensor_.element == Element::fp16
                                   ? __half2float(at<__half>(bytes, index))
                                   : __bfloat162float(at<__nv_bfloat16>(bytes, index)));
  }
  template <class T>
  static void set(std::vector<unsigned char>& bytes, std::size_t index, const T& value) {
    std::memcpy(bytes.data() + index * sizeof(T), static_cast<const void*>(&value), sizeof(T));
  }
  void put(std::vector<unsigned char>& bytes, std::size_t index, double value) const {
    const auto f = static_cast<float>(value);
    if (tensor_.element == Element::fp32) return set(bytes, index, f);
    if (tensor_.element == Element::fp16) return set(bytes, index, __float2half_rn(f));
    set(bytes, index, __float2bfloat16_rn(f));
  }

  Tensor tensor_;
  DeviceMemory memory_;
};

/// An array of numbers on the device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values)
      : count_(values.size()), memory_(values.size() * sizeof(T)) {
    copy_now(memory_.data(), values.data(), count_ * sizeof(T), "writing");
  }
  T* data() const { return memory_.as<T>(); }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    copy_now(values.data(), memory_.data(), count_ * sizeof(T), "reading");
    return values;
  }

 private:
  std::size_t count_;
  DeviceMemory memory_;
};
inline DeviceArray<float> floats_on_device(const Numbers& numbers) {
  return DeviceArray<float>(std::vector<float>(numbers.begin(), numbers.end()));
}
inline Numbers numbers_of(const std::vector<float>& values) {
  return Numbers(values.begin(), values.end());
}

/// One operation with its tensors. By default it computes the gradients of all inputs.
class OperationBench {
 public:
  OperationBench(Format format, int batch, const std::vector<Shape>& shapes, Layer layer)
      : layer_(std::move(layer)),
        output_(format, batch, layer_.out),
        gradient_(format, batch, layer_.out) {
    for (const Shape shape : shapes) {
      values_.emplace_back(format, batch, shape);
      input_gradients_.emplace_back(format, batch, shape);
      wiring.inputs.push_back({values_.back().tensor(), input_gradients_.back().tensor(), false});
    }
    wiring.layer = &layer_;
    wiring.output = output_.tensor();
    wiring.gradient = gradient_.tensor();
    wiring.parameters.element = format.element;
  }
  OperationBench(const OperationBench&) = delete;
  OperationBench& operator=(const OperationBench&) = delete;

  /// Draws the inputs, the output's gradient, and the old content of gradients that are added to.
  void draw_all(unsigned seed) {
    const Element element = output_.tensor().element;
    for (DeviceTensor& value : values_) {
      inputs.push_back(draw(value.elements(), seed++, element));
      value.write(inputs.back());
      earlier.push_back(draw(value.elements(), seed++, element));
    }
    output_gradient = draw(gradient_.elements(), seed++, element);
    gradient_.write(output_gradient);
  }
  void* input_data(std::size_t k) const { return values_.at(k).tensor().data; }
  void write_input(std::size_t k, const Numbers& numbers) {
    inputs.at(k) = numbers;
    values_.at(k).write(numbers);
  }

  void make(const std::function<std::unique_ptr<Operation>(const Wiring&)>& maker) {
    operation = maker(wiring);
    const std::size_t bytes = operation->scratch_bytes();
    if (bytes > 0) {
      scratch_ = DeviceMemory(bytes);
      constexpr int kPoison = 0xff;  // a NaN in every format
      check(cudaMemsetAsync(scratch_.data(), kPoison, bytes, stream_.get()), "poisoning");
    }
    operation->lend(scratch_.data(), bytes);
  }
  Numbers forward() {
    operation->forward(stream_.get());
    wait();
    return output_.read();
  }
  /// Fills `input_gradients`.
  void backward() {
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (wiring.inputs[k].adds) input_gradients_[k].write(earlier[k]);
    }
    operation->backward(stream_.get());
    wait();
    input_gradients.clear();
    for (const DeviceTensor& g : input_gradients_) input_gradients.push_back(g.read());
  }
  void wait() const { check(cudaStreamSynchronize(stream_.get()), "waiting"); }
  cudaStream_t stream() const { return stream_.get(); }

  /// `fresh`, plus the old content if the gradient is added to.
  Numbers expected_gradient(std::size_t k, Numbers fresh) const {
    if (wiring.inputs[k].adds) {
      for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i] += earlier[k][i];
    }
    return fresh;
  }

  Wiring wiring;
  std::unique_ptr<Operation> operation;
  std::vector<Numbers> inputs, earlier, input_gradients;
  Numbers output_gradient;

 private:
  Layer layer_;
  DeviceStream stream_;
  DeviceMemory scratch_;
  DeviceTensor output_, gradient_;
  std::vector<DeviceTensor> values_, input_gradients_;
};

/// Index of [item][channel][y][x] in Numbers.
inline std::size_t index_of(Shape s, int item, int c, int y, int x) {
  return static_cast<std::size_t>(((std::int64_t{item} * s.channels + c) * s.height + y) * s.width +
                                  x);
}

}  // namespace paceline::cuda
