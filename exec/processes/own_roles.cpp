// SPDX-License-Identifier: MIT
#include "exec/processes/own_roles.hpp"

#include "exec/host/host_machine.hpp"

namespace paceline {
namespace {

class HostRepeat final : public OwnRepeat {
 public:
  HostRepeat(Trainer& trainer, const Plan& plan, std::uint32_t repeat, ServerPlacement servers)
      : plan_(plan), learning_(trainer.start(plan, repeat)), servers_(servers) {}

  Buffers& buffers() override { return learning_.buffers(); }
  std::unique_ptr<RealMachine> machine(TimeSource& time, RemotePeer& remote) override {
    return std::make_unique<HostMachine>(plan_, learning_, time, &remote, servers_);
  }

 private:
  const Plan& plan_;
  Learning learning_;
  ServerPlacement servers_;
};

class HostRoles final : public OwnRoles {
 public:
  HostRoles(const Setting& setting, const Group& group)
      : servers_(setting.point->experiment.aggregation->placement()),
        trainer_(setting, setting.plan.workers, group.rank()) {}

  Trainer& trainer() override { return trainer_; }
  std::unique_ptr<OwnRepeat> start(const Plan& plan, std::uint32_t repeat) override {
    return std::make_unique<HostRepeat>(trainer_, plan, repeat, servers_);
  }

 private:
  ServerPlacement servers_;
  Trainer trainer_;
};

}  // namespace

std::unique_ptr<OwnRoles> own_roles_on_host(const Setting& setting, const Group& group) {
  return std::make_unique<HostRoles>(setting, group);
}

}  // namespace paceline
