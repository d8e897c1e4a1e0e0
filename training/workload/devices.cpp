// SPDX-License-Identifier: MIT
#include "training/workload/devices.hpp"

#include <array>

namespace paceline {

std::span<const EnumName<Split>> enum_names(const Split*) {
  static constexpr std::array<EnumName<Split>, 2> kNames{{
      {"streams", Split::streams},
      {"green", Split::green},
  }};
  return kNames;
}

void Devices::describe(Description<Devices>& d) {
  d.optional("gpu", &Devices::gpu, "the card, by its number in the machine").at_least(0);
  d.optional("virtual", &Devices::virtual_gpus,
             "virtual GPUs on the card: the largest number of workers that share it")
      .at_least(1)
      .at_most(4096);
  d.optional("split", &Devices::split,
             "how workers share the card: CUDA `streams` (kernels run concurrently where there is "
             "room) or `green` contexts (each has a group of multiprocessors of its own)");
}

SmGroups sm_groups_of(const Devices& devices, const GpuSpec& card) {
  return divide_sms(card.sms, devices.virtual_gpus, card.sm_group_minimum, card.sm_group_multiple);
}

std::string indivisible(const Devices& devices, const GpuSpec& card) {
  if (devices.split != Split::green) return "";
  if (card.sm_group_minimum == 0) {
    return card.name +
           " has no green contexts according to its file ('sm_group_minimum'; use split: streams)";
  }
  if (sm_groups_of(devices, card).sms > 0) return "";
  return card.name + " can be split into at most " +
         std::to_string(card.sms / card.sm_group_minimum) + " groups of multiprocessors, not " +
         std::to_string(devices.virtual_gpus) + " (use split: streams)";
}

}  // namespace paceline
