# SPDX-License-Identifier: MIT
"""Random settings: policies, aggregations, workers and their delays. A setting is a mapping with
times in ms; experiment_file.py writes it as the program reads it, `training_of` trains by it.
"""
import math

import adasync
import delays
import policies
import replicas

UPDATES = ["sync", "accumulate", "k-sync", "k-batch-sync", "async", "k-async", "k-batch-async",
           "ssp", "downpour", "local-sgd", "adasync"]
ON_REPLICAS = ["sync", "accumulate", "local-sgd"]
WITHOUT_SERVERS = ["allreduce", "replicated", "distributed-replicated", "peer-to-peer", "gather",
                   "concatenated", "staged", "independent"]
ALGORITHMS = ["ring", "halving-doubling", "double-binary-tree", "hierarchical", "torus",
              "peer-to-peer"]
FAMILIES = ["constant", "uniform", "exponential", "shifted-exponential", "gamma", "lognormal",
            "normal", "weibull", "pareto"]


def time_near(rng, ms):
    return float(f"{ms * rng.uniform(0.3, 1.7):.3g}")


def distribution(rng, ms, nested=False):
    """One whose mean is near `ms`, with moments that a few thousand draws estimate well."""
    composed = [] if nested else ["exponential", "mixture", "markov", "empirical"]
    kind = rng.choice(FAMILIES + composed)
    mean = time_near(rng, ms)
    if kind == "constant":
        spec = {"value": mean}
    elif kind == "uniform":
        low = time_near(rng, ms / 2)
        spec = {"low": low, "high": low + mean}
    elif kind == "exponential":
        spec = {"mean": mean}
    elif kind == "shifted-exponential":
        spec = {"shift": mean, "mean": mean + time_near(rng, ms / 2)}
    elif kind in ("gamma", "lognormal"):
        spec = {"mean": mean, "cv": round(rng.uniform(0.1, 1.5), 2)}
    elif kind == "normal":
        spec = {"mean": mean, "deviation": float(f"{mean * rng.uniform(0.1, 1.2):.3g}")}
    elif kind == "weibull":
        spec = {"scale": mean, "shape": round(rng.uniform(0.8, 4), 2)}
    elif kind == "pareto":
        spec = {"minimum": float(f"{mean / 2:.3g}"), "shape": round(rng.uniform(3.5, 6), 2)}
    elif kind == "mixture":
        share = rng.randint(5, 60)
        spec = {"parts": [{"share": share, "time": distribution(rng, 3 * ms, True)},
                          {"share": 100 - share, "time": distribution(rng, ms / 2, True)}]}
    elif kind == "markov":
        spec = {"usual": distribution(rng, ms / 2, True), "slow": distribution(rng, 3 * ms, True),
                "enter": rng.randint(5, 50), "leave": rng.randint(20, 100)}
    else:
        spec = {"times": [time_near(rng, ms) for _ in range(rng.randint(2, 30))]}
    spec["kind"] = kind
    return spec


def group_for(rng, workers):
    return rng.choice([n for n in range(1, workers + 1) if workers % n == 0])


def add_aggregation_of(rng, setting):
    """An aggregation that serves the policy."""
    update = setting["update"]
    if update in ON_REPLICAS and rng.random() < 0.6 or rng.random() < 0.05:
        kinds = WITHOUT_SERVERS[:4] + (WITHOUT_SERVERS[4:] if update == "sync" else [])
        setting["aggregation"] = "independent" if update not in ON_REPLICAS else rng.choice(kinds)
    else:
        setting["aggregation"] = "parameter-server"


def add_keys(rng, setting):
    """The policy's keys."""
    update = setting["update"]
    if update in ("k-sync", "k-batch-sync", "k-async", "k-batch-async", "adasync"):
        setting["k"] = rng.randint(1, setting["workers"])
    if update in ("accumulate", "local-sgd"):
        setting["several"] = rng.randint(2, 9)
    if update == "ssp":
        setting["slack"] = rng.choice([0, 1, 2, 3, 10])
    if update == "downpour":
        setting["push_every"] = rng.choice([1, 1, 2, 5])
        setting["fetch_every"] = rng.choice([1, 1, 3, 4])
    if update == "adasync":
        setting["base"] = rng.choice(["k-async", "k-batch-async"])
        setting["window"] = rng.randint(3, 60)
        # the loss falls by up to exp(8) in 120 rounds with K = k
        updates = 120 * setting["workers"] / setting["k"]
        setting["learning_rate"] = float(f"{rng.uniform(0.1, 4) / updates:.3g}")
        setting["batch"] = rng.randint(4, 16)  # the square of a sum of few items has heavy tails


def add_options(rng, setting):
    kind, workers = setting["aggregation"], setting["workers"]
    if kind == "parameter-server":
        placement = rng.choice(["cpu", "gpu", "sharded-gpus"])
        options = {"placement": placement}
        if placement == "cpu":
            options["shards"] = rng.choice([1, 1, 3])
        if setting["update"] in ON_REPLICAS and rng.random() < 0.2:
            options["gpus_per_worker"] = group_for(rng, workers)
    elif kind == "allreduce":
        algorithm = {"kind": rng.choice(ALGORITHMS)}
        if algorithm["kind"] == "hierarchical":
            algorithm["group"] = group_for(rng, workers)
        if rng.random() < 0.3:
            algorithm["slices"] = rng.randint(1, 5)
        options = {"algorithm": algorithm}
    elif kind == "replicated":
        options = {"placement": rng.choice(["cpu", "gpu", "sharded-gpus"])}
    elif kind == "distributed-replicated":
        options = {"gpus_per_worker": group_for(rng, workers)}
    elif kind == "gather":
        options = {"loss": rng.choice(["first-gpu", "every-gpu"])}
    elif kind == "concatenated":
        options = {"placement": rng.choice(["cpu", "gpu"])}
    else:
        options = {}
    setting["options"] = options


def add_stragglers(rng, setting):
    workers = setting["workers"]
    if rng.random() < 0.5:
        slow = rng.sample(range(workers), rng.choice([1, 1, min(2, workers), workers]))
        setting["slowdowns"] = {w: rng.choice([10.0, round(rng.uniform(0.5, 3), 3)]) for w in slow}
    mean = rng.choice([0.3, 1, 4]) * max(setting["arithmetic"], 2)
    alone = setting["aggregation"] == "independent"
    if alone or rng.random() < 0.85:
        setting["compute"] = distribution(rng, mean)
        setting["compute"]["applies"] = rng.choice(["added", "added", "total"])
    if not alone and (rng.random() < 0.35 or "compute" not in setting):
        setting["communication"] = distribution(rng, mean)
    of_servers = setting["aggregation"] == "parameter-server"
    grouped = setting.get("options", {}).get("gpus_per_worker", 1) > 1
    if of_servers and not grouped and rng.random() < 0.2:
        step = mean + setting["arithmetic"]
        setting["failures"] = {"every": float(f"{step * rng.uniform(15, 60):.3g}"),
                               "restart": time_near(rng, step * rng.choice([0.1, 1, 5]))}
        if rng.random() < 0.3:
            del setting["failures"]["restart"]


def is_spread(setting):
    """Whether no two mini-batches take the same time."""
    drawn = [setting[key] for key in ("compute", "communication") if key in setting]
    return any(is_continuous(one) and one.get("applies") != "total" for one in drawn)


def is_continuous(spec):
    """Whether no two draws are equal."""
    parts = [part["time"] for part in spec.get("parts", [])]
    parts += [spec[key] for key in ("usual", "slow") if key in spec]
    return spec["kind"] != "constant" and all(map(is_continuous, parts))


def add_order(rng, setting):
    """Draws that are all different, where gradients that arrive at one instant would be taken in an
    order that no page gives."""
    orders = setting["update"] in ("k-sync", "k-batch-sync")
    if orders and setting["aggregation"] != "independent" and not is_spread(setting):
        mean = time_near(rng, setting["arithmetic"])
        setting["communication"] = {"kind": "exponential", "mean": mean}


def shorten(rng, setting):
    """A few rounds without chance, in which the ends of the window count."""
    setting["rounds"] = rng.randint(4, 12)
    setting.pop("failures", None)
    setting["slowdowns"] = {w: round(rng.uniform(1, 3), 3) for w in range(setting["workers"])}
    for key in ("compute", "communication"):
        if key in setting:
            setting[key] = {"kind": "constant", "value": time_near(rng, setting["arithmetic"])}


# policies that need no more than one server and streams of copies
LINKED = ["sync", "accumulate", "k-sync", "k-batch-sync", "async", "k-async", "k-batch-async", "ssp",
          "downpour", "local-sgd"]


def add_link(rng, setting):
    """Copies that take time, where they follow from the pages in a few lines."""
    served = setting["aggregation"] == "parameter-server" and setting["update"] in LINKED
    ring = setting["options"].get("algorithm", {}) == {"kind": "ring"}
    if not (served or ring) or rng.random() < 0.5:
        return
    # workers that are equal at every instant stay so, and then any nanosecond decides
    if setting["update"] not in ON_REPLICAS and not is_spread(setting):
        return
    setting["options"] = {"placement": "cpu"} if served else setting["options"]
    setting["link"] = {"bandwidth": 1000.0, "latency": rng.choice([0.0, 0.01, 0.5])}
    share = rng.choice([0.05, 0.3, 1, 3])
    setting["gradient_kb"] = 4 * round(250 * share * max(setting["arithmetic"], 2))


def add_lifetimes(rng, setting):
    """Of workers that are not replaced: so long that few die and enough are left, or so short that
    the training fails."""
    workers, lives = setting["workers"], setting["failures"]
    setting["rounds"], setting["repeats"] = 30, 60  # one death may change the rest of a repeat
    needed = {"k-sync": setting.get("k"), "k-async": setting.get("k"), "sync": workers,
              "accumulate": workers, "local-sgd": workers}.get(setting["update"], 1)
    share = 0.5  # of workers that die, so that too many do in one training of 100,000
    while too_many_die(workers, needed, share) > 1e-5:
        share *= 0.9
    if share < 0.01 or rng.random() < 0.1:
        lives["every"] = float(f"{3 * (setting['arithmetic'] + 1):.3g}")
        return
    immortal = {**setting, "failures": {}}
    training = training_of(immortal, delays.Drawn(immortal, 1), 1)
    training.run(1.1 * setting["rounds"] * workers)
    lives["every"] = float(f"{training.now / -math.log(1 - share):.3g}")


def too_many_die(workers, needed, share):
    """The probability that fewer than `needed` are left."""
    return sum(math.comb(workers, left) * (1 - share) ** left * share ** (workers - left)
               for left in range(needed))


def random_setting(rng, name):
    setting = {"name": name, "workers": rng.randint(2, 10), "batch": rng.randint(1, 64),
               "update": rng.choice(UPDATES)}
    add_aggregation_of(rng, setting)
    add_rest(rng, setting)
    return setting


def slow_worker_settings(rng):
    """Each policy with each aggregation that serves it, and a worker that takes ten times as long."""
    result = []
    for update in UPDATES:
        kinds = WITHOUT_SERVERS if update == "sync" else WITHOUT_SERVERS[:3]
        for kind in ["parameter-server"] + (kinds if update in ON_REPLICAS else []):
            setting = {"name": f"slow-{update}-{kind}", "workers": rng.randint(3, 8),
                       "batch": rng.randint(1, 64), "update": update, "aggregation": kind}
            add_rest(rng, setting, rng.randrange(setting["workers"]))
            result.append(setting)
    return result


def slow_down(setting, worker):
    if setting["arithmetic"] > 0:
        setting["slowdowns"] = {worker: 10.0}
    else:  # of late mini-batches, which take about 2 ms
        setting.pop("slowdowns", None)
        setting["late_workers"] = {worker: 18.0}


def add_rest(rng, setting, slow=None):
    add_keys(rng, setting)
    setting["arithmetic"] = 0.0 if setting["update"] == "adasync" else time_near(rng, 10)
    add_options(rng, setting)
    add_stragglers(rng, setting)
    if slow is not None:
        slow_down(setting, slow)
    if rng.random() < 0.15 and setting["update"] not in ("k-sync", "k-batch-sync", "adasync"):
        shorten(rng, setting)
    add_order(rng, setting)
    add_link(rng, setting)
    if rng.random() < 0.3 and setting["update"] != "adasync" and "link" not in setting:
        setting["tensors"] = rng.randint(2, 6)
        setting["layers_of_bucket"] = rng.choice([1, setting["tensors"]])
    if "restart" not in setting.get("failures", {"restart": 0}):
        add_lifetimes(rng, setting)


def gradients_of_update(setting):
    """Mini-batches that an update takes; its rounds are that many mini-batches / workers."""
    update, workers = setting["update"], setting["workers"]
    if update in ON_REPLICAS:
        return workers * setting.get("several", 1)
    return setting.get("k", setting.get("push_every", 1))


def rounds_like(setting, rounds):
    """A number of rounds near `rounds` that holds whole updates."""
    gradients = gradients_of_update(setting)
    unit = gradients // math.gcd(gradients, setting["workers"])
    return max(1, round(rounds / unit)) * unit


def training_of(setting, draws, seed):
    """The program of this setting's workers and servers."""
    kind, update, workers = setting["aggregation"], setting["update"], setting["workers"]
    if kind == "independent":
        return replicas.Independent(setting, draws)
    if kind == "staged":
        return replicas.Staged(setting, draws)
    if kind == "concatenated" or setting["options"].get("loss") == "first-gpu":
        return replicas.OneLoss(setting, draws)
    if kind == "allreduce" and "link" in setting:
        return replicas.Ring(setting, draws)
    if kind != "parameter-server":
        return replicas.Replicas(setting, draws)
    if update == "adasync":
        over = {"k-async": adasync.OverKAsync, "k-batch-async": adasync.OverKBatchAsync}
        return over[setting["base"]](setting, draws, seed)
    k = setting.get("k", 1)
    return {
        "sync": lambda: policies.Ksync(setting, draws, workers),
        "accumulate": lambda: policies.Ksync(setting, draws, workers, setting["several"]),
        "local-sgd": lambda: policies.Ksync(setting, draws, workers, setting["several"]),
        "k-sync": lambda: policies.Ksync(setting, draws, k),
        "k-batch-sync": lambda: policies.KBatchSync(setting, draws, k),
        "async": lambda: policies.KBatchAsync(setting, draws, 1),
        "k-async": lambda: policies.KAsync(setting, draws, k),
        "k-batch-async": lambda: policies.KBatchAsync(setting, draws, k),
        "ssp": lambda: policies.Ssp(setting, draws, setting["slack"]),
        "downpour": lambda: policies.Downpour(setting, draws, setting["push_every"],
                                              setting["fetch_every"]),
    }[update]()
