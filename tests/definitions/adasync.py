# SPDX-License-Identifier: MIT
"""adasync by docs/policies/adasync.md, while it trains a linear model by docs/model.md.

The dataset is least-squares with independent inputs of variance 1 and no noise: the loss of an item
is (e . x)^2 / 2, where e is the difference of the weights from the best ones. Its direction and its
size at the beginning have no effect, since K follows the loss relative to the first one.
"""
import math
import random

import policies

INPUTS = 2


class AdaSync:
    """The base's K, chosen again every `window` updates."""

    def __init__(self, setting, draws, seed):
        super().__init__(setting, draws, setting["k"])
        self.first_k, self.window = setting["k"], setting["window"]
        self.rate, self.batch = setting["learning_rate"], setting["batch"]
        self.items = random.Random(f"{seed} items")
        self.errors = [[1.0] * INPUTS]  # by version
        self.slope = [0.0] * INPUTS     # sum of the gradients of the update under way
        self.losses, self.first_loss = [], None

    def count(self, batch):
        super().count(batch)
        error, loss = self.errors[batch.version], 0.0
        for _ in range(self.batch):
            item = [self.items.gauss(0, 1) for _ in range(INPUTS)]
            miss = sum(e * x for e, x in zip(error, item))
            loss += miss * miss / 2
            self.slope = [s + miss * x / self.batch for s, x in zip(self.slope, item)]
        self.losses.append(loss / self.batch)

    def update(self):
        step = self.rate / self.pending
        self.errors.append([e - step * s for e, s in zip(self.errors[-1], self.slope)])
        self.slope = [0.0] * INPUTS
        super().update()
        if self.version % self.window == 0:
            self.choose(sum(self.losses) / len(self.losses))
            self.losses = []

    def choose(self, loss):
        self.first_loss = self.first_loss or loss
        fall = self.first_loss / loss
        k = max(self.k, math.floor(self.solved(fall) + 0.5))
        self.k = max(1, min(k, sum(self.is_alive)))


class OverKAsync(AdaSync, policies.KAsync):
    """Without replacement K is at most the number of workers that may still give a gradient."""

    def solved(self, fall):
        """The root of K^2 / (P - K) = k^2 / (P - k) fall."""
        if self.first_k == self.workers:
            return self.workers
        right = self.first_k ** 2 / (self.workers - self.first_k) * fall
        return (math.sqrt(right ** 2 + 4 * right * self.workers) - right) / 2

    def check_that_enough_are_left(self):
        if self.restart is None:
            self.k = max(1, min(self.k, self.able()))
        super().check_that_enough_are_left()
        if self.pending >= self.k:
            self.update_of_givers()


class OverKBatchAsync(AdaSync, policies.KBatchAsync):
    """No worker waits."""

    def solved(self, fall):
        return self.first_k * math.sqrt(fall)
