// SPDX-License-Identifier: MIT
#include "models/kinds/dense_networks.hpp"
#include "models/kinds/layered.hpp"
#include "models/kinds/synthetic.hpp"

namespace paceline {

const Family<NetworkKind>& table_of(const NetworkKind*) {
  static const Family<NetworkKind> table{
      "model",
      {
          variant<Layered, NetworkKind>("layers", "a network written block by block"),
          variant<Linear, NetworkKind>("linear", "one value predicted by a weighted sum"),
          variant<Mlp, NetworkKind>("mlp", "fully connected layers with ReLU between them"),
          variant<SoftmaxRegression, NetworkKind>("softmax", "one fully connected layer"),
          variant<Synthetic, NetworkKind>("synthetic", "a given time and gradient size"),
      }};
  return table;
}

}  // namespace paceline
