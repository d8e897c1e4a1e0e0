# SPDX-License-Identifier: MIT
"""Axes as scales: the position of a value, from 0 to 1, and the values with ticks."""

import math

# Steps of the ticks of a logarithmic axis by the maximum of its decades.
LOG_STEPS = ((0.35, (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)), (0.8, (1, 1.5, 2, 3, 5, 7)),
             (2.2, (1, 2, 5)), (3.5, (1, 3)))
LINEAR_STEPS = (1, 2, 2.5, 5, 10)
MOST_TICKS = 40
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "\N{MICRO SIGN}s"), (1e-9, "ns"))
ENERGY = ((3.6e9, "MWh"), (3.6e6, "kWh"), (3.6e3, "Wh"), (1.0, "J"))


def unit_of(values, units=UNITS):
    """(size, name) of the unit in which the largest of these values is most readable."""
    largest = max(values, default=1.0)
    for size, name in units:
        if largest >= 0.9999 * size:
            return size, name
    return units[-1]


def plain(value):
    """The text of a tick: 0.05, 20, 1,500; never 1e3."""
    if abs(value) < 1e-12:
        return "0"
    if abs(value) >= 1:
        text = f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"
    else:
        text = f"{value:.6f}".rstrip("0") if abs(value) >= 1e-5 else f"{value:.0e}"
    return text.replace("-", "\N{MINUS SIGN}")


class Linear:
    """From `low` to `high`, with about `ticks` round ticks; `to_ticks` extends it to ticks at both
    ends."""

    is_log = False

    def __init__(self, low, high, ticks=5, to_ticks=False):
        if not high > low:
            low, high = min(low, 0.0), max(high, low + 1.0)
        step = _step((high - low) / max(ticks, 1))
        if to_ticks:
            low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
        self.low, self.high = low, high
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        self.ticks = [(step * n, plain(round(step * n, 12))) for n in range(first, last + 1)]

    def at(self, value):
        return (value - self.low) / (self.high - self.low)


def _step(least):
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in LINEAR_STEPS if step * power >= 0.9999 * least)


class Log:
    """A logarithmic axis with ticks at its ends, so that every value lies between two ticks."""

    is_log = True

    def __init__(self, low, high, to_ticks=True):
        high = max(high, low * 1.05)
        decades = math.log10(high / low)
        steps = next((steps for most, steps in LOG_STEPS if decades < most), (1,))
        stride = math.ceil(decades / 7)
        first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
        values = [step * 10.0 ** power for power in range(first, last + stride, stride)
                  for step in steps]
        if to_ticks:
            low = max(each for each in values if each <= low * 1.0001)
            high = min((each for each in values if each >= high * 0.9999), default=high)
        self.low, self.high = low, high
        self.ticks = [(each, plain(float(f"{each:.6g}"))) for each in values
                      if low <= each * 1.0001 and each <= high * 1.0001]

    def at(self, value):
        if value <= 0:
            return -1.0
        return math.log(value / self.low) / math.log(self.high / self.low)


class Values:
    """A base-2 logarithmic axis with a tick at each value; linear if a value is not above 0."""

    def __init__(self, values, margin=0.06, beyond=0.0, text=plain):
        self.values = sorted(set(values))
        self.is_log = self.values[0] > 0
        places = [self._place(value) for value in self.values]
        span = max(places[-1] - places[0], 1.0 if self.is_log else 1e-9)
        self._low = places[0] - margin * span
        self._high = places[-1] + (margin + beyond) * span
        self.low, self.high = self._value(self._low), self._value(self._high)
        every = math.ceil(len(self.values) / MOST_TICKS)
        self.ticks = [(value, text(value)) for value in self.values[::-every][::-1]]

    def _place(self, value):
        return math.log2(value) if self.is_log else value

    def _value(self, place):
        return 2.0 ** place if self.is_log else place

    def at(self, value):
        if self.is_log and value <= 0:
            return -1.0
        return (self._place(value) - self._low) / (self._high - self._low)


class Names:
    """Named rows or columns: the nth is at n + 0.5."""

    is_log = False

    def __init__(self, names, every=1):
        self.low, self.high = 0.0, float(max(len(names), 1))
        self.ticks = [(place + 0.5, name) for place, name in enumerate(names)
                      if place % every == 0]

    def at(self, value):
        return value / self.high
