// SPDX-License-Identifier: MIT
// The keys of a measurement in a file. Every number reads back to the same double.
#include <array>
#include <cmath>
#include <limits>

#include "experiments/language/description.hpp"
#include "training/results/columns.hpp"

namespace paceline {
namespace {

/// Reads any double: a diverged loss is infinite or not a number, which experiment files may not
/// contain.
bool read_double(double& out, const Tree& tree, Diagnostics& diagnostics) {
  for (const double special : {std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), std::nan("")}) {
    if (tree.is_scalar() && tree.text == print_number(special)) {
      out = special;
      return true;
    }
  }
  return Value<double>::read(out, tree, diagnostics);
}

constexpr Codec kAnyDouble{
    [] { return Value<double>::type(); },
    [](void* out, const Tree& tree, Diagnostics& diagnostics) {
      return read_double(*static_cast<double*>(out), tree, diagnostics);
    },
    [](const void* value) { return Value<double>::write(*static_cast<const double*>(value)); }};

constexpr Codec kAnyFigure{
    [] { return Value<double>::type(); },
    [](void* out, const Tree& tree, Diagnostics& diagnostics) {
      return read_double(static_cast<std::optional<double>*>(out)->emplace(), tree, diagnostics);
    },
    [](const void* value) {
      return Value<std::optional<double>>::write(*static_cast<const std::optional<double>*>(value));
    }};

}  // namespace

void StepRow::describe(Description<StepRow>& d) {
  d.required("worker", &StepRow::worker, "number of the worker");
  d.required("step", &StepRow::step, "number of its mini-batch");
  d.required("began_s", &StepRow::began_s, "when it began");
  d.required("delay_s", &StepRow::delay_s, "straggler delay");
  d.required("compute_s", &StepRow::compute_s, "arithmetic");
  d.required("wait_s", &StepRow::wait_s, "waiting for other workers");
  d.optional("input_s", &StepRow::input_s, "waiting for input");
  d.optional("validation_s", &StepRow::validation_s, "validation passes");
  d.required("end_s", &StepRow::end_s, "when it ended");
  d.required("accepted", &StepRow::accepted, "whether its gradient was applied");
}

void CurvePoint::describe(Description<CurvePoint>& d) {
  d.required("repeat", &CurvePoint::repeat, "number of the repeat");
  d.required("updates", &CurvePoint::updates, "updates of the weights that are evaluated");
  d.required("time_s", &CurvePoint::time_s, "when they were reached");
  d.required("items", &CurvePoint::items, "items whose gradients were applied");
  d.optional("loss", &CurvePoint::loss, "held-out loss", kAnyDouble);
  d.optional("accuracy", &CurvePoint::accuracy, "held-out accuracy", kAnyDouble);
}

void StepTimes::describe(Description<StepTimes>& d) {
  d.required("steps", &StepTimes::steps, "mini-batches");
  d.required("mean_s", &StepTimes::mean_s, "mean time of one");
  d.required("cv", &StepTimes::cv, "deviation / mean");
  d.required("quantiles", &StepTimes::quantiles, "at even shares");
}

void Measurement::describe(Description<Measurement>& d) {
  d.required("status", &Measurement::status, "ok, bound, or the reason of a failure");
  d.optional("gpus", &Measurement::gpus, "the GPUs that measured, with their software");
  d.optional("split", &Measurement::split, "how workers shared one card");
  d.optional("clocks", &Measurement::clocks, "of the GPUs meanwhile");
  d.optional("simulated", &Measurement::simulated, "by events, repeated rounds, or lanes");
  for (const Column& column : columns()) {
    const Figure* figure = column.figure();
    if (figure != nullptr) d.optional(column.name, figure->value, column.meaning, kAnyFigure);
  }
  d.optional("steps", &Measurement::steps, "the first mini-batches");
  d.optional("curve", &Measurement::curve, "evaluations");
  d.optional("staleness", &Measurement::staleness, "gradients of staleness 0, 1, 2, ...");
  d.optional("step_times", &Measurement::step_times, "their distribution");
}

}  // namespace paceline
