// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/convolution.hpp"

#include <initializer_list>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "training/learning/arithmetic/single_thread.hpp"

namespace paceline::cuda::emulation {
namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

memory::dims dims_of(const std::array<std::int64_t, 4>& sizes) {
  return {sizes.begin(), sizes.end()};
}

/// An operand of a primitive: its argument index, and the tensor in the emulated memory.
struct Operand {
  int argument;
  const cudnnTensorStruct& tensor;
  const void* data;
};

/// A packed tensor in fp32, in its own layout.
class Floats {
 public:
  explicit Floats(const cudnnTensorStruct& tensor)
      : values_(static_cast<std::size_t>(tensor.count())), memory_(over(tensor)) {}
  explicit Floats(const Operand& from)
      : values_(read_floats(from.data, *number_of(from.tensor.type), 0, from.tensor.count())),
        memory_(over(from.tensor)) {}
  const memory& get() const { return memory_; }
  float operator[](std::size_t i) const { return values_[i]; }

 private:
  memory over(const cudnnTensorStruct& tensor) {
    return {{dims_of(tensor.sizes), memory::data_type::f32, dims_of(tensor.strides)},
            engine(),
            values_.data()};
  }

  std::vector<float> values_;
  memory memory_;
};

/// out = alpha x primitive(inputs) + beta x out.
void compute(const dnnl::primitive_desc& description, const dnnl::primitive& primitive,
             std::initializer_list<Operand> inputs, const Operand& result, void* out, float alpha,
             float beta) {
  dnnl::stream stream(engine());
  std::unordered_map<int, memory> arguments;
  const auto allocate = [&](int argument) {
    return memory(description.query_md(dnnl::query::exec_arg_md, argument), engine());
  };
  for (const Operand& input : inputs) {
    const Floats values(input);
    memory packed = allocate(input.argument);
    memory given = values.get();
    dnnl::reorder(given, packed).execute(stream, given, packed);
    stream.wait();
    arguments.emplace(input.argument, packed);
  }
  memory packed = allocate(result.argument);
  arguments.emplace(result.argument, packed);
  primitive.execute(stream, arguments);
  const Floats values(result.tensor);
  memory unpacked = values.get();
  dnnl::reorder(packed, unpacked).execute(stream, packed, unpacked);
  stream.wait();
  const Writer to(out, *number_of(result.tensor.type));
  for (std::int64_t i = 0; i < result.tensor.count(); ++i) {
    to.blend(i, values[static_cast<std::size_t>(i)], alpha, beta);
  }
}

memory::desc any(const cudnnTensorStruct& tensor) {
  return {dims_of(tensor.sizes), memory::data_type::f32, memory::format_tag::any};
}
memory::dims two(const std::array<std::int64_t, 2>& values) {
  return {values[0], values[1]};
}
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

dnnl::convolution_forward::primitive_desc describe(const Convolution& c) {
  return {{dnnl::prop_kind::forward_training, kDirect, any(c.x), any(c.w), any(c.y),
           two(c.convolution.stride), two(c.convolution.pad), two(c.convolution.pad_after)},
          engine()};
}

}  // namespace

cudnnStatus_t Convolution::legal() const {
  if (!number_of(x.type) || convolution.compute != CUDNN_DATA_FLOAT ||
      convolution.mode != CUDNN_CROSS_CORRELATION || convolution.dilation[0] != 1 ||
      convolution.dilation[1] != 1) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  bool fits = x.type == w.type && x.type == y.type && x.sizes[0] == y.sizes[0] &&
              x.sizes[1] == w.sizes[1] && y.sizes[1] == w.sizes[0];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t span =
        x.sizes[2 + i] + convolution.pad[i] + convolution.pad_after[i] - w.sizes[2 + i];
    fits = fits && span >= 0 && y.sizes[2 + i] == span / convolution.stride[i] + 1;
  }
  return fits ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

Cost Convolution::cost(const char* name, const cudnnTensorStruct& to, bool adds) const {
  const std::int64_t all = x.bytes() + w.bytes() + y.bytes();
  const std::int64_t written = to.bytes();
  return {name, all - (adds ? 0 : written), written, 2 * y.count() * (w.count() / w.sizes[0])};
}

void Convolution::forward(const void* in, const void* weights, void* out, float alpha,
                          float beta) const {
  const paceline::SingleThread single;
  const auto description = describe(*this);
  compute(description, dnnl::convolution_forward(description),
          {{DNNL_ARG_SRC, x, in}, {DNNL_ARG_WEIGHTS, w, weights}}, {DNNL_ARG_DST, y, nullptr}, out,
          alpha, beta);
}

void Convolution::backward_data(const void* weights, const void* gradient, void* out, float alpha,
                                float beta) const {
  const paceline::SingleThread single;
  const dnnl::convolution_backward_data::primitive_desc description(
      {kDirect, any(x), any(w), any(y), two(convolution.stride), two(convolution.pad),
       two(convolution.pad_after)},
      engine(), describe(*this));
  compute(description, dnnl::convolution_backward_data(description),
          {{DNNL_ARG_WEIGHTS, w, weights}, {DNNL_ARG_DIFF_DST, y, gradient}},
          {DNNL_ARG_DIFF_SRC, x, nullptr}, out, alpha, beta);
}

void Convolution::backward_filter(const void* in, const void* gradient, void* out, float alpha,
                                  float beta) const {
  const paceline::SingleThread single;
  const dnnl::convolution_backward_weights::primitive_desc description(
      {kDirect, any(x), any(w), any(y), two(convolution.stride), two(convolution.pad),
       two(convolution.pad_after)},
      engine(), describe(*this));
  compute(description, dnnl::convolution_backward_weights(description),
          {{DNNL_ARG_SRC, x, in}, {DNNL_ARG_DIFF_DST, y, gradient}},
          {DNNL_ARG_DIFF_WEIGHTS, w, nullptr}, out, alpha, beta);
}

}  // namespace paceline::cuda::emulation
