// SPDX-License-Identifier: MIT
#include "training/cost/profile.hpp"

#include "experiments/containers.hpp"
#include "experiments/unit_table.hpp"

namespace paceline {

void ProfiledLayer::describe(Description<ProfiledLayer>& d) {
  d.required("forward", &ProfiledLayer::forward, "of a whole mini-batch").at_least(Seconds{0});
  d.required("backward", &ProfiledLayer::backward, "of a whole mini-batch").at_least(Seconds{0});
}

void Profile::describe(Description<Profile>& d) {
  d.required("model", &Profile::model, "the network that was measured");
  d.required("gpu", &Profile::gpu, "the GPU's name, as its file says");
  d.required("batch", &Profile::batch, "items of the mini-batch").at_least(1);
  d.optional("precision", &Profile::precision, "of the arithmetic");
  d.required("layers", &Profile::layers, "measured times by name of layer");
}

bool Profile::is_of(const Network& network, int items, Precision arithmetic,
                    const GpuSpec& on) const {
  return model == network.name && gpu == on.name && batch == items && precision == arithmetic;
}

}  // namespace paceline
