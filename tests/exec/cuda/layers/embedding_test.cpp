// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/operation_bench.hpp"

namespace paceline::cuda {
namespace {

class EmbeddingTest : public DeviceTest {};

struct Case {
  int batch, tokens, vocabulary, features;
};
const Case kCases[] = {
    {2, 5, 7, 16}, {1, 1, 1, 1}, {3, 300, 11, 5}, {4, 9, 2000, 24}, {2, 6, 3, 70}};

/// An embedding with its tensors; ids are fp32 in every element.
class EmbeddingBench {
 public:
  EmbeddingBench(Format format, const Case& c, unsigned seed)
      : layer_(layer_of(c)),
        ids_({Element::fp32, format.layout}, c.batch, layer_.in),
        table_(format, 1, {c.vocabulary * c.features, 1, 1}),
        table_gradient_(format, 1, {c.vocabulary * c.features, 1, 1}),
        bench(format, c.batch, {layer_.in}, layer_) {
    bench.draw_all(seed);
    std::mt19937 bits(seed);
    for (std::int64_t i = 0; i < ids_.elements(); ++i) {
      ids.push_back(static_cast<double>(bits() % static_cast<unsigned>(c.vocabulary)));
    }
    table = draw(table_.elements(), seed + 1, format.element);
    table_.write(table);
    bench.wiring.inputs[0].value = ids_.tensor();
    bench.wiring.inputs[0].gradient = {};
    bench.wiring.parameters.matrix = table_.tensor().data;
    bench.wiring.parameters.matrix_gradient = table_gradient_.tensor().data;
  }
  void make() {
    ids_.write(ids);
    bench.make(make_embedding);
  }
  Numbers backward() {
    table_gradient_.poison();
    bench.backward();
    return table_gradient_.read();
  }

 private:
  static Layer layer_of(const Case& c) {
    Layer layer;
    layer.kind = LayerKind::embedding;
    layer.in = {1, c.tokens, 1};
    layer.out = {c.features, c.tokens, 1};
    layer.vocabulary = c.vocabulary;
    return layer;
  }
  Layer layer_;
  DeviceTensor ids_, table_, table_gradient_;

 public:
  Numbers ids, table;
  OperationBench bench;
};

/// The expected output and gradient of the table; ids below 0 have no row.
struct Reference {
  Numbers y, gradient;
  Reference(const Case& c, const Numbers& ids, const Numbers& table, const Numbers& dy)
      : y(dy.size()), gradient(table.size()) {
    for (int n = 0; n < c.batch; ++n) {
      for (int t = 0; t < c.tokens; ++t) {
        const double id = ids[static_cast<std::size_t>(n * c.tokens + t)];
        if (id < 0 || id >= c.vocabulary) continue;
        for (int k = 0; k < c.features; ++k) {
          const auto at = static_cast<std::size_t>(id) * static_cast<std::size_t>(c.features) +
                          static_cast<std::size_t>(k);
          const std::size_t i = index_of({c.features, c.tokens, 1}, n, k, t, 0);
          y[i] = table[at];
          gradient[at] += dy[i];
        }
      }
    }
  }
};

TEST_F(EmbeddingTest, EveryFormatAndShape) {
  for (const Format format : kFormats) {
    for (const Case& c : kCases) {
      SCOPED_TRACE(format.name() + ", " + std::to_string(c.vocabulary) + " words");
      EmbeddingBench e(format, c, 61);
      e.make();
      const Reference reference(c, e.ids, e.table, e.bench.output_gradient);
      EXPECT_EQ(e.bench.forward(), reference.y);
      const Numbers gradient = e.backward();
      expect_close(gradient, reference.gradient, format.tolerance(), "gradient of the table");
      EXPECT_EQ(e.backward(), gradient) << "the same bits every time";
    }
  }
}

TEST_F(EmbeddingTest, AnIdThatIsNoRowIsZerosAndTeachesNothing) {
  const Case c{1, 6, 4, 3};
  for (const Format format : kFormats) {
    EmbeddingBench e(format, c, 62);
    e.ids = {1, -1, 4, 3, 1e9, 1};
    e.make();
    const Reference reference(c, e.ids, e.table, e.bench.output_gradient);
    EXPECT_EQ(e.bench.forward(), reference.y);
    expect_close(e.backward(), reference.gradient, format.tolerance(), "gradient of the table");
  }
}

}  // namespace
}  // namespace paceline::cuda
