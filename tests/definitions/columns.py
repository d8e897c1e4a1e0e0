# SPDX-License-Identifier: MIT
"""The columns of results.csv by docs/model.md ("A worker's step"), from what a training booked."""


def clipped(spans, begin, end):
    """The time of all spans within the window."""
    return sum(min(b, end) - max(a, begin) for a, b in spans if b > begin and a < end)


def share_of_mini_batches(begins, begin, end, run_end):
    """The mini-batches of workers at their own pace, each by its share in the window. One that the
    end of the run cuts is as long as the worker's others."""
    total = 0.0
    for starts in begins:
        lengths = [b - a for a, b in zip(starts, starts[1:])]
        usual = sum(lengths) / len(lengths) if lengths else run_end - starts[0]
        for start, length in zip(starts, lengths + [max(usual, run_end - starts[-1])]):
            inside = min(start + length, end) - max(start, begin)
            if inside > 0:
                total += inside / length if length > 0 else 1
    return total


def columns(run, warmup, setting):
    """The columns of one run; times in seconds. The window begins at the update that has taken
    `warmup` gradients in all."""
    begin, first, taken = 0.0, 0, 0
    while taken < warmup:
        taken += run.updates[first][1]
        begin, first = run.updates[first][0], first + 1
    return of_window(run, begin, run.updates[-1][0], run.updates[first:], setting)


def of_window(run, begin, end, updates, setting):
    window, workers = end - begin, run.workers
    gradients = sum(update[1] for update in updates)
    of_gradients = gradients * setting["batch"] / window
    if run.at_own_pace:
        count = share_of_mini_batches(run.begins, begin, end, run.now)
        dies = bool(setting.get("failures"))
        throughput = of_gradients if dies else count * setting["batch"] / window
    else:
        count = sum(begin <= start < end for starts in run.begins for start in starts)
        throughput = of_gradients
    spent = {name: clipped(spans, begin, end) for name, spans in run.spans.items()}
    parts = sum(spent.values()) - spent["wasted"]
    assert abs(parts - workers * window) < 1e-6 * workers * window, "the parts make up the time"
    per_batch = {name: time / count / 1000 for name, time in spent.items()}
    step = workers * window / count / 1000
    result = {
        "throughput": throughput * 1000,
        "step_s_mean": step,
        "compute_s": per_batch["compute"],
        "delay_s": per_batch["delay"],
        "wait_s": per_batch["wait"],
        "exposed_comm_s": per_batch["comm"],
        "wasted_s": per_batch["wasted"],
        "utilization": spent["compute"] / (workers * window),
    }
    if updates:
        items = setting["batch"] * gradients / len(updates)
        iteration = items / throughput if run.at_own_pace else window / len(updates)
        result["iteration_s_mean"] = iteration / 1000
        result["staleness_mean"] = sum(update[2] for update in updates) / gradients
    return result
