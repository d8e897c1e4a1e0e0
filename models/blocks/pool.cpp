// SPDX-License-Identifier: MIT
#include "models/blocks/pool.hpp"

#include "models/limits.hpp"

namespace paceline {

namespace {

template <class Kind>
void describe_pool(Description<Kind>& d) {
  d.optional("kernel", static_cast<KernelSize Kind::*>(&Kind::kernel),
             "window: 3, or 1x7 for height x width");
  d.optional("stride", static_cast<int Kind::*>(&Kind::stride), "step of the window")
      .at_least(1)
      .at_most(kMostPixels);
  d.optional("padding", static_cast<Padding Kind::*>(&Kind::padding), "same, valid or symmetric");
}

}  // namespace

void MaxPool::describe(Description<MaxPool>& d) {
  describe_pool(d);
}
void AveragePool::describe(Description<AveragePool>& d) {
  describe_pool(d);
}

void MaxPool::append(NetworkBuilder& builder) const {
  builder.max_pool({kernel, stride, padding});
}

void AveragePool::append(NetworkBuilder& builder) const {
  builder.average_pool({kernel, stride, padding});
}
}  // namespace paceline
