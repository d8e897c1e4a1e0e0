// SPDX-License-Identifier: MIT
#include "training/host_profile.hpp"

namespace paceline {

void NetworkProfile::describe(Description<NetworkProfile>& d) {
  d.required("network", &NetworkProfile::network, "its name");
  d.required("parameters", &NetworkProfile::parameters, "its trainable scalars");
  d.required("batch", &NetworkProfile::batch, "items in a mini-batch");
  d.required("optimizer", &NetworkProfile::optimizer, "the update rule");
  d.required("dataset", &NetworkProfile::dataset, "whose items the first layer draws");
  d.required("forward", &NetworkProfile::forward, "time of each layer forward");
  d.required("backward", &NetworkProfile::backward, "time of each layer backward");
  d.required("update", &NetworkProfile::update, "time of an update of all parameters");
  d.required("reduce", &NetworkProfile::reduce, "time of adding a gradient to another");
  d.required("copy", &NetworkProfile::copy, "time of copying all parameters");
}

void HostProfile::describe(Description<HostProfile>& d) {
  d.required("measured", &HostProfile::measured, "when");
  d.required("version", &HostProfile::version, "by which version of paceline");
  d.required("host", &HostProfile::host, "the computer's own figures");
  d.optional("networks", &HostProfile::networks, "times of networks on one worker");
}

const NetworkProfile* HostProfile::find(const Network& network, int batch,
                                        const std::string& optimizer,
                                        const std::string& dataset) const {
  for (const NetworkProfile& known : networks) {
    if (known.network == network.name && known.parameters == network.parameters() &&
        known.batch == batch && known.optimizer == optimizer && known.dataset == dataset &&
        known.forward.size() == network.layers.size()) {
      return &known;
    }
  }
  return nullptr;
}

}  // namespace paceline
