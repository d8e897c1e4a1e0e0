// SPDX-License-Identifier: MIT
#include "exec/cuda/network/arrays.hpp"

#include <cstdint>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "models/load_network.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/training/learning/arithmetic/graph_sketch.hpp"
#include "training/learning/arithmetic/supported_layers.hpp"

namespace paceline::cuda {
namespace {

using Kind = LayerKind;

/// The arrays of a network, with the network and the groups that they are made for.
struct NetworkArrays {
  Network network;
  std::vector<Group> groups;
  Network reduced;
  NetworkSetting setting;
  Arrays arrays;

  NetworkArrays(Network whole, int items, Precision precision = Precision::fp32)
      : network(std::move(whole)),
        groups(plan_fusion(network)),
        reduced(network_of(network, groups)),
        setting{&network, items, precision, Layout::nhwc, true},
        arrays(setting, reduced, groups) {}
};

void expect_aligned(const Tensor& tensor) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data) % 256, 0u);
}

class ArraysTest : public DeviceTest {};

// A reader's input is its producer's output, and the producer's gradient is where its readers
// write; the first reader in the backward pass overwrites it, all others add.
TEST_F(ArraysTest, WireEveryPreset) {
  for (const std::string& name : network_names()) {
    Network network = load_network(Tree::scalar(name));
    if (!unsupported(network).empty()) continue;
    SCOPED_TRACE(name);
    const NetworkArrays setup(std::move(network), 1, Precision::bf16);
    std::set<int> written;  // tensors with a gradient
    int apart = 0;
    std::map<std::size_t, void*> read_later;  // gradients that groups read beside their own
    for (std::size_t g = setup.groups.size(); g-- > 0;) {
      const std::vector<Input> inputs = setup.arrays.inputs_of(g);
      ASSERT_EQ(inputs.size(), setup.reduced.layers[g].inputs.size());
      const auto own = read_later.extract(g);
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        const int maker = setup.reduced.layers[g].inputs[k];
        expect_aligned(inputs[k].value);
        if (maker < 0) {
          EXPECT_EQ(inputs[k].value.data, setup.arrays.input().data);
          EXPECT_FALSE(inputs[k].gradient);
          continue;
        }
        const auto m = static_cast<std::size_t>(maker);
        if (setup.groups[g].apart && k == 1) {
          EXPECT_FALSE(inputs[k].gradient);
          read_later[m] = setup.arrays.gradient_of(g).data;
          ++apart;
          continue;
        }
        expect_aligned(inputs[k].gradient);
        for (const auto& [reader, data] : read_later) EXPECT_NE(inputs[k].gradient.data, data);
        EXPECT_EQ(inputs[k].value.data, setup.arrays.value_of(m).data);
        EXPECT_EQ(inputs[k].gradient.data, setup.arrays.gradient_of(m).data);
        EXPECT_EQ(inputs[k].gradient.shape, setup.reduced.layers[m].out);
        EXPECT_EQ(inputs[k].gradient.layout, Layout::nhwc);
        EXPECT_EQ(inputs[k].adds, !written.insert(maker).second);
        if (setup.arrays.gradient_of(g)) {
          EXPECT_NE(inputs[k].gradient.data, setup.arrays.gradient_of(g).data);
        }
      }
    }
    EXPECT_FALSE(setup.arrays.value_of(setup.groups.size() - 1));  // the loss
    if (name == "resnet50") {
      EXPECT_EQ(apart, 3);
    }
  }
}

// A ReLU that is not fused works in place. One that follows another ReLU does not, since the
// other's backward reads its own output.
TEST_F(ArraysTest, LetOnlyAReLUOverwrite) {
  GraphSketch g({2, 4, 4});
  const int a = g.add({GraphSketch::kInput, GraphSketch::kInput});
  const int b = g.simple(Kind::activation, a);
  const int c = g.simple(Kind::activation, b);
  const int d = g.add({c, c});
  const NetworkArrays setup(g.classify(d, 3), 2);
  EXPECT_EQ(setup.arrays.value_of(1).data, setup.arrays.value_of(0).data);
  EXPECT_NE(setup.arrays.value_of(2).data, setup.arrays.value_of(1).data);
  EXPECT_NE(setup.arrays.value_of(3).data, setup.arrays.value_of(2).data);
}

TEST_F(ArraysTest, KeepTokenIdsWhole) {
  GraphSketch g({1, 4, 1});
  const int a = g.embedding(GraphSketch::kInput, 5000, 3);
  const NetworkArrays setup(g.classify(a, 3), 2, Precision::fp16);
  EXPECT_EQ(setup.arrays.input().element, Element::fp32);
  EXPECT_EQ(setup.arrays.inputs_of(0).front().value.element, Element::fp32);
  EXPECT_EQ(setup.arrays.value_of(0).element, Element::fp16);
}

TEST_F(ArraysTest, CountTheirBytes) {
  const NetworkArrays setup(GraphSketch({100, 1, 1}).classify(GraphSketch::kInput, 10), 3,
                            Precision::bf16);
  // inputs, logits and the gradient of the logits, each rounded up to 256 bytes
  EXPECT_EQ(setup.arrays.bytes(), 768u + 256u + 256u);
}

}  // namespace
}  // namespace paceline::cuda
