# SPDX-License-Identifier: MIT
"""Training, event by event, by docs/policies.md. Only delays and layers take time, and copies where
there are links (links.py).

Written from the pages alone: it shares no code with the program that it checks. Times are in ms.
"""
import functools
import heapq
import math

import links

ARRIVES, FINISHES, DIES, RETURNS, CALLS = range(5)


class TooFewLeft(Exception):
    """The living workers and the gradients of dead ones are fewer than an update takes."""


class MiniBatch:
    """One mini-batch of a worker: when its parts end, unless it is cancelled before."""
    __slots__ = ("begins", "delay_end", "forward_end", "backward_begins", "first_ready",
                 "layers_end", "of_sent", "arrives", "version", "lengths")

    def __init__(self, begins, delay, arithmetic, first_ready, of_sent, version):
        self.begins, self.of_sent, self.version = begins, of_sent, version
        self.delay_end = begins + delay
        self.forward_end = self.delay_end + arithmetic / 3
        self.lengths = arithmetic, first_ready
        self.go_backward(self.forward_end)

    def go_backward(self, at):
        self.backward_begins = at
        arithmetic, first_ready = self.lengths
        begun = self.delay_end + (at - self.forward_end)
        self.first_ready = begun + first_ready
        self.layers_end = begun + arithmetic
        # the delay of what is sent begins with the first gradient that is ready to leave
        self.arrives = max(self.layers_end, self.first_ready + self.of_sent)

    def work(self, until):
        """The spans of its delay and its layers."""
        if self.backward_begins == self.forward_end:
            spans = [[self.begins, min(until, self.layers_end)]]
        else:
            spans = [[self.begins, min(until, self.forward_end)],
                     [self.backward_begins, min(until, self.layers_end)]]
        return [span for span in spans if span[1] > span[0]]

    def layer_end(self, now, boundaries):
        """When the layer that runs now ends."""
        if self.forward_end <= now < self.backward_begins:
            return now
        late = self.backward_begins - self.forward_end if now >= self.backward_begins else 0.0
        ends = (self.delay_end + share * self.lengths[0] + late for share in boundaries)
        return min((end for end in ends if end >= now), default=self.layers_end)


class Training:
    """Workers and servers; a policy's class says what an accepted gradient, a death and a
    replacement cause."""
    at_own_pace = False  # else all workers begin again after an update

    def __init__(self, setting, draws):
        self.setting, self.draws = setting, draws
        self.workers = setting["workers"]
        slowdowns = setting.get("slowdowns", {})
        self.arithmetic = [setting["arithmetic"] * slowdowns.get(w, 1) for w in range(self.workers)]
        layers, together = setting.get("tensors", 1), setting.get("layers_of_bucket", 1)
        self.boundaries = ([i / (3 * layers) for i in range(1, layers + 1)]
                           + [1 / 3 + 2 * i / (3 * layers) for i in range(1, layers + 1)])
        # weights, and a buffer of accrued gradients, are ready to leave when all layers are
        self.sends_whole = setting["update"] in ("local-sgd", "downpour")
        self.first_ready = 1.0 if self.sends_whole else self.boundaries[layers + together - 1]
        self.restart = setting.get("failures", {}).get("restart")  # None: the dead stay dead
        self.now, self.events, self.counter = 0.0, [], 0
        self.links = links.Links(self, setting) if "link" in setting else None
        self.version = 0
        self.begun = [0] * self.workers
        self.current = [None] * self.workers      # the mini-batch under way
        self.idle_since = [None] * self.workers   # when the worker began to wait
        self.fetches = [0] * self.workers
        self.comm_since = [None] * self.workers   # when it began to wait for a copy
        self.free = [0.0] * self.workers          # when the layer that still runs has ended
        self.late = [()] * self.workers           # the spans that this layer ends
        self.is_alive = [True] * self.workers
        self.spans = {"compute": [], "delay": [], "comm": [], "wait": [], "wasted": []}
        self.begins = [[] for _ in range(self.workers)]
        self.updates = []      # (time, gradients, sum of their stalenesses)
        self.taken = 0         # gradients of all updates
        self.pending, self.stale = 0, 0
        self.several = 1  # mini-batches of a gradient

    def at(self, time, kind, worker, what=None):
        self.counter += 1
        heapq.heappush(self.events, (time, self.counter, kind, worker, what))

    def run(self, gradients):
        for worker in range(self.workers):
            self.begin(worker)
            self.live(worker)
        while self.taken < gradients:
            self.now, _, kind, worker, what = heapq.heappop(self.events)
            if kind == ARRIVES:
                if self.current[worker] is what:
                    self.close(worker)
                    self.idle_since[worker] = self.now
                    self.accepted(worker, what)
            elif kind == FINISHES:
                if self.current[worker] is what:
                    self.close(worker)
                    self.finished(worker, what)
            elif kind == CALLS:
                what()
            elif kind == DIES:
                self.die(worker)
            else:
                self.is_alive[worker] = True
                self.live(worker)
                self.replaced(worker)
        for worker in range(self.workers):
            if self.current[worker]:
                self.close(worker)
            self.end_waits(worker)

    # workers

    def begin(self, worker, not_before=0.0):
        """Begins the worker's next mini-batch, at once or when its running layer has ended."""
        if self.idle_since[worker] is not None:
            self.end_waits(worker)
        version = self.version
        if self.links is None or self.has_weights(worker):
            self.start(worker, not_before, version)
        else:
            self.fetch(worker, not_before, version)

    def fetch(self, worker, not_before, version):
        """Fetches the weights, once a layer that still reads the old ones has ended. A later fetch
        supersedes this one, which is carried out only if it has begun."""
        self.free[worker] = max(self.now, not_before, self.free[worker])
        if self.comm_since[worker] is None:
            self.comm_since[worker] = self.free[worker]
        self.fetches[worker] += 1
        number = self.fetches[worker]

        def fetched():
            if number == self.fetches[worker]:
                self.end_waits(worker)
                self.start(worker, 0.0, version)

        ask = functools.partial(self.links.fetch, worker, fetched,
                                lambda: number == self.fetches[worker])
        if self.sends_whole:  # a push in flight reads the weights
            ask = functools.partial(self.links.after_push, worker, ask)
        self.at(self.free[worker], CALLS, worker, ask)

    def start(self, worker, not_before, version):
        """The worker has the weights."""
        arithmetic = self.arithmetic[worker]
        begins = max(self.now, not_before)
        batch = MiniBatch(begins, self.draws.before_forward(worker, arithmetic), arithmetic,
                          self.first_ready * arithmetic, self.draws.of_sent(worker), version)
        self.begun[worker] += 1
        self.current[worker] = batch
        if self.links is None or self.sends_whole:
            self.plan(worker, batch)
            return

        def go_backward():
            if self.current[worker] is batch:
                batch.go_backward(self.now)
                self.plan(worker, batch)

        # a push in flight, of a mini-batch that was cancelled, reads the gradient
        batch.go_backward(math.inf)
        self.at(batch.forward_end, CALLS, worker,
                functools.partial(self.links.after_push, worker, go_backward))

    def plan(self, worker, batch):
        """Arranges for its end."""
        if self.sends(worker) and self.links is not None:
            self.at(batch.arrives, CALLS, worker, functools.partial(self.push, worker, batch))
        elif self.sends(worker):
            self.at(batch.arrives, ARRIVES, worker, batch)
        else:
            batch.arrives = batch.layers_end
            self.at(batch.layers_end, FINISHES, worker, batch)

    def end_waits(self, worker):
        """Books what the worker has waited for until now."""
        for name, since in (("wait", self.idle_since), ("comm", self.comm_since)):
            if since[worker] is not None and since[worker] < self.now:
                self.spans[name].append((since[worker], self.now))
            since[worker] = None

    def push(self, worker, batch):
        """Sends a gradient, unless its mini-batch has been cancelled."""
        self.links.push(worker, lambda: self.at(self.now, ARRIVES, worker, batch),
                        lambda: self.current[worker] is batch)

    def close(self, worker):
        """Ends the mini-batch under way now, and books its time. One that has not begun, since a
        layer of the mini-batch before still ran, is none."""
        batch, now = self.current[worker], self.now
        self.current[worker] = None
        if now < batch.begins:
            return batch
        self.begins[worker].append(batch.begins)
        self.spans["delay"].append((batch.begins, min(batch.delay_end, now)))
        for begins, ends in batch.work(now):
            if ends > max(begins, batch.delay_end):
                self.spans["compute"].append((max(begins, batch.delay_end), ends))
        if min(batch.backward_begins, now) > batch.forward_end:
            self.spans["comm"].append((batch.forward_end, min(batch.backward_begins, now)))
        if now > batch.layers_end:
            self.spans["comm"].append((batch.layers_end, now))
        return batch

    def cancel(self, worker):
        """Gives the mini-batch under way up: a delay at once, arithmetic at the next layer. Returns
        when the worker is free."""
        batch, until = self.current[worker], self.now
        if batch.delay_end < self.now < batch.layers_end:
            until = batch.layer_end(self.now, self.boundaries)
            layer, work = [self.now, until], batch.work(until)
            self.spans["compute"].append(layer)
            self.spans["wasted"] += work
            self.late[worker] = layer, work[-1]
            self.close(worker)
            return until
        if self.now < batch.begins:
            until = batch.begins  # a layer of an earlier mini-batch still runs
        self.lost(self.close(worker), self.now)
        return until

    def lost(self, batch, until):
        """Arithmetic and delay of a mini-batch whose gradient no update takes."""
        self.spans["wasted"] += batch.work(until)

    def stop_at_once(self, worker):
        """Ends the layer of a cancelled mini-batch that still runs."""
        for span in self.late[worker]:
            span[1] = min(span[1], self.now)
        self.free[worker] = min(self.free[worker], self.now)

    def live(self, worker):
        if self.draws.every is not None:
            self.at(self.now + self.draws.lifetime(worker), DIES, worker)

    def die(self, worker):
        self.is_alive[worker] = False
        self.stop_at_once(worker)
        if self.current[worker]:
            self.lost(self.close(worker), self.now)
        self.fetches[worker] += 1  # nothing takes what is fetched
        self.end_waits(worker)
        self.idle_since[worker] = self.now
        if self.restart is not None:
            self.at(self.now + self.restart, RETURNS, worker)
        self.died(worker)
        self.check_that_enough_are_left()

    def check_that_enough_are_left(self):
        if self.restart is None and self.able() < self.needed():
            raise TooFewLeft

    # what a policy may decide

    def able(self):
        """Workers that can give a gradient to the current update, or have given it."""
        return sum(self.is_alive)

    def needed(self):
        """Workers that an update needs."""
        return 1

    def sends(self, worker):
        """Whether the mini-batch that begins sends something when it has ended."""
        return True

    def has_weights(self, worker):
        """Whether the mini-batch that begins needs no fetch: the worker trains on by itself."""
        return False

    def finished(self, worker, batch):
        self.begin(worker)

    def died(self, worker):
        pass

    def count(self, batch):
        """Adds a gradient to the sum of the current update."""
        self.pending += 1
        self.stale += self.version - batch.version

    def update(self):
        self.updates.append((self.now, self.pending * self.several, self.stale * self.several))
        self.taken += self.pending * self.several
        self.version += 1
        self.pending = self.stale = 0
