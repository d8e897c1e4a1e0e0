// SPDX-License-Identifier: MIT
#include "cli/experiment_draft.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "cli/data_folder.hpp"
#include "cli/experiment_run.hpp"
#include "cli/text_table.hpp"
#include "cli/wrapped_text.hpp"
#include "exec/machine/usable_cores.hpp"
#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

struct KeyNote {
  const char* key;
  const char* note;
};

/// The keys in the order of the file, with their comments.
constexpr std::array<KeyNote, 14> kNotes{{
    {"name", "of the experiment and of its results folder"},
    {"model", "`paceline list models`, or the path of your own network"},
    {"machine", "`paceline list machines`, a path, or `this` computer"},
    {"software", "the framework: `paceline list software`"},
    {"workload", "a collective alone, without a network"},
    {"precision", "number format: fp32, tf32, fp16 or bf16"},
    {"batch", "items per worker and step"},
    {"workers", "a list is a sweep: a point for each value"},
    {"update", "when gradients are applied: `paceline list policies`"},
    {"aggregation", "how gradients become new weights: `paceline list aggregations`"},
    {"stragglers", "random delays: `paceline list stragglers`"},
    {"input", "source of the mini-batches: `paceline list inputs`"},
    {"steps", "mini-batches of a worker"},
    {"warmup", "steps before the measurement"},
}};

/// The parts of a text between its commas outside brackets and quotes, without outer blanks.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  for (std::string& part : parts) {
    const std::size_t first = part.find_first_not_of(' ');
    part = first == std::string::npos ? ""
                                      : part.substr(first, part.find_last_not_of(' ') + 1 - first);
  }
  return parts;
}

bool is_list(const std::string& value) {
  return value.starts_with('[') && value.ends_with(']');
}

std::vector<std::string> items_of(const std::string& value) {
  return parts_of(is_list(value) ? value.substr(1, value.size() - 2) : value);
}

std::string as_list(const std::vector<std::string>& items) {
  return items.size() == 1 ? items.front() : "[" + join(items) + "]";
}

/// "1, 2, 4, 8": powers of two up to `most`, one worker and the largest five.
std::string powers_up_to(int most) {
  constexpr std::size_t kLargest = 5;
  std::vector<std::string> powers;
  for (int n = 1; n < most; n *= 2) powers.push_back(std::to_string(n));
  powers.push_back(std::to_string(most));
  if (powers.size() > kLargest + 1) powers.erase(powers.begin() + 1, powers.end() - kLargest);
  return as_list(powers);
}

/// A time alone is the mean of a log-normal delay.
std::string delays_of(const std::string& value) {
  const bool time = !value.empty() && value.front() >= '0' && value.front() <= '9';
  return "{compute: " +
         (time ? "{kind: lognormal, mean: " + value + ", cv: 0.5, applies: added}" : value) + "}";
}

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  const std::size_t at = text.find(word);
  return at == std::string::npos ? text : text.replace(at, word.size(), by);
}

/// A value within a sentence.
std::string in_words(const std::string& value, const char* mapping) {
  std::vector<std::string> words = items_of(value);
  for (std::string& word : words) {
    if (word.starts_with('{')) word = mapping;
    if (word == "this") word = "this computer";
  }
  return join(words, " or ");
}

}  // namespace

ExperimentDraft::ExperimentDraft(const FirstQuestion& question) : row_(&question) {
  for (const auto& [key, value] : question.values) entries_.push_back({key, value, ""});
}

const ExperimentDraft::Entry* ExperimentDraft::find(const std::string& key) const {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  return found == entries_.end() ? nullptr : &*found;
}

void ExperimentDraft::set(const std::string& key, const std::string& value, const std::string& by) {
  if (std::ranges::any_of(value, [](unsigned char c) { return c < ' '; }))
    throw SpecError("paceline: error: " + by + " takes one line of text");
  try {
    parse_yaml(by, "value: " + as_list(parts_of(value)));
  } catch (const SpecError& error) {  // at a place within the value: the option is place enough
    const std::string line = error.what();
    const std::size_t problem = line.find("error: ");
    throw SpecError("paceline: error: " + by + ": " + line.substr(problem + 7));
  }
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
  const bool text = key == "name";
  entries_.push_back(
      {key, text ? to_flow(Tree::quoted_scalar(value)) : as_list(parts_of(value)), by});
}

/// The value of `machine`, with the nodes and network of a cluster.
std::string ExperimentDraft::machine() const {
  const Entry* nodes = find("nodes");
  std::vector<std::string> machines = items_of(find("machine")->value);
  for (std::string& one : machines) {
    if (nodes == nullptr || one.starts_with('{')) continue;
    const Entry* network = find("network");
    one = "{of: " + one + ", count: " + nodes->value +
          ", network: " + (network != nullptr ? network->value : "infiniband-edr") + "}";
  }
  return as_list(machines);
}

/// The GPUs of the first machine; the cores of this computer; 8 if neither is known.
int ExperimentDraft::gpus(const std::string& path) const {
  constexpr int kOther = 8;
  const std::string first = items_of(machine()).front();
  if (first == "this") return usable_cores();
  try {
    const Tree tree = parse_yaml(path, "machine: " + first);
    const int gpus = load_machine(*tree.find("machine")).gpu_count();
    return gpus > 0 ? gpus : kOther;
  } catch (const SpecError&) {
    return kOther;  // the check of the file reports the error
  }
}

ExperimentDraft ExperimentDraft::with_defaults(const std::string& path) const {
  ExperimentDraft draft = *this;
  const auto add = [&](const char* key, const std::string& value) {
    if (draft.find(key) == nullptr) draft.entries_.push_back({key, value, ""});
  };
  add("name", to_flow(Tree::quoted_scalar(std::filesystem::path(path).stem().string())));
  if (find("workload") != nullptr) {
    const int all = gpus(path);
    add("workers", all > 2 ? "[2, " + std::to_string(all) + "]" : std::to_string(all));
    return draft;
  }
  add("workers", powers_up_to(gpus(path)));
  const Entry* update = find("update");
  const std::string machine = items_of(this->machine()).front();
  const bool gpu = machine != "this" && machine != "ideal";
  const bool together = update == nullptr || update->value == "sync";
  add("aggregation",
      !together ? "parameter-server"
                : std::string("{kind: allreduce, algorithm: ") + (gpu ? "nccl}" : "ring}"));
  return draft;
}

std::string ExperimentDraft::question() const {
  const Entry* update = find("update");
  const bool policies =
      row_ == &question_of_scaling() && update != nullptr && is_list(update->value);
  std::string text =
      policies ? "Which update policy is fastest for {model} on {machine}?" : row_->question;
  std::string machine = in_words(find("machine")->value, "a machine of its own");
  const Entry* nodes = find("nodes");
  if (nodes != nullptr) machine = in_words(nodes->value, "") + " x " + machine;
  if (const Entry* network = find("network"); network != nullptr && nodes != nullptr)
    machine += " on " + in_words(network->value, "a network of its own");
  const Entry* model = find("model");
  if (model != nullptr)
    text = replaced(text, "{model}", in_words(model->value, "a network of its own"));
  return replaced(text, "{machine}", machine);
}

std::string ExperimentDraft::value_of(const std::string& key, const std::string& path) const {
  const ExperimentDraft whole = with_defaults(path);
  if (key == "machine") return whole.machine();
  const Entry* entry = whole.find(key);
  if (entry == nullptr && key == "software") return to_flow(Experiment{}.software);
  return entry != nullptr ? entry->value : "";
}

std::vector<ExperimentDraft::Line> ExperimentDraft::lines(const std::string& path) const {
  constexpr std::size_t kColumns = 100;
  constexpr std::size_t kWidest = 44;  // a longer value has its comment above it
  std::vector<Line> all{{"# yaml-language-server: $schema=" + schema_beside(path), ""}};
  std::string comment = "# " + wrapped(question(), 2, 0, kColumns);
  comment.pop_back();
  for (std::size_t at = comment.find('\n'); at != std::string::npos;
       at = comment.find('\n', at + 1))
    comment.insert(at + 1, "# ");
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    all.push_back({comment.substr(at, end - at), ""});
    at = end + 1;
  }
  std::vector<std::pair<Line, std::string>> keys;
  std::size_t widest = 0;
  for (const KeyNote& note : kNotes) {
    std::string value = note.key == std::string_view("machine") ? machine() : "";
    if (const Entry* entry = find(note.key); value.empty() && entry != nullptr)
      value = note.key == std::string_view("stragglers") ? delays_of(entry->value) : entry->value;
    if (value.empty()) continue;
    Line line{std::string(note.key) + ": " + value, note.key};
    if (line.text.size() <= kWidest) widest = std::max(widest, line.text.size());
    const bool halved = !too_many_.empty() && line.key == "batch";
    keys.emplace_back(std::move(line),
                      note.note + (halved ? " (" + too_many_ + " is too many)" : std::string()));
  }
  for (auto& [line, note] : keys) {
    const std::string key = line.key;
    if (line.text.size() <= kWidest) {
      line.text += std::string(widest + 2 - line.text.size(), ' ') + "# " + note;
      all.push_back(std::move(line));
      continue;
    }
    all.push_back({"# " + note, key});
    const std::string value = line.text.substr(key.size() + 2);
    const bool block = is_list(value) && line.text.size() > kColumns;
    all.push_back({block ? key + ":" : line.text, key});
    if (!block) continue;
    for (const std::string& item : items_of(value)) all.push_back({"  - " + item, key});
  }
  return all;
}

/// "--machine, --nodes": the options that gave the value of a key.
std::string ExperimentDraft::options_of(const std::string& key) const {
  std::vector<std::string> options;
  for (const Entry& entry : entries_) {
    const bool of_machine = entry.key == "nodes" || entry.key == "network";
    if (entry.by.empty() || (entry.key != key && !(of_machine && key == "machine"))) continue;
    options.push_back(entry.by);
  }
  return join(options);
}

std::vector<ExperimentDraft::Line> ExperimentDraft::errors_of(const std::string& path) const {
  const std::vector<Line> written = lines(path);
  std::string text;
  for (const Line& line : written) text += line.text + "\n";
  std::vector<Line> errors;
  try {
    ExperimentFile file = load_experiment_text(path, text, {});
    settle_here(file, Options{});
  } catch (const SpecError& error) {
    const std::string all = error.what();
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.find('\n', at), all.size());
      Line line{all.substr(at, end - at), ""};
      at = end + 1;
      std::size_t number = 0;
      if (line.text.starts_with(path + ":"))
        std::from_chars(line.text.data() + path.size() + 1, line.text.data() + line.text.size(),
                        number);
      const std::size_t problem = line.text.find(": error: ");
      if (number > 0 && number <= written.size() && problem != std::string::npos) {
        line.key = written[number - 1].key;
        const std::string options = options_of(line.key);
        line.text = "paceline" + line.text.substr(problem, 9) + options +
                    (options.empty() ? "" : ": ") + line.text.substr(problem + 9);
      }
      errors.push_back(std::move(line));
    }
  }
  return errors;
}

std::string ExperimentDraft::problem_of(const std::string& key, const std::string& path) const {
  std::string problem;
  for (const Line& error : with_defaults(path).errors_of(path)) {
    if (error.key == key) problem += error.text + "\n";
  }
  return problem;
}

std::string ExperimentDraft::checked_text(const std::string& path) const {
  if (const Entry* network = find("network"); network != nullptr && find("nodes") == nullptr)
    throw SpecError("paceline: error: --network needs --nodes (the number of computers)");
  ExperimentDraft draft = with_defaults(path);
  const std::vector<Line> first = draft.errors_of(path);
  std::vector<Line> errors = first;
  const auto batch = std::ranges::find(draft.entries_, "batch", &Entry::key);
  const bool free = batch != draft.entries_.end() && batch->by.empty();
  while (!errors.empty() && free && batch->value != "1") {
    if (draft.too_many_.empty()) draft.too_many_ = batch->value;
    batch->value = std::to_string(std::stoi(batch->value) / 2);
    errors = draft.errors_of(path);
  }
  if (!errors.empty()) {
    std::vector<std::string> lines;
    for (const Line& error : first) lines.push_back(error.text);
    throw SpecError(join(lines, "\n"));
  }
  std::string text;
  for (const Line& line : draft.lines(path)) text += line.text + "\n";
  return text;
}

std::string schema_beside(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path schema = fs::path("experiments") / "schema.json";
  const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  std::error_code unknown;
  for (fs::path above = folder;; above = above.parent_path()) {
    for (const fs::path& one : {above / "schema.json", above / schema}) {
      const bool named = one.parent_path().filename() == "experiments";
      if (named && fs::is_regular_file(one, unknown))
        return one.lexically_relative(folder).generic_string();
    }
    if (above == above.parent_path()) break;
  }
  return (data_folder("experiments") / "schema.json").generic_string();
}

}  // namespace paceline
