// SPDX-License-Identifier: MIT
#include "training/experiment/jobs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "experiments/language/containers.hpp"
#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

/// The keys of the file with the jobs; they replace those of each job.
constexpr std::array kOfAll{"name", "machine", "steps", "warmup", "repeats", "seed"};

std::filesystem::path beside(const std::string& path, const std::string& name) {
  return std::filesystem::path(path).parent_path() / name;  // an absolute name stays as it is
}

/// The document of a job, which must be a single point.
Tree document_of(const Job& job, const Location& at, const std::string& path, const ListKeys& lists,
                 Diagnostics& diagnostics) {
  const std::string file = beside(path, job.experiment).string();
  if (!std::filesystem::is_regular_file(file)) {
    diagnostics.error(at, "cannot open experiment '" + file + "'");
    return Tree::map();
  }
  const Tree root = parse_yaml(file, read_text_file(file));
  if (has_jobs(root)) {
    diagnostics.error(at, "'" + file + "' has jobs of its own");
    return Tree::map();
  }
  std::vector<PointTree> points = expand(root, lists);
  if (points.size() > 1) {
    diagnostics.error(
        at, "'" + file + "' has " + std::to_string(points.size()) + " points, and a job is one");
  }
  Tree tree = std::move(points.front().tree);
  // a table's path is relative to the file that names it
  for (Member& member : tree.members) {
    if (member.key != "published" || !member.value.is_map()) continue;
    for (Member& key : member.value.members) {
      if (key.key == "table") key.value.text = beside(job.experiment, key.value.text).string();
    }
  }
  return tree;
}

/// The jobs' names, which differ: those of the same name are numbered.
std::vector<std::string> names_of(const std::vector<Tree>& documents) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const Tree& document : documents) {
    const Tree* name = document.find("name");
    const std::string own = name != nullptr && name->is_scalar() ? name->text : "job";
    const int number = ++seen[own];
    names.push_back(own + (number > 1 ? "-" + std::to_string(number) : ""));
  }
  return names;
}

/// The rest of the file: what all jobs have in common.
Tree common_of(const Tree& root, Diagnostics& diagnostics) {
  Tree common = root;
  std::erase_if(common.members, [](const Member& member) { return member.key == "jobs"; });
  for (const Member& member : common.members) {
    if (std::find(kOfAll.begin(), kOfAll.end(), member.key) != kOfAll.end()) continue;
    diagnostics.error(member.key_at, "'" + member.key +
                                         "' is for one job: write it in that job's experiment "
                                         "(a file with jobs has name, machine, jobs, steps, "
                                         "warmup, repeats, seed)");
  }
  for (const char* key : {"name", "machine"}) {
    if (root.find(key) == nullptr)
      diagnostics.error(root.at, "missing key '" + std::string(key) + "'");
  }
  return common;
}

void throw_errors(const Diagnostics& diagnostics) {
  if (diagnostics.count() > 0) throw SpecError(join(diagnostics.lines(), "\n"));
}

}  // namespace

void Job::describe(Description<Job>& d) {
  d.required("experiment", &Job::experiment,
             "experiment file with one point; its path is relative to this file");
  d.optional("gpus", &Job::gpus, "GPUs of its workers, by number in the machine; no other job's");
}

bool has_jobs(const Tree& root) {
  return root.is_map() && root.find("jobs") != nullptr;
}

std::vector<std::vector<PointTree>> expand_jobs(const Tree& root, const std::string& path,
                                                const ListKeys& lists) {
  Diagnostics diagnostics;
  const Tree& written = *root.find("jobs");
  std::vector<Job> jobs;
  Value<std::vector<Job>>::read(jobs, written, diagnostics);
  const Tree common = common_of(root, diagnostics);
  throw_errors(diagnostics);
  if (jobs.size() < 2 || jobs.size() > kMostJobs) {
    diagnostics.error(written.at, "jobs that share a machine are 2 to " +
                                      std::to_string(kMostJobs) + ", not " +
                                      std::to_string(jobs.size()));
  }
  std::vector<Tree> documents;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Location at = written.items[i].find("experiment")->at;
    documents.push_back(document_of(jobs[i], at, path, lists, diagnostics));
  }
  throw_errors(diagnostics);
  const std::vector<std::string> names = names_of(documents);
  std::vector<std::vector<PointTree>> all;
  for (const PointTree& setting : expand(common, lists)) {
    std::vector<PointTree>& together = all.emplace_back();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      PointTree& job = together.emplace_back(PointTree{documents[i], setting.swept});
      for (const Member& member : setting.tree.members) job.tree.set(member.key, member.value);
      if (const Tree* gpus = written.items[i].find("gpus")) job.tree.set("gpus", *gpus);
      job.swept.push_back({kJobKey, names[i]});
    }
  }
  return all;
}

}  // namespace paceline
