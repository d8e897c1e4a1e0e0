# SPDX-License-Identifier: MIT
"""The update policies, each by its page in docs/policies/."""
import operator

import training


class Ksync(training.Training):
    """The first K gradients at the current version, of K workers; sync has K = P. `several`
    mini-batches of a worker make one gradient (accumulate, local-sgd)."""

    def __init__(self, setting, draws, k, several=1):
        super().__init__(setting, draws)
        self.k, self.several = k, several
        self.accrued = [[] for _ in range(self.workers)]  # mini-batches ended, of `several`
        self.given = [False] * self.workers

    def sends(self, worker):
        return len(self.accrued[worker]) == self.several - 1

    def has_weights(self, worker):
        return bool(self.accrued[worker])

    def finished(self, worker, batch):
        self.accrued[worker].append(batch)
        self.begin(worker)

    def accepted(self, worker, batch):
        self.accrued[worker], self.given[worker] = [], True
        self.count(batch)
        if self.pending == self.k:
            self.update()
            self.all_begin()

    def all_begin(self):
        self.given = [False] * self.workers
        self.check_that_enough_are_left()
        for worker in range(self.workers):
            if self.is_alive[worker]:
                free = self.cancel(worker) if self.current[worker] else 0.0
                self.begin(worker, free)

    def died(self, worker):
        for batch in self.accrued[worker]:
            self.lost(batch, self.now)
        self.accrued[worker] = []

    def replaced(self, worker):
        if not self.given[worker]:
            self.begin(worker)

    def able(self):
        return sum(map(operator.or_, self.is_alive, self.given))

    def needed(self):
        return self.k


class KBatchSync(Ksync):
    """The first K mini-batches at the current version, of any workers."""
    goes_on = False  # a worker begins another mini-batch at the same version

    def has_weights(self, worker):
        return self.goes_on

    def accepted(self, worker, batch):
        self.count(batch)
        if self.pending == self.k:
            self.update()
            self.all_begin()
        else:
            self.goes_on = True
            self.begin(worker)
            self.goes_on = False

    def replaced(self, worker):
        self.begin(worker)

    def needed(self):
        return 1


class KAsync(training.Training):
    """K gradients of K different workers, at any versions."""
    at_own_pace = True

    def __init__(self, setting, draws, k):
        super().__init__(setting, draws)
        self.k = k
        self.givers = []

    def accepted(self, worker, batch):
        self.count(batch)
        self.givers.append(worker)
        if self.pending >= self.k:
            self.update_of_givers()

    def update_of_givers(self):
        self.update()
        givers, self.givers = self.givers, []
        self.check_that_enough_are_left()
        for giver in givers:
            if self.is_alive[giver]:
                self.begin(giver)

    def able(self):
        return sum(self.is_alive[w] or w in self.givers for w in range(self.workers))

    def needed(self):
        return self.k

    def replaced(self, worker):
        if worker not in self.givers:
            self.begin(worker)


class KBatchAsync(training.Training):
    """K gradients of any workers; no worker waits. async has K = 1."""
    at_own_pace = True

    def __init__(self, setting, draws, k):
        super().__init__(setting, draws)
        self.k = k

    def accepted(self, worker, batch):
        self.count(batch)
        if self.pending >= self.k:
            self.update()
        self.begin(worker)

    def replaced(self, worker):
        self.begin(worker)


class Ssp(training.Training):
    """async, but a worker begins only while it is at most `slack` ahead of the slowest one that
    lives."""
    at_own_pace = True

    def __init__(self, setting, draws, slack):
        super().__init__(setting, draws)
        self.slack = slack
        self.completed = [0] * self.workers

    def release(self):
        living = [w for w in range(self.workers) if self.is_alive[w]]
        if not living:
            return
        slowest = min(self.completed[w] for w in living)
        for worker in living:
            waits = self.idle_since[worker] is not None
            if waits and self.completed[worker] - slowest <= self.slack:
                self.begin(worker)

    def accepted(self, worker, batch):
        self.count(batch)
        self.update()
        self.completed[worker] += 1
        self.release()

    def died(self, worker):
        self.release()

    def replaced(self, worker):
        others = [done for w, done in enumerate(self.completed) if self.is_alive[w] and w != worker]
        self.completed[worker] = max(self.completed[worker], min(others, default=0))
        self.release()


class Downpour(training.Training):
    """Replicas that push every n-th mini-batch while they compute on; they wait only while both of
    their accrual buffers travel. Weights that arrive during a mini-batch serve the next ones."""
    at_own_pace = True

    def __init__(self, setting, draws, push_every, fetch_every):
        super().__init__(setting, draws)
        self.push_every, self.fetch_every = push_every, fetch_every
        self.accrued = [[] for _ in range(self.workers)]
        self.pushes = [[] for _ in range(self.workers)]  # of accrual buffers that are not free
        self.is_fetching = [False] * self.workers
        self.held = [None] * self.workers                # version of the weights in use
        self.come = [None] * self.workers                # of weights that have arrived since

    def begin(self, worker, not_before=0.0):
        """A replica or its replacement requests the weights."""
        self.end_waits(worker)
        self.comm_since[worker] = self.now
        self.request(worker)

    def request(self, worker):
        self.is_fetching[worker] = True
        self.fetches[worker] += 1
        number, version = self.fetches[worker], self.version

        def is_wanted():
            return number == self.fetches[worker]

        def fetched():
            if is_wanted():
                self.is_fetching[worker], self.come[worker] = False, version
                self.begin_if_idle(worker)

        if self.links is None:
            fetched()
        else:
            self.links.fetch(worker, fetched, is_wanted)

    def begin_if_idle(self, worker):
        if self.comm_since[worker] is None or len(self.pushes[worker]) == 2:
            return
        if self.come[worker] is not None:
            self.held[worker], self.come[worker] = self.come[worker], None
        if self.held[worker] is None:
            return
        self.end_waits(worker)
        if self.begun[worker] % self.fetch_every == 0 and not self.is_fetching[worker]:
            self.request(worker)
        self.start(worker, 0.0, self.held[worker])

    def sends(self, worker):
        return False  # a push is on its way beside the mini-batches

    def finished(self, worker, batch):
        self.comm_since[worker] = self.now
        self.accrued[worker].append(batch)
        if len(self.accrued[worker]) == self.push_every:
            self.pushes[worker].append((self.accrued[worker][0].version, batch.of_sent))
            self.accrued[worker] = []
            if len(self.pushes[worker]) == 1:
                self.push_next(worker)
        self.begin_if_idle(worker)

    def push_next(self, worker):
        """Sends the older of the accrual buffers, after the delay of its copy."""
        of_sent = self.pushes[worker][0][1]
        if self.links is not None:
            self.at(self.now + of_sent, training.CALLS, worker, lambda: self.links.push(
                worker, lambda: self.applied(worker), lambda: True))
        elif of_sent > 0:
            self.at(self.now + of_sent, training.CALLS, worker, lambda: self.applied(worker))
        else:
            self.applied(worker)

    def applied(self, worker):
        """A push outlives its replica."""
        version = self.pushes[worker].pop(0)[0]
        self.pending, self.stale = self.push_every, self.push_every * (self.version - version)
        self.update()
        if self.pushes[worker]:
            self.push_next(worker)
        if self.is_alive[worker]:
            self.begin_if_idle(worker)

    def died(self, worker):
        for batch in self.accrued[worker]:
            self.lost(batch, self.now)
        self.accrued[worker] = []
        self.is_fetching[worker], self.held[worker], self.come[worker] = False, None, None

    def replaced(self, worker):
        self.begin(worker)
