// SPDX-License-Identifier: MIT
#include "training/policies_page.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "experiments/reference_page.hpp"
#include "experiments/yaml.hpp"
#include "training/aggregations/aggregation.hpp"
#include "training/rates/schedule.hpp"
#include "training/rates/staleness_rule.hpp"
#include "training/theory/closed_form.hpp"

namespace paceline {
namespace {

constexpr const char* kReference = "experiment-file.md";  ///< the page of all keys
constexpr int kWorkers = 8;                               ///< P of the examples

constexpr const char* kIntroduction = R"(# Update policies

When the weights are updated, and which workers continue then: `update:` of the experiment file.

- **P** workers compute gradients on mini-batches; **X** is the time of one mini-batch, delays
  included, and E[X_{K:P}] the expected K-th smallest of P such times. **E[T]** is the expected
  time between two updates when communication is free. [model.md](model.md) has the derivations.
- A **version** counts the updates of the weights. An update applies the mean of **K**
  gradients; `k` is a count, or a share of the workers (`50 %` is P/2, rounded up).
- A gradient is **accepted** when its last byte has reached every shard. Until then it is in a
  landing buffer of its own, so no part of a cancelled mini-batch is ever summed.
- The **staleness** of a gradient is the number of updates between the weights it was computed
  at and those it is applied to.
- A **round** is P/K updates: one mini-batch per worker on average. `steps` and `warmup` count
  rounds.
- **Slack** is how many completed mini-batches a worker may be ahead of the slowest.
- A **cancelled** mini-batch ends early: a delay at once, arithmetic at the next layer; a copy
  in flight finishes and is discarded. Its worker's next mini-batch has a new number, so a new
  delay.
- **Shards** are servers that each hold a part of the weights. Shard 0 accepts gradients, and
  the others follow its decisions in its order; a fetch takes a snapshot of every shard. Only
  downpour differs.
- With the aggregation `parameter-server`, updates happen at the servers. With `allreduce` and
  `replicated` every worker applies the same mean to weights of its own.
- A policy is **one program on both clocks**: a prediction and a measurement differ in times,
  never in the algorithm.

Made by `paceline list --policies` from the program's own tables; the examples are computed.
)";

constexpr const char* kDeaths = R"(
## What happens when a worker dies

With `stragglers: {failures: {every: 60 s, restart: 2 s}}` a worker lives for an exponential
time of mean `every`, a new draw for each life and the same on every clock. On a real machine a
worker also dies if its thread throws, with or without `failures`; `restart` replaces it. Only
`parameter-server` survives deaths: elsewhere `failures` is an error of the experiment file, and
a thread that throws fails the point.

1. The mini-batch under way is cancelled. A gradient that had completely arrived counts; one
   still on its way does not (in downpour it does: pushes outlive their replica).
2. Shard 0 learns of it and informs the others. From then on, if the policy allows updates
   without the dead worker, no role waits for it, and nothing more is sent to it.
3. Without `restart` it never comes back. Once the living workers, and the dead ones with a
   gradient in the current update, are too few for an update, the point fails and its `status`
   gives the reason: `failed: worker 3 died (its lifetime was over), 7 of 8 are left and an
   update takes gradients of 8`. The brackets hold the thread's exception, if it threw one. sync
   and local-sgd need all P workers, k-sync and k-async K of them, adasync its base's number,
   every other policy one.
4. With `restart` a replacement begins that much later: it fetches the current weights and
   continues with the worker's next mini-batch. If a gradient of its predecessor is in the
   current update, it first waits for that update, unless the policy lets workers continue
   within one. Accrued gradients are lost; optimizers keep their state.

A simulated worker that dies stops at once; a real thread or GPU ends the layer under way first,
which is in no column. If workers die faster than they learn, training has no end: after 10,000
deaths (100 a worker, if that is more) without an update the point fails and its `status` says so.

The column `failures` counts deaths over the whole run; `wasted_s` includes the lost
mini-batches, and the time until a replacement begins is part of `wait_s`. There is no theory of
failures.
)";

constexpr const char* kRates = R"(
## Learning rates and staleness

The rate of an update is set in two steps. The optimizer's `schedule` gives the **scheduled**
rate from `learning_rate` and the progress of training; then `staleness` scales stale gradients.
Both act where the weights are, at the same updates on every clock. Keys and defaults:
[schedules](experiment-file.md#learning-rate-schedule), [staleness
rules](experiment-file.md#staleness-rule).

A schedule uses three figures: the rounds applied so far (gradients applied / P), the epochs
(their items / `samples_per_epoch`), and the items of this update (batch x its mini-batches), by
which linear scaling distinguishes sync with P gradients from async with one.

)";

constexpr const char* kWeights = R"(
A weight multiplies a gradient before the sum of the update is divided by its K. With sync,
k-sync, k-batch-sync and local-sgd nothing is stale. In downpour each push is an update with
each shard's own versions, and `distance` is refused: its servers do not keep the weights that a
gradient was computed at.

| rule | looks at | effect | source |
|---|---|---|---|
)";

/// A mini-batch time of the examples.
struct Example {
  const char* head;
  const char* straggler;  ///< YAML
};
constexpr std::array<Example, 3> kExamples{
    {{"exponential, mean 1 s", "{kind: exponential, mean: 1 s}"},
     {"shifted-exponential, shift 1 s, mean 2 s",
      "{kind: shifted-exponential, shift: 1 s, mean: 2 s}"},
     {"uniform, 1 s to 3 s", "{kind: uniform, low: 1 s, high: 3 s}"}}};

template <class Part>
const Family<Part>& family() {
  return table_of(static_cast<const Part*>(nullptr));
}

/// What this file's own YAML describes.
template <class Part>
Choice<Part> chosen(const std::string& yaml) {
  Diagnostics diagnostics;
  Choice<Part> choice;
  Value<Choice<Part>>::read(choice, parse_yaml("policies page", yaml), diagnostics);
  diagnostics.throw_if_any();
  return choice;
}

std::string code(const std::string& text) {
  return "`" + text + "`";
}

/// Four digits.
std::string shown(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::optional<Theory> theory_of(const std::string& policy, const std::string& keys,
                                const Example& example) {
  const std::string yaml = "{kind: " + policy + (keys.empty() ? "" : ", " + keys) + "}";
  const Rule rule = chosen<UpdatePolicy>(yaml)->rule(kWorkers);
  Stragglers stragglers;
  stragglers.compute = chosen<Straggler>(example.straggler);
  return theory(waiting_of(policy, rule, kWorkers), Seconds{0}, stragglers);
}

std::string example_row(const std::string& policy, const std::string& keys) {
  std::string row = "| " + (keys.empty() ? std::string("none") : code(keys)) + " |";
  std::string staleness;
  for (const Example& example : kExamples) {
    const std::optional<Theory> theory = theory_of(policy, keys, example);
    row += " ";
    if (theory) row += (theory->bound ? "<= " : "") + shown(theory->iteration.value()) + " s ";
    row += "|";
    if (theory && theory->staleness) staleness = shown(*theory->staleness) + " ";
  }
  return row + " " + staleness + "|\n";
}

std::string examples(const std::string& policy, const Statement& statement) {
  if (statement.examples.empty()) return "";
  std::string out =
      "\n**Example:** E[T] and the mean staleness with P = " + std::to_string(kWorkers) +
      " where theory has a value.\n\n| keys |";
  std::string rule = "|---|";
  for (const Example& example : kExamples) {
    out += std::string(" ") + example.head + " |";
    rule += "---|";
  }
  out += " staleness |\n" + rule + "---|\n";
  for (const std::string& keys : statement.examples) out += example_row(policy, keys);
  return out;
}

std::string served_by(const std::string& policy) {
  std::vector<std::string> servers;
  for (const Variant<Aggregation>& row : family<Aggregation>().rows) {
    const std::vector<std::string>& served = updates_served(row.name);
    if (std::find(served.begin(), served.end(), policy) != served.end()) {
      servers.push_back(code(row.name));
    }
  }
  return join(servers);
}

std::string table_of_policies() {
  std::string out = "\n| policy | summary | keys |\n|---|---|---|\n";
  for (const Variant<UpdatePolicy>& row : family<UpdatePolicy>().rows) {
    std::vector<std::string> keys;
    for (const KeyInfo& key : row.keys()) keys.push_back(code(key.name));
    out += "| [" + row.name + "](#" + row.name + ") | " + table_cell(row.help) + " | " +
           join(keys) + " |\n";
  }
  return out;
}

std::string section(const Variant<UpdatePolicy>& row) {
  const Statement statement = row.blank()->statement();
  std::string out = "\n## " + row.name + "\n\n**Does:** " + statement.does + "\n\n**Steps:**\n\n";
  for (std::size_t i = 0; i < statement.steps.size(); ++i) {
    out += std::to_string(i + 1) + ". " + statement.steps[i] + "\n";
  }
  const std::vector<KeyInfo> keys = row.keys();
  out += "\n**Keys:**" + (keys.empty() ? " none.\n" : "\n\n" + key_table(keys, kReference));
  out += "\n**Expected time:** " + statement.time + "\n\n**Staleness:** " + statement.staleness +
         "\n\n**Source:** " + statement.source + "\n\n**Served by:** " + served_by(row.name) +
         ".\n";
  return out + examples(row.name, statement);
}

std::string rates() {
  std::string out = std::string(kRates) + "| schedule | the scheduled rate |\n|---|---|\n";
  for (const Variant<Schedule>& row : family<Schedule>().rows) {
    out += "| " + code(row.name) + " | " + table_cell(row.help) + " |\n";
  }
  out += kWeights;
  for (const Variant<StalenessRule>& row : family<StalenessRule>().rows) {
    const StalenessStatement statement = row.blank()->statement();
    out += "| " + code(row.name) + " | " + table_cell(statement.figure) + " | " +
           table_cell(statement.effect) + " | " + table_cell(statement.source) + " |\n";
  }
  return out;
}

}  // namespace

std::string policies_page() {
  std::string page = kIntroduction + table_of_policies();
  for (const Variant<UpdatePolicy>& row : family<UpdatePolicy>().rows) page += section(row);
  return page + kDeaths + rates();
}

}  // namespace paceline
