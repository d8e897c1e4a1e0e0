// SPDX-License-Identifier: MIT
#include "cli/experiment_run.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cli/comparison.hpp"
#include "cli/computer.hpp"
#include "cli/draw_figures.hpp"
#include "cli/execution_device.hpp"
#include "cli/extremes_check.hpp"
#include "cli/interrupt.hpp"
#include "cli/joint_points.hpp"
#include "cli/kept_file.hpp"
#include "cli/manifest.hpp"
#include "cli/missed_expectations.hpp"
#include "cli/parallel.hpp"
#include "cli/point_runner.hpp"
#include "cli/printed_results.hpp"
#include "cli/profile_file.hpp"
#include "cli/results_csv.hpp"
#include "cli/results_lock.hpp"
#include "cli/results_place.hpp"
#include "cli/trained_weights.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/whole_file.hpp"
#include "training/experiment/assumptions.hpp"
#include "training/experiment/idle_keys.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

void check_names(const std::vector<ExperimentFile>& files) {
  std::set<std::string> names;
  for (const ExperimentFile& file : files) {
    if (!names.insert(as_folder(file.name)).second) {
      throw SpecError(file.path + ": error: another file also has the name " +
                      quote(std::string_view(file.name)) + " (rename one)");
    }
  }
}

/// The reason why no point of these files can be executed here; "" if some point can.
std::string nothing_executable(const std::vector<ExperimentFile>& files,
                               ExecutionDevices& devices) {
  std::string first;
  for (const ExperimentFile& file : files) {
    for (const ExperimentPoint& point : file.points) {
      const std::string why = devices.not_executable(point);
      if (why.empty()) return "";
      if (first.empty()) first = why;
    }
  }
  return first;
}

/// Writes the CSV files, all at a time: each waits for the disk. Returns why one could not be
/// written; "" if all were.
std::string write_tables(const ExperimentFile& file, const std::filesystem::path& folder,
                         const std::vector<ResultRow>& rows) {
  using Text = std::string (*)(const std::vector<ResultRow>&);
  const std::vector<std::pair<const char*, Text>> tables{{"steps.csv", steps_csv},
                                                         {"curves.csv", curves_csv},
                                                         {"staleness.csv", staleness_csv},
                                                         {"step_times.csv", step_times_csv}};
  std::vector<std::string> lost(tables.size() + 1);
  for_each_parallel({0, 1, 2, 3, 4}, 5, [&](std::size_t i) {
    lost[i] = write_problem([&] {
      if (i == 0) {
        write_whole(folder / "results.csv", results_csv(rows, file.swept));
      } else {
        write_whole(folder / tables[i - 1].first, tables[i - 1].second(rows));
      }
    });
  });
  const auto first = std::ranges::find_if(lost, [](const auto& why) { return !why.empty(); });
  return first == lost.end() ? "" : *first;
}

/// Writes the files of results, prints the table unless --json or --quiet is given, and draws.
/// Returns why a file could not be written, on a full disk; "" if all were.
std::string write_results(const ExperimentFile& file, const std::filesystem::path& folder,
                          const PointRun& run, const std::vector<ResultRow>& rows,
                          const Options& options, const Terminal& terminal) {
  const SweptLabels labels(file.points);
  std::string lost = write_tables(file, folder, rows);
  report_failures(rows, terminal);
  const bool table = !options.json && !options.quiet;
  const TableStyle style = table_style(options.markdown);
  const Summary summary = summarise(rows, labels, run, terminal, table, style);
  const bool on_cuda = std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) {
    return row.source == Source::measured && row.cuda && row.usable();
  });
  const Accelerator* gpus = on_cuda && run.sources.execute ? run.devices->accelerator() : nullptr;
  const std::string manifest =
      manifest_json(file, options, run.profile, gpus != nullptr ? &gpus->facts() : nullptr, rows,
                    summary, labels);
  const std::string why = write_problem([&] { write_whole(folder / "manifest.json", manifest); });
  if (lost.empty()) lost = why;
  if (!lost.empty()) return lost;
  const bool paths = table && !options.markdown;
  if (paths) {
    terminal.out << "results: " << (folder / "results.csv").string() << "\n";
    if (run.save) terminal.out << "weights: " << (folder / "weights").string() << "\n";
    terminal.out << std::flush;
  }
  if (options.plot) {
    const Drawing drawing = draw_figures({folder.string(), "--plot", options.formats});
    if (!drawing.problem.empty()) terminal.err << drawing.problem << "\n";
    if (paths && drawing.code == 0)
      terminal.out << "report:  " << (folder / "report.html").string() << "\n";
  }
  return "";
}

/// After Ctrl-C: writes the results of the finished points and prints their table, while others
/// still run.
void write_finished(const ExperimentFile& file, const std::filesystem::path& folder, PointRun run,
                    Options options, const Terminal& terminal) {
  run.sources = {};  // what is on the disk, nothing else
  run.trace = false;
  run.quiet = true;
  options.plot = false;
  const PointRows finished = run_points(run, terminal);
  std::set<std::size_t> points;
  for (const ResultRow& row : finished.rows) {
    if (row.source == Source::predicted || row.source == Source::measured) points.insert(row.index);
  }
  if (points.empty()) return;
  const std::string lost = write_results(file, folder, run, finished.rows, options, terminal);
  terminal.out << std::flush;
  if (!lost.empty()) throw std::runtime_error("paceline: error: " + lost);
  if (!options.quiet) {
    terminal.err << "written: the results of " << points.size() << " of "
                 << counted(file.points.size(), "point") << "\n"
                 << std::flush;
  }
}

/// The line about one part of a sweep. `writes`: this part is left to write the results.
std::string part_in_words(const Shard& shard, const PointRows& points, bool writes) {
  std::string line = shard.text();
  if (!shard.launcher.empty()) line += ", started by " + shard.launcher + ",";
  line += " has " + counted(points.own, "point");
  if (points.missing > 0) {
    return line + "; " + counted(points.missing, "point") +
           " of the sweep not finished yet, the last part writes the results\n";
  }
  line += "; all are finished";
  return line + (writes ? "\n" : ", and another part is writing the results\n");
}

/// The rows of one file, of this part of the sweep only if others have not finished.
struct FileRows {
  std::vector<ResultRow> rows;
  bool as_expected = true;  ///< no bound of `expect` is missed, and all files were written
};

/// Runs one file and writes its results, if all parts of the sweep have finished.
FileRows run_one(const ExperimentFile& file, bool several, const Profile* profile,
                 ExecutionDevices& devices, const Options& options, const Terminal& terminal,
                 SourceSelection sources) {
  const std::filesystem::path folder = folder_of(file, options, several);
  PointRun run;
  run.file = &file;
  run.profile = profile;
  run.folder = folder / "points";
  run.sources = sources;
  run.devices = &devices;
  run.shard = options.shard;
  run.jobs = options.jobs;
  run.quiet = options.quiet;
  run.trace = options.trace;
  run.save = options.save;
  run.by_events = options.unfolded;
  const std::filesystem::path unchanged = folder_without_overrides(file, options, several);
  if (unchanged != folder) run.also_finished = unchanged / "points";
  PointRows points = [&] {
    std::optional<Salvage> salvage;
    if (!run.shard) salvage.emplace([&] { write_finished(file, folder, run, options, terminal); });
    return run_points(run, terminal);
  }();
  if (run.save) note_missing_weights(points.rows, terminal.err);
  std::optional<ResultsLock> lock;
  bool writes = true;
  if (options.shard) {
    // a part that would not write must not hold the lock, or a complete one would leave it to that
    if (points.missing == 0) lock.emplace(run.folder);
    writes = lock && lock->held();
    if (!options.quiet) terminal.err << part_in_words(*options.shard, points, writes);
  }
  std::string lost = std::move(points.unsaved);
  if (writes) {
    const std::string why = write_results(file, folder, run, points.rows, options, terminal);
    if (lost.empty()) lost = why;
  } else {
    report_failures(points.rows, terminal);
  }
  const auto missed = writes ? missed_expectations(points.rows, SweptLabels(file.points))
                             : std::vector<std::string>{};
  print_lines(missed, terminal.err);
  if (!lost.empty()) terminal.err << "paceline: error: " << lost << "\n";
  return {std::move(points.rows), missed.empty() && lost.empty()};
}

/// True if the machine is the machine file that calibrate wrote for this computer without GPUs. Its
/// workers are threads here, as those of `this`.
bool is_this_host(const Machine& machine) {
  return machine.kind() == Machine::Kind::described && machine.gpu_count() == 0 &&
         machine.fingerprint() == fingerprint_with({});
}

}  // namespace

void settle_here(ExperimentFile& file, const Options& options) {
  Diagnostics large_here;
  for (ExperimentPoint& point : file.points) {
    if (point.machine && is_this_host(*point.machine)) point.machine = nullptr;
    const TooLarge large = too_large_here(point, options.device);
    if (!large.why.empty()) large_here.error(large.at, large.why);
  }
  large_here.throw_if_any();
}

std::vector<ExperimentFile> load_experiments(const Options& options) {
  if (options.operands.empty())
    throw SpecError("paceline: error: give at least one experiment file");
  std::vector<ExperimentFile> files;
  std::vector<std::string> errors;
  for (const std::string& path : options.operands) {
    try {
      if (path.find('=') != std::string::npos && !std::filesystem::exists(path))
        throw SpecError("paceline: error: no file " + quote(std::string_view(path)) +
                        " (a key is changed with --set " + path + ")");
      files.push_back(load_experiment_file(path, options.overrides));
      settle_here(files.back(), options);
    } catch (const SpecError& error) {
      errors.emplace_back(error.what());
    }
  }
  if (!errors.empty()) throw SpecError(join(errors, "\n"));
  return files;
}

void note_idle_keys(const std::vector<ExperimentFile>& files, const Options& options,
                    const Terminal& terminal) {
  if (options.quiet) return;
  for (const ExperimentFile& file : files) {
    print_lines(notes_on_idle_keys(file), terminal.err);
    print_lines(notes_on_assumptions(file), terminal.err);
  }
}

namespace {

/// Refuses to simulate points in parts if they depend on the computer.
void check_parts(const std::vector<ExperimentFile>& files) {
  for (const ExperimentFile& file : files) {
    for (const ExperimentPoint& point : file.points) {
      if (point.machine) continue;
      throw SpecError(file.path +
                      ": error: points of 'machine: this' cannot be simulated in parts, since each "
                      "computer has other times (use one process, or a machine file)");
    }
  }
}

/// The run of process 0, or of the only process. Returns the exit code.
int run_here(const std::vector<ExperimentFile>& files, const Options& options,
             const Terminal& terminal, SourceSelection sources, Leader* leader) {
  ExecutionDevices devices(options.device, leader);
  if (sources.execute && (!sources.predict || options.device == Device::cuda)) {
    if (const std::string why = nothing_executable(files, devices); !why.empty()) {
      terminal.err << "paceline: error: " << why << "\n";
      // a lost process is a failure of this run, not a property of this computer
      return leader != nullptr && !leader->group().absence().empty() ? kPointFailed : kNotHere;
    }
  }
  if (options.shard) check_parts(files);
  std::deque<ResultsClaim> claims;
  for (const ExperimentFile& file : files) {
    const std::filesystem::path folder = folder_of(file, options, files.size() > 1);
    expect_place(folder / "results.csv", "folder");
    expect_place(folder / "points" / "0.json", "folder");
    claims.emplace_back(folder, options.shard ? Writers::parts : Writers::one,
                        options.command_line);
  }
  const std::optional<Profile> profile =
      profile_for(files, devices, {.quiet = options.quiet}, terminal);
  std::vector<ResultRow> all;
  bool good = true;
  for (const ExperimentFile& file : files) {
    if (files.size() > 1 && !options.json && !options.quiet)
      terminal.out << (options.markdown ? markdown_heading(file, files) : file.name + "\n");
    auto [rows, as_expected] = run_one(file, files.size() > 1, profile ? &*profile : nullptr,
                                       devices, options, terminal, sources);
    good = good && as_expected;
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  if (options.json) terminal.out << results_json(all);
  good = good && std::none_of(all.begin(), all.end(), fails_the_run);
  if (leader != nullptr && !leader->group().absence().empty()) good = false;
  return good ? kDone : kPointFailed;
}

}  // namespace

int run_experiments(const Options& options, const Terminal& terminal, SourceSelection sources) {
  std::vector<ExperimentFile> files = load_experiments(options);
  note_idle_keys(files, options, terminal);
  check_names(files);
  settle_weights(files, options);
  return run_loaded(std::move(files), options, terminal, sources);
}

int run_loaded(std::vector<ExperimentFile> files, const Options& options, const Terminal& terminal,
               SourceSelection sources) {
  check_extremes(files, options, sources);
  std::unique_ptr<Group> group;
  if (sources.execute) group = join_group(options, identity_of(files, options));
  settle_processes(files, group.get());
  if (group != nullptr && !group->leads()) {
    ExecutionDevices devices(options.device);
    return follow(*group, files, devices);
  }
  if (group == nullptr) return run_here(files, options, terminal, sources, nullptr);
  Leader leader(*group, files);
  const int code = run_here(files, options, terminal, sources, &leader);
  leader.end(code);
  return code;
}

}  // namespace paceline
