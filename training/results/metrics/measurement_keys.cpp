// SPDX-License-Identifier: MIT
// The keys of a measurement in a file. Every number reads back to the same double.
#include <array>
#include <charconv>
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

/// Numbers with blanks between them: thousands of them take less room and time in one text than in
/// a list.
class NumberText {
 public:
  NumberText& add(double number) {
    std::array<char, 32> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    if (!text_.empty()) text_ += ' ';
    text_.append(digits.data(), result.ptr);
    return *this;
  }
  Tree take() { return Tree::quoted_scalar(std::move(text_)); }

 private:
  std::string text_;
};

/// The numbers of such a text, a multiple of `group`. Notes an error for any other tree.
std::vector<double> read_numbers(const Tree& tree, std::size_t group, Diagnostics& diagnostics) {
  std::vector<double> numbers;
  const char* at = tree.text.data();
  const char* const end = at + tree.text.size();
  bool good = tree.is_scalar();
  while (good && at != end) {
    const auto [rest, error] = std::from_chars(at, end, numbers.emplace_back());
    good = error == std::errc{} && (rest == end || *rest == ' ');
    at = rest == end ? end : rest + 1;
  }
  if (!good || numbers.size() % group != 0) {
    diagnostics.error(tree.at, quote(tree) + " is not a number, or several with blanks between");
    numbers.clear();
  }
  return numbers;
}

constexpr Codec kNumbers{
    [] { return Value<double>::type(); },
    [](void* out, const Tree& tree, Diagnostics& diagnostics) {
      const std::size_t before = diagnostics.count();
      *static_cast<std::vector<double>*>(out) = read_numbers(tree, 1, diagnostics);
      return diagnostics.count() == before;
    },
    [](const void* value) {
      NumberText text;
      for (const double number : *static_cast<const std::vector<double>*>(value)) text.add(number);
      return text.take();
    }};

/// Counts by value 0, 1, 2, ..., as pairs of a value and its count: most values have none.
constexpr Codec kHistogram{[] { return Value<double>::type(); },
                           [](void* out, const Tree& tree, Diagnostics& diagnostics) {
                             const std::size_t before = diagnostics.count();
                             const std::vector<double> pairs = read_numbers(tree, 2, diagnostics);
                             auto& counts = *static_cast<std::vector<double>*>(out);
                             for (std::size_t i = 0; i < pairs.size(); i += 2) {
                               counts.resize(static_cast<std::size_t>(pairs[i]) + 1, 0);
                               counts.back() = pairs[i + 1];
                             }
                             return diagnostics.count() == before;
                           },
                           [](const void* value) {
                             const auto& counts = *static_cast<const std::vector<double>*>(value);
                             NumberText text;
                             for (std::size_t i = 0; i < counts.size(); ++i) {
                               if (counts[i] != 0) text.add(static_cast<double>(i)).add(counts[i]);
                             }
                             return text.take();
                           }};

Tree write_steps(const std::vector<StepRow>& steps) {
  NumberText text;
  for (const StepRow& row : steps) {
    const auto& [worker, step, began, delay, compute, wait, input, validation, end, accepted] = row;
    text.add(worker).add(static_cast<double>(step)).add(began).add(delay).add(compute).add(wait);
    text.add(input).add(validation).add(end).add(accepted ? 1 : 0);
  }
  return text.take();
}

bool read_steps(std::vector<StepRow>& steps, const Tree& tree, Diagnostics& diagnostics) {
  constexpr std::size_t kFigures = 10;
  const std::size_t before = diagnostics.count();
  const std::vector<double> all = read_numbers(tree, kFigures, diagnostics);
  for (std::size_t i = 0; i < all.size(); i += kFigures) {
    steps.push_back({static_cast<int>(all[i]), static_cast<std::int64_t>(all[i + 1]), all[i + 2],
                     all[i + 3], all[i + 4], all[i + 5], all[i + 6], all[i + 7], all[i + 8],
                     all[i + 9] != 0});
  }
  return diagnostics.count() == before;
}

constexpr Codec kSteps{[] { return Value<double>::type(); },
                       [](void* out, const Tree& tree, Diagnostics& diagnostics) {
                         return read_steps(*static_cast<std::vector<StepRow>*>(out), tree,
                                           diagnostics);
                       },
                       [](const void* value) {
                         return write_steps(*static_cast<const std::vector<StepRow>*>(value));
                       }};

}  // namespace

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
  d.optional("quantiles", &StepTimes::quantiles, "at even shares", kNumbers);
}

void Measurement::describe(Description<Measurement>& d) {
  d.required("status", &Measurement::status, "ok, bound, or the reason of a failure");
  d.optional("gpus", &Measurement::gpus, "the GPUs that measured, with their software");
  d.optional("split", &Measurement::split, "how workers shared one card");
  d.optional("clocks", &Measurement::clocks, "of the GPUs meanwhile");
  d.optional("other_cores", &Measurement::other_cores, "cores that other programs used meanwhile",
             kAnyFigure);
  d.optional("simulated", &Measurement::simulated, "by events, repeated rounds, or lanes");
  for (const Column& column : columns()) {
    const Figure* figure = column.figure();
    if (figure != nullptr) d.optional(column.name, figure->value, column.meaning, kAnyFigure);
  }
  d.optional("steps", &Measurement::steps, "the first mini-batches", kSteps);
  d.optional("curve", &Measurement::curve, "evaluations");
  d.optional("staleness", &Measurement::staleness, "gradients of staleness 0, 1, 2, ...",
             kHistogram);
  d.optional("step_times", &Measurement::step_times, "their distribution");
}

}  // namespace paceline
