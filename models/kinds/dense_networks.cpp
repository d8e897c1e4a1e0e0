// SPDX-License-Identifier: MIT
#include "models/kinds/dense_networks.hpp"

#include <algorithm>

#include "models/limits.hpp"
#include "models/network_builder.hpp"

namespace paceline {

namespace {

/// A network with vectors as inputs and no layers yet.
Network samples(int inputs, int classes) {
  Network empty;
  empty.item = "samples";
  empty.input = {inputs, 1, 1};
  empty.classes = classes;
  return empty;
}

Network dense(int inputs, const std::vector<int>& hidden, int classes, const Location& at,
              Diagnostics& diagnostics) {
  NetworkBuilder builder(samples(inputs, classes), BatchNorm::none, diagnostics);
  builder.locate_errors(at);
  for (const int units : hidden) {
    builder.fully_connected(units, true);
    builder.relu();
  }
  builder.fully_connected(classes, true);
  builder.softmax();
  return builder.take();
}

template <class Kind>
void describe_inputs(Description<Kind>& d) {
  d.optional("inputs", &Kind::inputs, "elements of an item").at_least(1).at_most(kMostChannels);
}

template <class Kind>
void describe_ends(Description<Kind>& d) {
  describe_inputs(d);
  d.optional("classes", &Kind::classes, "number of classes").at_least(2).at_most(kMostChannels);
}

}  // namespace

void SoftmaxRegression::describe(Description<SoftmaxRegression>& d) {
  describe_ends(d);
}

Network SoftmaxRegression::make(const Location& at, Diagnostics& diagnostics) const {
  return dense(inputs, {}, classes, at, diagnostics);
}

void Linear::describe(Description<Linear>& d) {
  describe_inputs(d);
  d.optional("bias", &Linear::bias, "add a trainable constant");
}

Network Linear::make(const Location& at, Diagnostics& diagnostics) const {
  NetworkBuilder builder(samples(inputs, 1), BatchNorm::none, diagnostics);
  builder.locate_errors(at);
  builder.fully_connected(1, bias);
  builder.squared_error();
  return builder.take();
}

void Mlp::describe(Description<Mlp>& d) {
  describe_ends(d);
  d.optional("hidden", &Mlp::hidden, "elements of each hidden layer");
}

std::string Mlp::invalid() const {
  const bool good = std::all_of(hidden.begin(), hidden.end(),
                                [](int units) { return units >= 1 && units <= kMostChannels; });
  return good ? "" : "'hidden' must be >= 1 and <= " + std::to_string(kMostChannels);
}

Network Mlp::make(const Location& at, Diagnostics& diagnostics) const {
  return dense(inputs, hidden, classes, at, diagnostics);
}
}  // namespace paceline
