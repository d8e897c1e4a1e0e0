# SPDX-License-Identifier: MIT
"""The update policies, each by its page in docs/policies/."""
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
        for worker in range(self.workers):
            self.given[worker] = False
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
        if self.pending == self.k:
            self.update()
            givers, self.givers = self.givers, []
            for giver in givers:
                if self.is_alive[giver]:
                    self.begin(giver)

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
        if self.pending == self.k:
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
    """Replicas that push every n-th mini-batch while they compute on; they wait only while an
    earlier push is not yet applied. Weights fetched during a mini-batch serve the next ones."""
    at_own_pace = True

    def __init__(self, setting, draws, push_every, fetch_every):
        super().__init__(setting, draws)
        self.push_every, self.fetch_every = push_every, fetch_every
        self.accrued = [[] for _ in range(self.workers)]
        self.last_push = [0.0] * self.workers             # when it is applied
        self.fetched = [0] * self.workers                 # version of the weights in use next

    def version_of(self, worker):
        used = self.fetched[worker]
        if self.begun[worker] % self.fetch_every == 0:
            self.fetched[worker] = self.version
        return used

    def sends(self, worker):
        return False  # a push is on its way beside the mini-batches

    def finished(self, worker, batch):
        accrued = self.accrued[worker]
        accrued.append(batch)
        if len(accrued) < self.push_every:
            self.begin(worker)
            return
        before = self.last_push[worker]
        applied = max(batch.layers_end, max(batch.first_ready, before) + batch.of_sent)
        self.last_push[worker] = applied
        if applied > self.now:
            self.at(applied, training.APPLIES, worker, ("push", accrued[0].version))
        else:
            self.applies(worker, ("push", accrued[0].version))
        self.accrued[worker] = []
        if before <= self.now:
            self.begin(worker)
        else:
            self.idle_since[worker] = self.now
            self.at(before, training.APPLIES, worker, ("room", self.deaths_of[worker]))

    def applies(self, worker, what):
        kind, value = what
        if kind == "push":
            self.pending, self.stale = self.push_every, self.push_every * (self.version - value)
            self.update()
        elif self.is_alive[worker] and self.deaths_of[worker] == value:
            self.begin(worker)

    def died(self, worker):
        for batch in self.accrued[worker]:
            self.lost(batch, self.now)
        self.accrued[worker] = []

    def replaced(self, worker):
        self.fetched[worker] = self.version
        self.begin(worker)
