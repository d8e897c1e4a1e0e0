// SPDX-License-Identifier: MIT
#include "training/profile/network_profile.hpp"

#include <numeric>

namespace paceline {

void SharedTimes::describe(Description<SharedTimes>& d) {
  d.required("workers", &SharedTimes::workers, "workers that run at the same time").at_least(2);
  d.required("forward", &SharedTimes::forward, "time of all layers").at_least(Seconds{0});
  d.required("backward", &SharedTimes::backward, "time of all layers").at_least(Seconds{0});
}

void AfterSleep::describe(Description<AfterSleep>& d) {
  d.required("slept", &AfterSleep::slept, "time for which the cores slept").above(Seconds{0});
  d.required("longer", &AfterSleep::longer, "time that the next mini-batch takes longer")
      .at_least(Seconds{0});
}

void LengthTimes::describe(Description<LengthTimes>& d) {
  d.required("length", &LengthTimes::length, "positions of a sequence").at_least(1);
  d.required("forward", &LengthTimes::forward, "time of each layer forward");
  d.required("backward", &LengthTimes::backward, "time of each layer backward");
}

void NetworkProfile::describe(Description<NetworkProfile>& d) {
  const Seconds none{0};
  d.required("network", &NetworkProfile::network, "its name");
  d.required("parameters", &NetworkProfile::parameters, "its trainable scalars").at_least(0);
  d.required("batch", &NetworkProfile::batch, "items in a mini-batch").at_least(1);
  d.required("optimizer", &NetworkProfile::optimizer, "the update rule");
  d.optional("dataset", &NetworkProfile::dataset, "data set that the first layer draws items from");
  d.optional("gpu", &NetworkProfile::gpu, "the GPU; absent: a thread of the host");
  d.optional("virtual", &NetworkProfile::virtual_gpus,
             "disjoint parts of the card; the worker ran on one")
      .at_least(1);
  d.optional("sms", &NetworkProfile::sms, "multiprocessors of the worker's part").at_least(0);
  d.optional("precision", &NetworkProfile::precision, "of the arithmetic");
  d.optional("layout", &NetworkProfile::layout, "of images in memory");
  d.required("forward", &NetworkProfile::forward, "time of each layer forward");
  d.required("backward", &NetworkProfile::backward, "time of each layer backward");
  d.required("update", &NetworkProfile::update, "time of an update of all parameters")
      .at_least(none);
  d.required("reduce", &NetworkProfile::reduce, "time of adding a gradient to another")
      .at_least(none);
  d.required("copy", &NetworkProfile::copy, "time of copying all parameters").at_least(none);
  d.optional("cpu_update", &NetworkProfile::cpu_update,
             "time of the same on the CPU, for a GPU's network")
      .at_least(none);
  d.optional("cpu_reduce", &NetworkProfile::cpu_reduce,
             "time of the same on the CPU, for a GPU's network")
      .at_least(none);
  d.optional("flops", &NetworkProfile::flops, "work of a mini-batch; 0: not counted")
      .at_least(Flops{0});
  d.optional("clocks", &NetworkProfile::clocks,
             "clocks and power of the GPU during the measurement");
  d.optional("shared", &NetworkProfile::shared,
             "times of several concurrent workers without communication");
  d.optional("server_update", &NetworkProfile::server_update,
             "time of an update of all parameters by a server's thread, while a worker trains")
      .at_least(none);
  d.optional("start", &NetworkProfile::start,
             "time from the completion of an operation's dependencies to its start, while a worker "
             "trains")
      .at_least(none);
  d.optional("passing_on", &NetworkProfile::passing_on,
             "processor time of that: wake-ups between threads")
      .at_least(none);
  d.optional("decision", &NetworkProfile::decision, "further latency if a role decides in between")
      .at_least(none);
  d.optional("after_sleep", &NetworkProfile::after_sleep,
             "what a mini-batch takes longer after the cores have slept, ascending by `slept`");
  d.optional("by_length", &NetworkProfile::by_length,
             "times of mini-batches of sequences of other lengths, ascending");
}

Seconds NetworkProfile::forward_total() const {
  return std::accumulate(forward.begin(), forward.end(), Seconds{});
}

Seconds NetworkProfile::backward_total() const {
  return std::accumulate(backward.begin(), backward.end(), Seconds{});
}

bool NetworkProfile::is_of(const Workload& workload) const {
  return network == workload.network && parameters == workload.parameters &&
         forward.size() == workload.layers && backward.size() == workload.layers &&
         batch == workload.batch && optimizer == workload.optimizer &&
         dataset == workload.dataset && precision == workload.precision &&
         layout == workload.layout && gpu == workload.gpu &&
         virtual_gpus == workload.virtual_gpus && !by_length.empty() == workload.lengths;
}

}  // namespace paceline
