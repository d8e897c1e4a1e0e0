// SPDX-License-Identifier: MIT
#include "training/devices.hpp"

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

}  // namespace paceline
