// SPDX-License-Identifier: MIT
/// \file
/// A convolution with all its operands, for tests.
#pragma once
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "exec/cuda/layers/convolution/problem.hpp"
#include "exec/cuda/layers/operations.hpp"
#include "tests/exec/cuda/layers/convolution_reference.hpp"

namespace paceline::cuda {

struct ConvolutionCase {
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  Layer layer;
  bool adds = false;
  bool relu = false;
};

inline std::string text_of(const ConvolutionCase& c) {
  return c.layer.name + " " + name_of(c.precision) + " " + name_of(c.layout) +
         (c.adds ? " adds" : "") + (c.layer.bias ? " bias" : "") + (c.relu ? " relu" : "");
}

inline Layer convolution(const std::string& name, Shape in, int outputs, int kernel, int stride,
                         int pad_top, int pad_bottom, int pad_left, int pad_right) {
  Layer layer;
  layer.name = name;
  layer.kind = LayerKind::convolution;
  layer.in = in;
  layer.kernel_height = layer.kernel_width = kernel;
  layer.stride = stride;
  layer.pad_top = pad_top;
  layer.pad_bottom = pad_bottom;
  layer.pad_left = pad_left;
  layer.pad_right = pad_right;
  layer.out = {outputs, (in.height + pad_top + pad_bottom - kernel) / stride + 1,
               (in.width + pad_left + pad_right - kernel) / stride + 1};
  return layer;
}

inline std::vector<Layer> layers() {
  Layer oblong = convolution("oblong", {8, 6, 7}, 8, 1, 1, 0, 0, 1, 1);
  oblong.kernel_width = 3;
  oblong.out = {8, 6, 7};
  return {convolution("same", {8, 6, 6}, 16, 3, 1, 1, 1, 1, 1),
          convolution("point", {16, 5, 5}, 8, 1, 1, 0, 0, 0, 0),
          convolution("halving", {3, 9, 9}, 5, 5, 2, 2, 2, 2, 2),
          convolution("one-sided", {8, 6, 6}, 8, 3, 2, 0, 1, 0, 1),
          convolution("lopsided", {4, 5, 6}, 4, 3, 1, 2, 0, 1, 1),
          oblong};
}

/// A convolution with all its operands.
class ConvolutionRig {
 public:
  ConvolutionRig(const ConvolutionCase& c, std::mt19937& random, bool needs_input_gradient = true)
      : case_(c),
        element_(element_of(c.precision)),
        x(element_, c.layout, kBatch, c.layer.in),
        dx(element_, c.layout, kBatch, c.layer.in),
        w(element_, c.layout, c.layer.out.channels, filter(c.layer)),
        dw(element_, c.layout, c.layer.out.channels, filter(c.layer)),
        y(element_, c.layout, kBatch, c.layer.out),
        dy(element_, c.layout, kBatch, c.layer.out),
        b(device_vector(static_cast<std::size_t>(c.layer.out.channels))),
        db(device_vector(static_cast<std::size_t>(c.layer.out.channels))) {
    wiring.layer = &case_.layer;
    wiring.relu = c.relu;
    wiring.inputs = {{x.tensor(), needs_input_gradient ? dx.tensor() : Tensor{}, c.adds}};
    wiring.output = y.tensor();
    wiring.gradient = dy.tensor();
    wiring.parameters = {w.data(), dw.data(), element_, static_cast<const float*>(b.data()),
                         static_cast<float*>(db.data())};
    wiring.precision = c.precision;
    const auto draw = [&](const LaidOutTensor& tensor) {
      return random_numbers(static_cast<std::size_t>(tensor.tensor().elements()), element_, random);
    };
    xs = draw(x);
    ws = draw(w);
    dys = draw(dy);
    dxs = draw(dx);
    bs = random_numbers(static_cast<std::size_t>(c.layer.out.channels), Element::fp32, random);
  }

  /// Calls lend() and prepare(), fills the inputs and sets the outputs to NaN.
  void prepare(Operation& operation) {
    scratch = DeviceMemory(operation.scratch_bytes());
    w.set(ws);
    b.set(bs);
    operation.lend(scratch.data(), scratch.bytes());
    operation.prepare();
    EXPECT_EQ(w.get(), ws) << "weights were written";
    x.set(xs);
    dy.set(dys);
    y.poison();
    dw.poison();
    db.poison();
    dx.poison();
    if (case_.adds) dx.set(dxs);
  }

  static constexpr int kBatch = 3;
  static Shape filter(const Layer& layer) {
    return {layer.in.channels, layer.kernel_height, layer.kernel_width};
  }

 private:
  const ConvolutionCase case_;
  const Element element_;

 public:
  LaidOutTensor x, dx, w, dw, y, dy, b, db;
  Numbers xs, dxs, ws, dys, bs;
  Wiring wiring;
  DeviceMemory scratch;
};

/// Compares forward and backward with the reference.
inline void check_against_reference(const ConvolutionCase& c, ConvolutionRig& rig,
                                    Operation& operation, cudaStream_t stream) {
  const ConvolutionReference reference{c.layer, ConvolutionRig::kBatch};
  const double tolerated = tolerance(c.precision);
  operation.forward(stream);
  const Numbers expected =
      reference.forward(rig.xs, rig.ws, c.layer.bias ? rig.bs : Numbers{}, c.relu);
  const Numbers y = rig.y.get();
  EXPECT_LT(relative_error(y, expected), tolerated);
  operation.backward(stream);
  Numbers dz = rig.dys;
  for (std::size_t i = 0; i < dz.size(); ++i) {
    if (c.relu && y[i] == 0) dz[i] = 0;  // where the layer's ReLU is 0, not the reference's
  }
  EXPECT_LT(relative_error(rig.dw.get(), reference.weight_gradient(rig.xs, dz)), tolerated);
  if (c.layer.bias) {
    EXPECT_LT(relative_error(rig.db.get(), reference.bias_gradient(dz)), 1e-5);
  } else {
    EXPECT_TRUE(std::isnan(rig.db.get().front()));
  }
  if (!rig.wiring.inputs.front().gradient) return;
  Numbers dx = reference.data_gradient(rig.ws, dz);
  for (std::size_t i = 0; c.adds && i < dx.size(); ++i) dx[i] += rig.dxs[i];
  EXPECT_LT(relative_error(rig.dx.get(), dx), 2 * tolerated);
}

}  // namespace paceline::cuda
