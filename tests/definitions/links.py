# SPDX-License-Identifier: MIT
"""Copies by docs/model.md ("Transfers"): one switch joins the workers and a server by equal links,
each with a latency and a bandwidth in each direction. Copies that share the server's link have
equal shares of it at every instant. Times are in ms, sizes in kB, so that bandwidths are in MB/s.
"""
import training

HOPS = 2  # a worker's link and the server's, or two workers'


class Shared:
    """One direction of the server's link."""

    def __init__(self, run, bandwidth):
        self.run, self.bandwidth = run, bandwidth
        self.flows, self.since, self.changes = [], 0.0, 0  # flows: [kB left, what its end calls]

    def begin(self, size, ended):
        self.advance()
        self.flows.append([size, ended])
        self.plan()

    def advance(self):
        """Takes off what has flown since the last change."""
        if self.flows:
            flown = (self.run.now - self.since) * self.bandwidth / len(self.flows)
            for flow in self.flows:
                flow[0] -= flown
        self.since = self.run.now

    def plan(self):
        """The end of the flow that has the least left, unless another begins before."""
        self.changes += 1
        if not self.flows:
            return
        changes, first = self.changes, min(self.flows, key=lambda flow: flow[0])
        end = self.run.now + max(0.0, first[0]) * len(self.flows) / self.bandwidth

        def ended():
            if changes == self.changes:
                self.advance()
                self.flows.remove(first)
                self.plan()
                first[1]()

        self.run.at(end, training.CALLS, -1, ended)


class Links:
    """Pushes to the server and fetches from it."""

    def __init__(self, run, setting):
        self.run, self.size = run, setting["gradient_kb"]
        self.latency = HOPS * setting["link"]["latency"]
        bandwidth = setting["link"]["bandwidth"]
        self.to_server, self.from_server = Shared(run, bandwidth), Shared(run, bandwidth)
        self.behind = {}  # by direction and worker: what waits for the copy in flight

    def push(self, worker, arrived, is_wanted):
        self.over(self.to_server, worker, arrived, is_wanted)

    def fetch(self, worker, fetched, is_wanted):
        self.over(self.from_server, worker, fetched, is_wanted)

    def after_push(self, worker, then):
        """Calls `then` once no push of the worker is in flight."""
        stream = (self.to_server, worker)
        if stream in self.behind:
            self.behind[stream].append(then)
        else:
            then()

    def over(self, direction, worker, ended, is_wanted):
        """A copy after those of the same worker and direction. One that is not wanted when its turn
        comes is left out."""
        stream = (direction, worker)
        if stream in self.behind:
            self.behind[stream].append(lambda: self.over(direction, worker, ended, is_wanted))
        elif is_wanted():
            self.behind[stream] = []

            def landed():
                behind = self.behind.pop(stream)
                ended()
                for what in behind:
                    what()

            self.run.at(self.run.now + self.latency, training.CALLS, worker,
                        lambda: direction.begin(self.size, landed))
