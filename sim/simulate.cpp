#include "sim/simulate.hpp"

#include "sim/devices/simulated_machine.hpp"

namespace paceline {

void simulate_once(const Setting& setting, std::uint32_t repeat, Recorder& recorder) {
  const Plan plan = setting.plan_of(repeat, &recorder);
  const Costs costs = setting.costs_of(repeat);
  SimulatedMachine clock(*setting.machine, costs, setting.places, plan.workers, &recorder);
  const Aggregation& aggregation = *setting.point->experiment.aggregation;
  for (RoleId role = 0; role < plan.roles(); ++role) {
    clock.start_role(role, aggregation.program(plan, clock, role));
  }
  clock.run();
}

Measurement simulate(const Setting& setting, bool keep_steps) {
  std::vector<Measurement> repeats;
  std::vector<std::vector<double>> iterations;
  Counting counting = setting.counting;
  counting.keep_steps = keep_steps;
  for (int repeat = 0; repeat < setting.point->experiment.repeats; ++repeat) {
    Recorder recorder(counting);
    simulate_once(setting, static_cast<std::uint32_t>(repeat), recorder);
    repeats.push_back(recorder.result());
    iterations.push_back(recorder.iterations());
  }
  const double gradients = counting.replicas ? counting.workers : counting.gradients_per_update;
  Measurement joined = join_repeats(repeats, iterations, gradients * counting.items_per_gradient);
  joined.memory_bytes_peak = memory_of(*setting.point).value();
  return joined;
}

}  // namespace paceline
