// SPDX-License-Identifier: MIT
#include "sim/devices/shared_machine.hpp"

#include "sim/devices/simulated_machine.hpp"

namespace paceline {

ResourceId SharedMachine::link(const Machine& machine, int computer, int link) {
  const std::pair place{computer, link};
  const auto known = links_.find(place);
  if (known != links_.end()) return known->second;
  return links_[place] = network_.add_resource(machine.figures(link).capacity.value());
}

RouteId SharedMachine::part(Part part, int number, double at_once) {
  const std::pair place{part, number};
  const auto known = parts_.find(place);
  if (known != parts_.end()) return known->second;
  const Use use{network_.add_resource(at_once), 1.0};
  return parts_[place] = network_.add_route({&use, 1}, 1.0);
}

void SharedMachine::run(std::span<SimulatedMachine* const> jobs) {
  of_one_job_ = jobs.size() == 1;
  SimulatedMachine& measured = *jobs.front();
  EventQueue& events = agenda_.events;
  for (;;) {
    for (SimulatedMachine* const job : jobs) job->run_ready();
    // the last update may end after the roles that queued it
    const bool others_go_on = jobs.size() > 1;
    if (others_go_on && measured.all_roles_done() && !measured.has_work_under_way()) return;
    if (events.empty() || events.top().time_ps > agenda_.now.ps) {
      if (start_launches(jobs)) continue;
      if (network_.unsettled()) settle();
    }
    if (events.empty()) break;
    const Event event = events.pop();
    // time does not pass for an event that was called off
    const bool of_network = Timeline::kind_of(event) == EventKind::flow_end;
    if (of_network ? network_.stale({event.time_ps, FlowClassId{event.subject}, event.generation})
                   : jobs[Timeline::job_of(event)]->stale(event))
      continue;
    if (event.time_ps == kEndOfClock) break;
    agenda_.now.ps = event.time_ps;
    happen(event, jobs);
  }
  measured.check_that_roles_ended();
}

/// Whether there were any.
bool SharedMachine::start_launches(std::span<SimulatedMachine* const> jobs) {
  bool any = false;
  for (SimulatedMachine* const job : jobs) {
    if (!job->has_launches()) continue;
    job->start_launches();
    any = true;
  }
  return any;
}

void SharedMachine::settle() {
  for (const Wakeup& wakeup : network_.settle(agenda_.now.ps)) {
    agenda_.events.push_in_lane(1, wakeup.time_ps, static_cast<std::uint8_t>(EventKind::flow_end),
                                static_cast<std::uint32_t>(wakeup.flow_class), wakeup.generation);
  }
}

void SharedMachine::happen(const Event& event, std::span<SimulatedMachine* const> jobs) {
  if (Timeline::kind_of(event) != EventKind::flow_end) {
    jobs[Timeline::job_of(event)]->happen(event);
    return;
  }
  const Wakeup wakeup{event.time_ps, FlowClassId{event.subject}, event.generation};
  if (jobs.size() == 1) {
    for (const std::uint32_t flow : network_.complete(wakeup)) jobs.front()->flow_ended(flow);
    return;
  }
  for (const std::uint32_t flow : network_.complete(wakeup)) {
    jobs[Timeline::job_of_flow(flow)]->flow_ended(Timeline::without_job(flow));
  }
}

}  // namespace paceline
