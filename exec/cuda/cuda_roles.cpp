// SPDX-License-Identifier: MIT
#include "exec/cuda/cuda_roles.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "exec/cuda/machine/pinned_staging.hpp"
#include "experiments/language/counted.hpp"

namespace paceline::cuda {
namespace {

int workers_of(const Plan& plan, int process) {
  int workers = 0;
  for (RoleId worker = 0; worker < plan.workers; ++worker) {
    if (plan.process_of(worker) == process) ++workers;
  }
  return workers;
}

int first_worker_of(const Plan& plan, int process) {
  RoleId worker = 0;
  while (plan.process_of(worker) != process) ++worker;
  return worker;
}

class GpuRepeat final : public OwnRepeat {
 public:
  GpuRepeat(CudaExecution& execution, const Plan& plan, std::uint32_t repeat, int process,
            ClockWatch* clocks)
      : execution_(execution),
        plan_(plan),
        process_(process),
        clocks_(clocks),
        place_(execution.workplace(plan, repeat)) {}

  bool meets() const override { return execution_.needs_nccl(); }

  /// Process 0 sends NCCL's id to all, by which the ranks find each other.
  void meet(Group& group) override {
    NcclGroup::Others others;
    if (group.leads()) {
      others.id = NcclGroup::new_id();
      FrameWriter frame(FrameKind::meet);
      group.send_to_all(frame.put(others.id));
    } else {
      others.id = group.receive(0, FrameKind::meet).reader().take<ncclUniqueId>();
    }
    others.first = first_worker_of(plan_, process_);
    others.ranks = plan_.workers;
    others.check = [&group] {
      if (const std::string loss = group.loss(); !loss.empty()) throw ProcessLost(loss);
    };
    execution_.connect(*place_, std::move(others));
  }

  Buffers& buffers() override { return place_->buffers; }

  std::unique_ptr<RealMachine> machine(TimeSource& time, RemotePeer& remote) override {
    Site site = place_->site;
    site.remote = &remote;
    return std::make_unique<CudaMachine>(plan_, site, time);
  }

  void note_running(bool running) override {
    if (clocks_ != nullptr) clocks_->pause(!running);
  }

  std::unique_ptr<Staging> staging() const override {
    return std::make_unique<PinnedStaging>(execution_.devices());
  }

 private:
  CudaExecution& execution_;
  const Plan& plan_;
  int process_;
  ClockWatch* clocks_;
  std::unique_ptr<Workplace> place_;
};

class GpuRoles final : public OwnRoles {
 public:
  GpuRoles(const Setting& setting, const Group& group, const AcceleratorFacts& facts,
           const std::filesystem::path& cache, ClockWatch* clocks)
      : process_(group.rank()),
        clocks_(clocks),
        execution_(setting, cache, CudaExecution::kPatience,
                   ProcessPart{process_, gpus_of(setting.plan, group, facts).at(0)}) {
    for (const int device : execution_.devices()) {
      if (device == kOnHost) continue;
      const std::string& bus = facts.gpus.at(static_cast<std::size_t>(device)).bus;
      if (std::ranges::find(buses_, bus) == buses_.end()) buses_.push_back(bus);
    }
  }

  /// Every process sends the addresses of its GPUs to all others.
  void meet(Group& group) override {
    FrameWriter mine(FrameKind::meet);
    mine.put(buses_.size());
    for (const std::string& bus : buses_) mine.put_text(bus);
    group.send_to_all(mine);
    for (int process = 0; process < group.size(); ++process) {
      if (process == group.rank()) continue;
      const Frame frame = group.receive(process, FrameKind::meet);
      FrameReader theirs = frame.reader();
      for (auto left = theirs.take<std::size_t>(); left > 0; --left) {
        check_apart(theirs.take_line(), process, group);
      }
    }
  }

  Trainer& trainer() override { return execution_.trainer(); }
  std::unique_ptr<OwnRepeat> start(const Plan& plan, std::uint32_t repeat) override {
    return std::make_unique<GpuRepeat>(execution_, plan, repeat, process_, clocks_);
  }

 private:
  void check_apart(const std::string& bus, int process, const Group& group) const {
    if (group.host_of(process) != group.host_of(group.rank())) return;
    if (std::ranges::find(buses_, bus) == buses_.end()) return;
    throw std::runtime_error(group.name_of(process) + " has the same GPU (" + bus +
                             "), and every worker needs its own");
  }

  int process_;
  ClockWatch* clocks_;
  CudaExecution execution_;
  std::vector<std::string> buses_;  ///< of this process's GPUs
};

}  // namespace

std::vector<int> gpus_of(const Plan& plan, const Group& group, const AcceleratorFacts& facts) {
  const auto gpus = static_cast<int>(facts.gpus.size());
  const int own = workers_of(plan, group.rank());
  if (own > gpus) return {};
  int before = 0;
  int all = 0;
  for (int process = 0; process < group.size(); ++process) {
    if (group.host_of(process) != group.host_of(group.rank())) continue;
    all += workers_of(plan, process);
    if (process < group.rank()) before += workers_of(plan, process);
  }
  std::vector<int> mine(static_cast<std::size_t>(own));
  std::iota(mine.begin(), mine.end(), all <= gpus ? before : 0);
  return mine;
}

namespace {

/// "", or why a server has no place: on a GPU of another process.
std::string unplaceable(const ExperimentPoint& point, const Plan& plan) {
  const Placement placement = placement_of(point, plan, DevicePool{.gpus = true});
  for (int shard = 0; shard < plan.shards; ++shard) {
    const Place& place = placement.of(plan.server(shard));
    if (place.device != Place::Device::gpu) continue;
    if (plan.process_of(place.number) == plan.process_of(plan.server(shard))) continue;
    return "server " + std::to_string(shard) +
           " would run on a GPU of another process (use "
           "placement: gpu, cpu or hosts, or one process)";
  }
  return "";
}

}  // namespace

std::string not_executable_in(const Group& group, const ExperimentPoint& point,
                              const AcceleratorFacts& facts) {
  const Plan plan = plan_of_roles(point);
  if (std::string why = unplaceable(point, plan); !why.empty()) return why;
  if (!gpus_of(plan, group, facts).empty()) return "";
  return counted(workers_of(plan, group.rank()), "worker") + " in one process and " +
         counted(facts.gpus.size(), "GPU");
}

MakeOwnRoles own_roles_on_gpus(const AcceleratorFacts& facts, const std::filesystem::path& cache,
                               ClockWatch* clocks) {
  return [&facts, cache, clocks](const Setting& setting, const Group& group) {
    return std::make_unique<GpuRoles>(setting, group, facts, cache, clocks);
  };
}

}  // namespace paceline::cuda
