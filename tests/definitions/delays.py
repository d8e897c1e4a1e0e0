# SPDX-License-Identifier: MIT
"""Random delays by the table "Stragglers" of docs/model.md, drawn by Python's generators.

A distribution is the mapping of the experiment file, with numbers in ms in place of quantities.
"""
import math
import random


def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def centre_of_truncated(mean, deviation):
    """The centre of the normal curve whose part above 0 has this mean, by bisection."""
    low, high = mean - 60 * deviation, mean
    for _ in range(200):
        centre = (low + high) / 2
        share = normal_cdf(centre / deviation)
        density = math.exp(-0.5 * (centre / deviation) ** 2) / math.sqrt(2 * math.pi)
        of_part = centre + deviation * density / share if share > 1e-300 else 0
        low, high = (centre, high) if of_part < mean else (low, centre)
    return high


def truncated_normal(rng, spec):
    centre, deviation = centre_of_truncated(spec["mean"], spec["deviation"]), spec["deviation"]

    def draw():
        while True:
            value = rng.gauss(centre, deviation)
            if value >= 0:
                return value

    return draw


def lognormal(rng, spec):
    sigma = math.sqrt(math.log(1 + spec["cv"] ** 2))
    centre = math.log(spec["mean"]) - sigma ** 2 / 2
    return lambda: rng.lognormvariate(centre, sigma)


def gamma(rng, spec):
    shape = 1 / spec["cv"] ** 2
    return lambda: rng.gammavariate(shape, spec["mean"] / shape)


def mixture(rng, spec):
    parts = [sampler(rng, part["time"]) for part in spec["parts"]]
    shares = [part["share"] for part in spec["parts"]]
    return lambda: rng.choices(parts, shares)[0]()


def markov(rng, spec):
    usual, slow = sampler(rng, spec["usual"]), sampler(rng, spec["slow"])
    enter, leave = spec["enter"] / 100, spec["leave"] / 100
    is_slow = None

    def draw():
        nonlocal is_slow
        if is_slow is None:
            is_slow = rng.random() < enter / (enter + leave)
        elif is_slow:
            is_slow = rng.random() >= leave
        else:
            is_slow = rng.random() < enter
        return slow() if is_slow else usual()

    return draw


def empirical(rng, spec):
    """Linear between the order statistics of the times, i / (n - 1) at the i-th from 0."""
    times = sorted(spec["times"])

    def draw():
        place = rng.random() * (len(times) - 1)
        below = int(place)
        return times[below] + (place - below) * (times[below + 1] - times[below])

    return draw


SAMPLERS = {
    "constant": lambda rng, s: lambda: s["value"],
    "uniform": lambda rng, s: lambda: rng.uniform(s["low"], s["high"]),
    "exponential": lambda rng, s: lambda: rng.expovariate(1 / s["mean"]),
    "shifted-exponential":
        lambda rng, s: lambda: s["shift"] + rng.expovariate(1 / (s["mean"] - s["shift"])),
    "weibull": lambda rng, s: lambda: rng.weibullvariate(s["scale"], s["shape"]),
    "pareto": lambda rng, s: lambda: s["minimum"] * rng.paretovariate(s["shape"]),
    "normal": truncated_normal,
    "lognormal": lognormal,
    "gamma": gamma,
    "mixture": mixture,
    "markov": markov,
    "empirical": empirical,
}


def sampler(rng, spec):
    """A function of no argument that returns the next draw, in ms."""
    return SAMPLERS[spec["kind"]](rng, spec)


class Drawn:
    """The delays of all workers: before forward, and of what is sent."""

    def __init__(self, setting, seed):
        compute, communication = setting.get("compute"), setting.get("communication")

        def streams(spec, purpose):
            return [sampler(random.Random(f"{seed} {purpose} {w}"), spec) if spec else lambda: 0.0
                    for w in range(setting["workers"])]

        self.compute = streams(compute, "compute")
        self.communication = streams(communication, "sent")
        self.lives = [random.Random(f"{seed} life {w}") for w in range(setting["workers"])]
        self.late = setting.get("late_workers", {})
        self.is_total = bool(compute) and compute.get("applies") == "total"
        self.every = setting.get("failures", {}).get("every")

    def before_forward(self, worker, arithmetic):
        drawn = self.compute[worker]()
        delay = max(0.0, drawn - arithmetic) if self.is_total else drawn
        return delay + self.late.get(worker, 0.0)

    def of_sent(self, worker):
        return self.communication[worker]()

    def lifetime(self, worker):
        return self.lives[worker].expovariate(1 / self.every)
