# SPDX-License-Identifier: MIT
"""The experiment file of a setting, by docs/experiment-file.md."""
import json

import adasync
import settings

IN_MS = {"value", "low", "high", "mean", "deviation", "shift", "scale", "minimum"}
SHARES = {"share", "enter", "leave"}


def quantities(spec):
    """A distribution with units, as the experiment file has it."""
    if isinstance(spec, list):
        return [quantities(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    return {key: quantity(key, value) for key, value in spec.items() if key != "times"}


def quantity(key, value):
    if key in IN_MS:
        return f"{value!r} ms"
    return f"{value} %" if key in SHARES else quantities(value)


def straggler_of(setting, key, folder):
    spec = setting[key]
    if spec["kind"] != "empirical":
        return quantities(spec)
    table = folder / f"{setting['name']}-{key}.csv"
    table.write_text("".join(f"{time} ms\n" for time in spec["times"]), encoding="utf-8")
    return dict(quantities(spec), file=table.name)


def stragglers_of(setting, folder):
    stragglers = {key: straggler_of(setting, key, folder) for key in ("compute", "communication")
                  if key in setting}
    if "slowdowns" in setting:
        stragglers["workers"] = {w: {"slowdown": s} for w, s in setting["slowdowns"].items()}
    if "late_workers" in setting:
        stragglers["workers"] = {w: {"delay": f"{ms!r} ms"}
                                 for w, ms in setting["late_workers"].items()}
    if "failures" in setting:
        stragglers["failures"] = {key: f"{ms!r} ms" for key, ms in setting["failures"].items()}
    return stragglers


def update_of(setting):
    update = setting["update"]
    if update in ("sync", "async") or setting["aggregation"] == "independent":
        return "sync" if update in settings.ON_REPLICAS else update
    if update == "accumulate":
        return {"kind": "sync", "accumulate": setting["several"]}
    if update == "local-sgd":
        return {"kind": "local-sgd", "every": setting["several"]}
    keys = ("k", "slack", "push_every", "fetch_every", "base", "window")
    return {"kind": update, **{key: setting[key] for key in keys if key in setting}}


def machine_of(setting):
    """One switch, and memories so fast that sums and updates take next to no time."""
    gpu = {"name": "fast", "fp32": "1000 TFLOP/s", "memory": "10 TB",
           "memory_bandwidth": "900 TB/s", "sms": 100}
    link = setting["link"]
    return {
        "gpus": [{"model": gpu, "count": setting["workers"]}],
        "host": {"cores": 64, "memory_bandwidth": "900 TB/s"},
        "vertices": [{"kind": "pcie-switch", "names": ["switch"]}],
        "link_types": {"line": {"kind": "pcie", "bandwidth": f"{link['bandwidth']!r} MB/s",
                                "latency": f"{link['latency']!r} ms", "source": "assumed"}},
        "links": [{"type": "line", "from": "switch",
                   "to": ["cpu0"] + [f"gpu{w}" for w in range(setting["workers"])]}],
    }


def yaml_of(setting, folder, steps, warmup, repeats, seed):
    """The experiment file, as flow text that any YAML reader takes."""
    file = {"name": setting["name"], "machine": "ideal", "batch": setting["batch"],
            "workers": setting["workers"], "steps": steps, "warmup": warmup, "repeats": repeats,
            "seed": seed}
    tensors = setting.get("tensors", 1)
    file["model"] = {"kind": "synthetic", "compute": f"{setting['arithmetic']!r} ms",
                     "gradient": f"{4 * tensors} B", "tensors": tensors}
    if "link" in setting:
        file["machine"], file["software"] = machine_of(setting), "ideal"
        file["model"]["gradient"] = f"{setting['gradient_kb']} kB"
    if setting["update"] == "adasync":
        file["model"] = {"kind": "linear", "inputs": adasync.INPUTS, "bias": False}
        file["train"] = {"dataset": {"kind": "least-squares", "noise": 0, "condition": 1},
                         "evaluate": 1000000, "held_out": 16, "loss_bound": 1e9}
        file["optimizer"] = {"kind": "sgd", "learning_rate": setting["learning_rate"]}
    kind = setting["aggregation"]
    options = dict(setting["options"])
    if kind == "staged":
        kind, options = "parameter-server", {"staged": True}
    if setting.get("layers_of_bucket", tensors) < tensors:
        options["bucket"] = "4 B"
    if kind == "independent":
        file["aggregation"] = kind
    else:
        file["aggregation"], file["update"] = {"kind": kind, **options}, update_of(setting)
    file["stragglers"] = stragglers_of(setting, folder)
    lines = [f"{key}: {json.dumps(value)}" for key, value in file.items()]
    return "\n".join(lines).replace('"', "") + "\n"
