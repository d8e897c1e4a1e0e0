// SPDX-License-Identifier: MIT
// The processors of a machine, and which of them each role works on.
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "sim/devices/shared_cores.hpp"
#include "sim/devices/shared_part.hpp"
#include "sim/devices/simulated_machine.hpp"
#include "sim/devices/split_card.hpp"
#include "sim/devices/time_shared_card.hpp"

namespace paceline {

/// Makes the processors that the costs call for, and gives every role one.
void SimulatedMachine::add_processors() {
  const auto add = [this](std::unique_ptr<Processor> processor) {
    processors_.push_back(std::move(processor));
    return processors_.back().get();
  };
  auto own = std::make_unique<OwnGpu>(context_, *this, workers_);
  own_gpus_ = own.get();
  Processor* of_workers = add(std::move(own));
  const auto roles = static_cast<int>(vertices_.size());
  cores_ = std::make_unique<HostCores>(costs_, time_, network_, roles, workers_);
  Processor* of_card = nullptr;
  if (card_memory_) {
    of_card = add(std::make_unique<SplitCard>(context_, *this, *card_memory_, *cores_, workers_));
  } else if (costs_.shared_card >= 0) {
    of_card = add(std::make_unique<TimeSharedCard>(context_, *this, *cores_));
  } else if (cores_->shared()) {
    of_workers = add(std::make_unique<SharedCores>(context_, *this, *cores_));
  }
  using Part = SharedMachine::Part;
  std::map<std::pair<Part, int>, Processor*> of_parts;
  const auto shared_part = [&](Part part, int number, double at_once) {
    Processor*& processor = of_parts[{part, number}];
    if (processor == nullptr) {
      const RouteId route = shared_.part(part, number, at_once);
      processor = add(std::make_unique<SharedPart>(context_, *this, route));
    }
    return processor;
  };
  std::set<int> lined_up;  // GPUs where servers' kernels are in line with a worker's
  for (RoleId role = workers_; costs_.update_kernels && role < roles; ++role) {
    if (lengths_.on_gpu(role)) lined_up.insert(vertices_[static_cast<std::size_t>(role)]);
  }
  for (RoleId role = 0; role < roles; ++role) {
    const bool server = role >= workers_ && role < costs_.programs;
    const int vertex = vertices_[static_cast<std::size_t>(role)];
    if (of_card != nullptr && vertex == costs_.shared_card) {
      by_role_.push_back(of_card);
    } else if (lined_up.contains(vertex)) {
      by_role_.push_back(shared_part(Part::gpu, vertex, 1));
    } else if (role < workers_ || cores_->shared() || lengths_.on_gpu(role)) {
      by_role_.push_back(of_workers);
    } else if (server && costs_.servers_at_once > 0) {
      by_role_.push_back(shared_part(Part::memory, computer_of(role), costs_.servers_at_once));
    } else if (!server && costs_.cores_of_loaders > 0) {
      by_role_.push_back(shared_part(Part::cores, computer_of(role), costs_.cores_of_loaders));
    } else {
      by_role_.push_back(of_workers);
    }
  }
}

}  // namespace paceline
