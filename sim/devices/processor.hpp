// SPDX-License-Identifier: MIT
/// \file
/// A device that does arithmetic: layers, sums of gradients, updates. There is a class for each way
/// in which roles have or share processors: OwnGpu, SharedCores, TimeSharedCard, SplitCard,
/// SharedPart.
///
/// Cancelled arithmetic stops at the border of the layer under way. The layers of an operation
/// share its time in proportion to the table of layers (LayerClock), so the border's place follows
/// from how much of the operation's time is left.
#pragma once
#include "sim/devices/layer_clock.hpp"
#include "sim/devices/operation_state.hpp"
#include "training/runtime/observer.hpp"

namespace paceline {

/// The parts of the machine that a device uses.
struct DeviceContext {
  Timeline& time;
  FluidNetwork& network;
  OperationStates& operations;
  const LayerClock& layers;
  const Costs& costs;
};

/// The machine, as a device calls it back.
class DeviceListener {
 public:
  virtual ~DeviceListener() = default;
  virtual void ended(OpIndex op, Outcome outcome) = 0;
  /// All ranks of a collective, `op` of one of them, end now.
  virtual void combine(OpIndex op) = 0;
  virtual const Command& command_of(OpIndex op) const = 0;
  virtual Stream stream_of_operation(OpIndex op) const = 0;
  /// An observer of layers, null where none wants them.
  virtual Observer* observer_of_parts() const = 0;
};

class Processor {
 public:
  Processor(const DeviceContext& context, DeviceListener& machine)
      : time_(context.time),
        network_(context.network),
        operations_(context.operations),
        layers_(context.layers),
        costs_(context.costs),
        machine_(machine) {}
  virtual ~Processor() = default;
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;

  /// Starts arithmetic that takes `ps` (> 0) on a processor of its own, and calls the machine's
  /// `ended` when it has ended. The host launches its kernels until `launched_ps`: `ps` reaches at
  /// least so far.
  virtual void start(OpIndex op, Stream stream, const Command& command, double ps,
                     std::int64_t launched_ps) = 0;
  /// The start latency that `start` scheduled is over.
  virtual void go_on(OpIndex /*op*/) {}
  /// The operation's timer or flow has ended.
  virtual void advance(OpIndex op) { machine_.ended(op, Outcome::done); }
  /// The mini-batch was cancelled: ends the operation at the border of the layer under way.
  virtual void stop(OpIndex op, const LayerRange& layers);
  /// The operation ends now, wherever it is: notes how far its layers have come.
  virtual void note_cut(OpIndex op, const LayerRange& layers);
  /// The operation has ended.
  virtual void release(OpIndex /*op*/) {}
  /// Whether layers are reported one by one as they end; else in proportion when all have ended.
  virtual bool walks_layers() const { return false; }

 protected:
  /// Picoseconds of its arithmetic still to do, at full speed.
  virtual double left_ps(OpIndex op) const = 0;
  /// Goes on with `ps` that are left, in place of what was scheduled before.
  virtual void restart(OpIndex op, double ps) = 0;

  void schedule(OpIndex op, std::int64_t at_ps) {
    time_.push(EventKind::timer, at_ps, op, ++operations_[op].generation);
  }
  ArithmeticWork& begin_arithmetic(OpIndex op, double ps);
  const ArithmeticWork& arithmetic(OpIndex op) const {
    return std::get<ArithmeticWork>(operations_.at(op).work);
  }
  ArithmeticWork& arithmetic(OpIndex op) { return std::get<ArithmeticWork>(operations_[op].work); }

  Timeline& time_;
  FluidNetwork& network_;
  OperationStates& operations_;
  const LayerClock& layers_;
  const Costs& costs_;
  DeviceListener& machine_;

 private:
  WorkId work_of(OpIndex op) const { return machine_.command_of(op).work; }
  /// The time of an operation's layers over that in the table of layers.
  double stretch_of(OpIndex op, const LayerRange& layers) const;
};

}  // namespace paceline
