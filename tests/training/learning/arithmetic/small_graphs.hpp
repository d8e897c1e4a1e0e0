// SPDX-License-Identifier: MIT
/// \file
/// Small networks with every kind of layer in every relevant position, for the tests of each
/// implementation of networks.
#pragma once
#include <cmath>
#include <ostream>
#include <vector>

#include "tests/training/learning/arithmetic/graph_sketch.hpp"
#include "training/learning/arithmetic/arithmetic.hpp"

namespace paceline {

struct SmallGraph {
  const char* name;
  Network (*network)();
};

inline std::ostream& operator<<(std::ostream& out, const SmallGraph& graph) {
  return out << graph.name;
}

/// Weights off the symmetric start: biases, scales and shifts differ from 0 and 1.
inline std::vector<float> uneven_weights(const Network& network) {
  std::vector<float> weights = initial_weights(network, 3);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] += 0.1f * std::sin(static_cast<float>(i) + 0.5f);
  }
  return weights;
}

inline const SmallGraph kSmallGraphs[] = {
    {"softmax_regression",
     [] {
       return GraphSketch({5, 1, 1}).classify(GraphSketch::kInput, 3);
     }},
    {"linear_regression",
     [] {
       return GraphSketch({5, 1, 1}).predict(GraphSketch::kInput);
     }},
    {"regression_by_a_perceptron",
     [] {
       GraphSketch g({6, 1, 1});
       return g.predict(g.simple(LayerKind::activation, g.fully_connected(GraphSketch::kInput, 7)));
     }},
    {"perceptron",
     [] {
       GraphSketch g({6, 1, 1});
       int x = g.simple(LayerKind::activation, g.fully_connected(GraphSketch::kInput, 7));
       x = g.simple(LayerKind::dropout, x);
       return g.classify(g.simple(LayerKind::activation, g.fully_connected(x, 5, false)), 4);
     }},
    {"convolution",
     [] {
       GraphSketch g({3, 6, 5});
       return g.classify(g.convolution(GraphSketch::kInput, 4, {}), 3);
     }},
    {"convolutions_with_stride_and_uneven_pads",
     [] {
       GraphSketch g({3, 8, 8});
       const int a = g.convolution(GraphSketch::kInput, 5, {3, 3, 2, 0, 1, 0, 1}, false);
       return g.classify(g.convolution(a, 16, {2, 3, 1, 1, 0, 2, 1}), 3);
     }},
    {"pointwise_convolution",
     [] {
       GraphSketch g({4, 5, 5});
       return g.classify(
           g.convolution(g.convolution(GraphSketch::kInput, 6, {1, 1, 2}), 3, {1, 1, 1}), 3);
     }},
    {"batch_norm",
     [] {
       GraphSketch g({3, 4, 4});
       const int a = g.batch_norm(g.convolution(GraphSketch::kInput, 5, {}, false));
       return g.classify(g.batch_norm(g.simple(LayerKind::activation, a), false), 3);
     }},
    {"batch_norm_of_the_input",
     [] {
       GraphSketch g({3, 4, 4});
       return g.classify(g.batch_norm(GraphSketch::kInput), 3);
     }},
    {"batch_norm_of_a_vector",
     [] {
       GraphSketch g({6, 1, 1});
       return g.classify(g.batch_norm(g.fully_connected(GraphSketch::kInput, 8)), 3);
     }},
    {"max_pool",
     [] {
       GraphSketch g({2, 7, 7});
       const int a = g.convolution(GraphSketch::kInput, 3, {3, 3, 1, 1, 1, 1, 1});
       return g.classify(g.pool(LayerKind::max_pool, a, {3, 3, 2, 0, 1, 0, 1}), 3);
     }},
    {"average_pool_counts_no_padding",
     [] {
       GraphSketch g({2, 6, 6});
       const int a = g.convolution(GraphSketch::kInput, 3, {3, 3, 1, 1, 1, 1, 1});
       return g.classify(g.pool(LayerKind::average_pool, a, {3, 3, 2, 1, 1, 1, 1}), 3);
     }},
    {"global_average_pool",
     [] {
       GraphSketch g({2, 6, 6});
       return g.classify(
           g.pool(LayerKind::average_pool, g.convolution(GraphSketch::kInput, 9, {}), {4, 4}), 3);
     }},
    {"local_response_norm",
     [] {
       GraphSketch g({2, 4, 4});
       const int a = g.convolution(GraphSketch::kInput, 12, {});
       return g.classify(g.response_norm(a, 9, 0.5, 0.75), 3);
     }},
    {"addition_of_a_shared_tensor",  // a's gradient is a sum of three
     [] {
       GraphSketch g({2, 5, 5});
       const int a = g.simple(LayerKind::activation,
                              g.convolution(GraphSketch::kInput, 4, {3, 3, 1, 1, 1, 1, 1}));
       const int b = g.convolution(a, 4, {3, 3, 1, 1, 1, 1, 1});
       return g.classify(g.simple(LayerKind::activation, g.add({a, b, a})), 3);
     }},
    {"addition_with_itself",
     [] {
       GraphSketch g({2, 3, 3});
       const int a = g.convolution(GraphSketch::kInput, 4, {});
       return g.classify(g.add({a, a}), 3);
     }},
    {"addition_of_the_input",
     [] {
       GraphSketch g({2, 3, 3});
       return g.classify(g.add({GraphSketch::kInput, g.convolution(GraphSketch::kInput, 2, {1, 1}),
                                GraphSketch::kInput}),
                         3);
     }},
    {"concatenation_of_shared_tensors",
     [] {
       GraphSketch g({2, 5, 5});
       const int a = g.convolution(GraphSketch::kInput, 3, {3, 3, 1, 1, 1, 1, 1});
       const int b = g.concat({a, g.convolution(a, 5, {3, 3, 1, 1, 1, 1, 1}), GraphSketch::kInput});
       const int c = g.convolution(g.simple(LayerKind::activation, b), 2, {1, 1});
       return g.classify(g.concat({b, c, b}), 3);
     }},
    {"dropout_passes_through",
     [] {
       GraphSketch g({2, 3, 3});
       const int a = g.simple(LayerKind::dropout, g.convolution(GraphSketch::kInput, 3, {1, 1}));
       const int b = g.simple(LayerKind::activation, g.simple(LayerKind::dropout, a));
       return g.classify(g.simple(LayerKind::dropout, g.add({a, b})), 3);
     }},
    {"dropout_of_a_perceptron",
     [] {
       GraphSketch g({6, 1, 1});
       int x = g.dropout(
           g.simple(LayerKind::activation, g.fully_connected(GraphSketch::kInput, 30)), 0.5);
       x = g.dropout(g.simple(LayerKind::activation, g.dropout(g.fully_connected(x, 20), 0.2)),
                     0.5);
       return g.classify(x, 4);
     }},
    {"dropout_of_the_input_and_of_images",
     [] {
       GraphSketch g({3, 5, 4});
       const GraphSketch::Window same{3, 3, 1, 1, 1, 1, 1};
       const int a = g.convolution(g.dropout(GraphSketch::kInput, 0.25), 4, same);
       const int b = g.dropout(g.simple(LayerKind::activation, a), 0.5);
       const int c = g.dropout(g.batch_norm(g.convolution(b, 4, same)), 0.25);
       return g.classify(g.dropout(g.add({b, g.simple(LayerKind::activation, c)}), 0.5), 3);
     }},
    {"dropout_of_a_shared_tensor",
     [] {
       GraphSketch g({2, 4, 4});
       const int a = g.convolution(GraphSketch::kInput, 3, {1, 1});
       const int b = g.dropout(a, 0.5);
       return g.classify(g.concat({a, b, g.dropout(b, 0.5)}), 3);
     }},
    {"dropout_between_lstms",
     [] {
       GraphSketch g({1, 6, 1});
       const int a = g.lstm(g.dropout(g.embedding(GraphSketch::kInput, 8, 5), 0.5), 4);
       const int b = g.dropout(g.lstm(g.dropout(a, 0.5), 4), 0.5);
       return g.classify(g.pool(LayerKind::average_pool, b, {6, 1}), 3);
     }},
    {"dropout_of_nothing",
     [] {
       GraphSketch g({2, 3, 3});
       const int a = g.simple(LayerKind::dropout, g.convolution(GraphSketch::kInput, 3, {1, 1}));
       const int b = g.simple(LayerKind::activation, g.simple(LayerKind::dropout, a));
       return g.classify(g.simple(LayerKind::dropout, g.add({a, b})), 3);
     }},
    {"embedding",
     [] {
       GraphSketch g({1, 6, 1});
       return g.classify(g.embedding(GraphSketch::kInput, 7, 3), 3);
     }},
    {"lstm_of_the_input",
     [] {
       GraphSketch g({3, 5, 1});
       return g.classify(g.lstm(GraphSketch::kInput, 4), 3);
     }},
    {"lstm_of_one_step",
     [] {
       GraphSketch g({3, 1, 1});
       return g.classify(g.lstm(GraphSketch::kInput, 2), 3);
     }},
    {"mean_of_two_lstms_of_tokens",
     [] {
       GraphSketch g({1, 9, 1});
       const int a = g.lstm(g.embedding(GraphSketch::kInput, 11, 5), 6);
       return g.classify(g.pool(LayerKind::average_pool, g.lstm(a, 4), {9, 1}), 3);
     }},
    {"lstm_whose_input_others_read",
     [] {
       GraphSketch g({1, 4, 1});
       const int a = g.embedding(GraphSketch::kInput, 5, 3);
       const int b = g.lstm(a, 3);
       return g.classify(g.add({a, b, g.lstm(b, 3)}), 3);
     }},
    {"residual_blocks_with_padded_shortcut",
     [] {
       GraphSketch g({3, 8, 8});
       const GraphSketch::Window same{3, 3, 1, 1, 1, 1, 1};
       const int a = g.simple(LayerKind::activation,
                              g.batch_norm(g.convolution(GraphSketch::kInput, 4, same, false)));
       int b = g.simple(LayerKind::activation, g.batch_norm(g.convolution(a, 4, same, false)));
       b = g.batch_norm(g.convolution(b, 4, same, false));
       const int c = g.simple(LayerKind::activation, g.add({a, b}));
       int d = g.batch_norm(g.convolution(c, 7, {3, 3, 2, 0, 1, 0, 1}, false));
       d = g.batch_norm(g.convolution(g.simple(LayerKind::activation, d), 7, same, false));
       const int e = g.pad(g.pool(LayerKind::average_pool, c, {2, 2, 2}), 7);
       const int f = g.simple(LayerKind::activation, g.add({e, d}));
       return g.classify(g.pool(LayerKind::average_pool, f, {4, 4}), 3);
     }},
    {"max_pools_behind_batch_norms",
     [] {
       GraphSketch g({3, 9, 7});
       const auto relu = [&g](int x) { return g.simple(LayerKind::activation, g.batch_norm(x)); };
       int x = relu(g.convolution(GraphSketch::kInput, 8, {3, 3, 1, 1, 1, 1, 1}, false));
       x = g.pool(LayerKind::max_pool, x, {3, 3, 2, 1, 1, 1, 1});
       x = relu(g.convolution(x, 5, {1, 1, 2}));
       return g.classify(g.pool(LayerKind::max_pool, x, {2, 2, 1}), 3);
     }},
    {"residual_blocks_before_a_stride",
     [] {
       GraphSketch g({3, 5, 7});
       int x = g.convolution(GraphSketch::kInput, 8, {3, 3, 1, 1, 1, 1, 1}, false);
       for (int i = 0; i < 3; ++i) {
         const int y = g.batch_norm(g.convolution(x, 8, {1, 1}, false));
         x = g.simple(LayerKind::activation, g.add({y, x}));
       }
       const int a = g.convolution(x, 4, {1, 1, 2});
       return g.classify(g.add({g.convolution(x, 4, {1, 1, 2}), a}), 3);
     }},
    {"residual_blocks_with_convolved_shortcuts",
     [] {
       GraphSketch g({3, 7, 7});
       const int a = g.convolution(GraphSketch::kInput, 4, {1, 1}, false);
       const int b = g.batch_norm(g.convolution(a, 8, {3, 3, 1, 1, 1, 1, 1}, false));
       const int c = g.batch_norm(g.convolution(a, 8, {1, 1}, false), false);
       const int d = g.simple(LayerKind::activation, g.add({c, b}));
       const int e = g.batch_norm(g.convolution(d, 5, {1, 1, 2}));
       const int f = g.batch_norm(g.convolution(d, 5, {1, 1, 2}, false));
       return g.classify(g.pool(LayerKind::average_pool, g.add({e, f}), {4, 4}), 3);
     }},
};

/// The kinds of layer that transformers add.
inline const SmallGraph kSmallTransformers[] = {
    {"positions",
     [] {
       GraphSketch g({3, 4, 1});
       return g.classify(g.position(g.position(GraphSketch::kInput)), 3);
     }},
    {"layer_norm",
     [] {
       GraphSketch g({5, 4, 1});
       const int a = g.layer_norm(g.convolution(GraphSketch::kInput, 6, {1, 1}));
       return g.classify(g.layer_norm(a), 3);
     }},
    {"layer_norm_of_the_input",
     [] {
       GraphSketch g({5, 4, 1});
       return g.classify(g.layer_norm(GraphSketch::kInput), 3);
     }},
    {"gelu",
     [] {
       GraphSketch g({4, 3, 1});
       const int a = g.convolution(GraphSketch::kInput, 5, {1, 1});
       return g.classify(g.add({g.simple(LayerKind::gelu, a), a}), 3);
     }},
    {"attention",
     [] {
       GraphSketch g({4, 5, 1});
       return g.classify(g.attention(g.convolution(GraphSketch::kInput, 12, {1, 1}), 1, false), 3);
     }},
    {"causal_attention_of_two_heads",
     [] {
       GraphSketch g({4, 5, 1});
       const int a = g.convolution(GraphSketch::kInput, 12, {1, 1});
       return g.classify(g.add({g.attention(a, 2, true), GraphSketch::kInput}), 3);
     }},
    {"attention_of_a_shared_tensor",
     [] {
       GraphSketch g({2, 4, 1});
       const int a = g.convolution(GraphSketch::kInput, 6, {1, 1});
       return g.classify(g.concat({g.attention(a, 1, false), a, g.attention(a, 2, true)}), 3);
     }},
    {"first_positions",
     [] {
       GraphSketch g({3, 5, 1});
       const int a = g.convolution(GraphSketch::kInput, 4, {1, 1});
       return g.classify(g.concat({g.select(a, 2), g.select(a, 2)}), 3);
     }},
    {"tied_to_the_embedding",
     [] {
       GraphSketch g({1, 4, 1});
       const int a = g.embedding(GraphSketch::kInput, 7, 5);
       const int b = g.simple(LayerKind::gelu, g.convolution(a, 5, {1, 1}));
       return g.classify_tied(g.select(b, 1));
     }},
    {"transformer",
     [] {
       GraphSketch g({1, 4, 1});
       int x = g.position(g.embedding(GraphSketch::kInput, 9, 6));
       for (int layer = 0; layer < 2; ++layer) {
         const int a = g.attention(g.convolution(g.layer_norm(x), 18, {1, 1}), 2, layer == 1);
         x = g.add({g.dropout(g.convolution(a, 6, {1, 1}), 0.3), x});
         const int b = g.simple(LayerKind::gelu, g.convolution(g.layer_norm(x), 10, {1, 1}));
         x = g.add({g.dropout(g.convolution(b, 6, {1, 1}), 0.3), x});
       }
       return g.classify(g.pool(LayerKind::average_pool, g.layer_norm(x), {4, 1}), 3);
     }},
};

}  // namespace paceline
