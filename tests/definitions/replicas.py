# SPDX-License-Identifier: MIT
"""Aggregations without decisions: all workers exchange gradients or weights, or none does. By
docs/policies.md, docs/collectives.md and docs/model.md. Times are in ms."""
import links
import training


class Replicas(training.Training):
    """Every worker computes `several` mini-batches, then all sum (allreduce, replicated, ...)."""

    def run(self, gradients):
        several = self.setting.get("several", 1)
        while self.taken < gradients:
            lasts = []
            for worker in range(self.workers):
                self.now = self.updates[-1][0] if self.updates else 0.0
                for i in range(several):
                    last = self.mini_batch(worker, self.now)
                    self.now = last.layers_end
                lasts.append(last)
            slowest = max(last.layers_end for last in lasts)
            self.now = max(last.arrives for last in lasts)
            for last in lasts:
                self.spans["wait"].append((last.layers_end, slowest))
                self.spans["comm"].append((slowest, self.now))
            self.pending = self.workers * several
            self.update()

    def mini_batch(self, worker, begins):
        """Draws a mini-batch, and books its delay and its layers."""
        arithmetic = self.arithmetic[worker]
        delay = self.draws.before_forward(worker, arithmetic)
        batch = training.MiniBatch(begins, delay, arithmetic, self.first_ready * arithmetic,
                                   self.draws.of_sent(worker), self.version)
        self.begins[worker].append(begins)
        self.spans["delay"].append((begins, batch.delay_end))
        self.spans["compute"].append((batch.delay_end, batch.layers_end))
        return batch


class Ring(Replicas):
    """An all-reduce around a ring of equal links, 2 (P-1) steps of a part each: in a step a worker
    sends what it received in the last one. It begins its next mini-batch when it has the sum."""

    def run(self, gradients):
        several, workers = self.setting.get("several", 1), self.workers
        link = self.setting["link"]
        step = (links.HOPS * link["latency"]
                + self.setting["gradient_kb"] / workers / link["bandwidth"])
        begins = [0.0] * workers
        while self.taken < gradients:
            lasts = []
            for worker in range(workers):
                at = begins[worker]
                for _ in range(several):
                    last = self.mini_batch(worker, at)
                    at = last.layers_end
                lasts.append(last)
            slowest = max(last.layers_end for last in lasts)
            received = [last.arrives for last in lasts]  # at first, the gradient of its own
            sent = list(received)
            for _ in range(2 * (workers - 1)):
                sent = [max(sent[w], received[w]) + step for w in range(workers)]
                received = [max(lasts[w].arrives, sent[w - 1]) for w in range(workers)]
            for worker in range(workers):
                ends = max(sent[worker], received[worker])
                self.spans["wait"].append((lasts[worker].layers_end, slowest))
                self.spans["comm"].append((slowest, max(slowest, ends)))
                begins[worker] = ends
            self.now = max(begins)
            self.pending = workers * several
            self.update()


class OneLoss(Replicas):
    """gather with the loss on the first GPU, concatenated: all outputs are put together for the
    loss, so that backward begins when the last worker has gone forward."""

    def run(self, gradients):
        while self.taken < gradients:
            begins = self.updates[-1][0] if self.updates else 0.0
            delays = [self.draws.before_forward(w, self.arithmetic[w]) for w in range(self.workers)]
            sent = [self.draws.of_sent(w) for w in range(self.workers)]
            loss = max(begins + delays[w] + self.arithmetic[w] / 3 for w in range(self.workers))
            arrivals = []
            for w in range(self.workers):
                forward_end = begins + delays[w] + self.arithmetic[w] / 3
                layers_end = loss + self.arithmetic[w] * 2 / 3
                first_ready = loss + (self.first_ready - 1 / 3) * self.arithmetic[w]
                arrivals.append(max(layers_end, first_ready + sent[w]))
                self.begins[w].append(begins)
                self.spans["delay"].append((begins, begins + delays[w]))
                self.spans["compute"] += [(begins + delays[w], forward_end), (loss, layers_end)]
                self.spans["comm"].append((forward_end, loss))
            self.now = max(arrivals)
            for w in range(self.workers):
                self.spans["comm"].append((loss + self.arithmetic[w] * 2 / 3, self.now))
            self.pending = self.workers
            self.update()


class Staged(Replicas):
    """A mini-batch is computed on the weights of the update before, while its predecessor's
    gradient leaves: it begins when the worker has ended its last one and the update before that is
    made. The mini-batches of one further update are computed: they begin before the last update is
    made."""

    def run(self, gradients):
        free = [0.0] * self.workers
        made = [0.0, 0.0]  # the last two updates
        while self.taken < gradients:
            self.now = self.update_end(free, made)
            made = [made[-1], self.now]
            self.pending = self.workers
            self.stale = self.workers if self.updates else 0
            self.update()
        self.update_end(free, made)
        for worker in range(self.workers):
            self.spans["comm"].append((free[worker], max(free[worker], self.now)))

    def update_end(self, free, made):
        sent = []
        for worker in range(self.workers):
            begins = max(free[worker], made[-2])
            self.spans["comm"].append((free[worker], begins))
            batch = self.mini_batch(worker, begins)
            free[worker] = batch.layers_end
            # it leaves once its predecessor is applied
            sent.append(max(batch.layers_end, max(batch.first_ready, made[-1]) + batch.of_sent))
        return max(sent)


class Independent(Replicas):
    """Workers that exchange nothing: each makes updates of its own."""
    at_own_pace = True

    def run_rounds(self, warmup, rounds):
        """Trains, and returns the window: from the first worker's last update of the warm-up to the
        first worker's last update."""
        ends = []
        for worker in range(self.workers):
            times = [0.0]
            for _ in range(warmup + rounds):
                times.append(self.mini_batch(worker, times[-1]).layers_end)
            self.begins[worker].append(times[-1])  # the end of the last mini-batch
            ends.append(times)
        self.now = max(times[-1] for times in ends)
        return min(times[warmup] for times in ends), min(times[-1] for times in ends)
