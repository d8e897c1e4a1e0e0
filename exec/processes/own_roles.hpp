// SPDX-License-Identifier: MIT
/// \file
/// The devices on which a process runs its own roles of a point: threads of the host, or GPUs
/// (exec/cuda).
#pragma once
#include <functional>
#include <memory>

#include "exec/machine/real_machine.hpp"
#include "exec/processes/group.hpp"
#include "exec/processes/staging.hpp"
#include "training/experiment/trainer.hpp"

namespace paceline {

/// A repeat of this process's roles.
class OwnRepeat {
 public:
  virtual ~OwnRepeat() = default;
  /// Whether the devices of all processes must connect; the same in all of them.
  virtual bool meets() const { return false; }
  /// Connects them, once every process has made its repeat. May throw.
  virtual void meet(Group& /*group*/) {}
  virtual Buffers& buffers() = 0;
  /// A machine for one run. This, `time` and `remote` must outlive it.
  virtual std::unique_ptr<RealMachine> machine(TimeSource& time, RemotePeer& remote) = 0;
  /// The roles begin to run, or have ended.
  virtual void note_running(bool /*running*/) {}
  /// For a thread that copies between the buffers and other processes.
  virtual std::unique_ptr<Staging> staging() const { return std::make_unique<NoStaging>(); }
};

class OwnRoles {
 public:
  virtual ~OwnRoles() = default;
  /// Called once, when every process has made its OwnRoles. Throws if they do not fit together.
  virtual void meet(Group& /*group*/) {}
  virtual Trainer& trainer() = 0;
  /// `plan` must outlive the result.
  virtual std::unique_ptr<OwnRepeat> start(const Plan& plan, std::uint32_t repeat) = 0;
};

/// `setting` must outlive the result.
using MakeOwnRoles =
    std::function<std::unique_ptr<OwnRoles>(const Setting& setting, const Group& group)>;

/// Roles on threads of the host.
std::unique_ptr<OwnRoles> own_roles_on_host(const Setting& setting, const Group& group);

}  // namespace paceline
