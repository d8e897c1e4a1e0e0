// SPDX-License-Identifier: MIT
// Add, concat and pad: copies and sums of memory. A pixel's channels lie side by side, so concat
// and pad copy runs of as many floats as a tensor has channels, one run a pixel.
#include <algorithm>

#include "training/learning/arithmetic/onednn/operations.hpp"

namespace paceline {
namespace {

void sum_into(float* into, const float* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) into[i] += from[i];
}

class Add final : public LayerOperation {
 public:
  explicit Add(const Wiring& wiring)
      : inputs_(wiring.inputs), value_(wiring.value), gradient_(wiring.gradient) {
    // If the output took over the array of an input, the sum starts with that input.
    for (InputTensors& input : inputs_) {
      if (floats(input.value) == floats(value_)) std::swap(input, inputs_.front());
    }
  }

  void forward(const float* /*weights*/) override {
    const std::size_t count = count_floats(value_);
    float* out = floats(value_);
    const float* first = floats(inputs_.front().value);
    if (out != first) std::copy_n(first, count, out);
    for (std::size_t k = 1; k < inputs_.size(); ++k) {
      sum_into(out, floats(inputs_[k].value), count);
    }
  }

  void backward(const float* /*weights*/, float* /*gradient*/) override {
    const std::size_t count = count_floats(gradient_);
    const float* out = floats(gradient_);
    for (const InputTensors& input : inputs_) {
      if (!input.gradient || floats(input.gradient) == out) continue;  // already in place
      if (input.adds) {
        sum_into(floats(input.gradient), out, count);
      } else {
        std::copy_n(out, count, floats(input.gradient));
      }
    }
  }

 private:
  std::vector<InputTensors> inputs_;
  dnnl::memory value_, gradient_;
};

/// The inputs' channels one after another, with `before` channels of zeros in front, and zeros
/// behind up to the number of the output's channels.
class Channels final : public LayerOperation {
 public:
  Channels(const Wiring& wiring, std::size_t before)
      : inputs_(wiring.inputs),
        value_(wiring.value),
        gradient_(wiring.gradient),
        before_(before),
        channels_(static_cast<std::size_t>(wiring.layer.out.channels)),
        pixels_(count_floats(value_) / channels_) {
    for (const InputTensors& input : inputs_)
      widths_.push_back(count_floats(input.value) / pixels_);
  }

  void forward(const float* /*weights*/) override {
    float* out = floats(value_);
    std::size_t at = before_;
    for (const std::size_t width : widths_) at += width;
    const std::size_t behind = channels_ - at;
    for (std::size_t pixel = 0; before_ + behind > 0 && pixel < pixels_; ++pixel) {
      std::fill_n(out + pixel * channels_, before_, 0.0f);
      std::fill_n(out + (pixel + 1) * channels_ - behind, behind, 0.0f);
    }
    at = before_;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      const float* in = floats(inputs_[k].value);
      for (std::size_t pixel = 0; pixel < pixels_; ++pixel) {
        std::copy_n(in + pixel * widths_[k], widths_[k], out + pixel * channels_ + at);
      }
      at += widths_[k];
    }
  }

  void backward(const float* /*weights*/, float* /*gradient*/) override {
    const float* out = floats(gradient_);
    std::size_t at = before_;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      if (inputs_[k].gradient) pass(inputs_[k], out + at, widths_[k]);
      at += widths_[k];
    }
  }

 private:
  void pass(const InputTensors& input, const float* from, std::size_t width) const {
    float* in = floats(input.gradient);
    for (std::size_t pixel = 0; pixel < pixels_; ++pixel) {
      if (input.adds) {
        sum_into(in + pixel * width, from + pixel * channels_, width);
      } else {
        std::copy_n(from + pixel * channels_, width, in + pixel * width);
      }
    }
  }

  std::vector<InputTensors> inputs_;
  dnnl::memory value_, gradient_;
  std::size_t before_, channels_, pixels_;
  std::vector<std::size_t> widths_;
};

}  // namespace

std::unique_ptr<LayerOperation> make_add(const Wiring& wiring) {
  return std::make_unique<Add>(wiring);
}

std::unique_ptr<LayerOperation> make_concat(const Wiring& wiring) {
  return std::make_unique<Channels>(wiring, 0);
}

std::unique_ptr<LayerOperation> make_pad(const Wiring& wiring) {
  const int added = wiring.layer.out.channels - wiring.layer.in.channels;
  return std::make_unique<Channels>(wiring, static_cast<std::size_t>(added / 2));
}

}  // namespace paceline
