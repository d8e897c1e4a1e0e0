// SPDX-License-Identifier: MIT
#include "cli/profile_file.hpp"

#include <algorithm>
#include <cstdlib>

#include "cli/block_yaml.hpp"
#include "cli/calibration.hpp"
#include "cli/computer.hpp"
#include "cli/hash.hpp"
#include "cli/version.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/whole_file.hpp"
#include "experiments/language/yaml.hpp"
#include "training/profile/bounds.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

// An additional key of the file that identifies the measured computer.
constexpr const char* kComputer = "computer";

/// True if the point's machine is this computer, by name or by fingerprint.
bool is_here(const ExperimentPoint& point) {
  if (!point.machine) return true;
  const std::string& fingerprint = point.machine->fingerprint();  // "": not of a computer
  return !fingerprint.empty() && fingerprint.starts_with(this_computer().identity());
}

/// The path of earlier versions, and the one to fall back on without a writable cache folder.
std::filesystem::path profile_of_folder() {
  return std::filesystem::path("results") / ".profiles" / (this_computer().host + ".yaml");
}

/// The user's folder for caches, as the XDG Base Directory Specification defines it; "" if the
/// environment names none.
std::filesystem::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return cache;
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::filesystem::path(home) / ".cache"
                                         : std::filesystem::path();
}

}  // namespace

std::filesystem::path default_profile_path() {
  const std::filesystem::path cache = cache_folder();
  if (cache.empty()) return profile_of_folder();
  constexpr std::size_t kDigits = 8;
  const Computer computer = this_computer();
  const std::string key = Hash().add(computer.identity()).add(version()).text().substr(0, kDigits);
  return cache / "paceline" / (computer.host + "-" + key + ".yaml");
}

std::filesystem::path writable_profile_path() {
  const std::filesystem::path path = default_profile_path();
  return write_problem([&] { expect_writable(path); }).empty() ? path : profile_of_folder();
}

std::optional<Profile> load_default_profile(std::ostream& err) {
  const std::filesystem::path kept = default_profile_path(), of_folder = profile_of_folder();
  const auto written = [](const std::filesystem::path& path) {
    std::error_code none;  // the time is the earliest then
    return std::filesystem::last_write_time(path, none);
  };
  return load_profile(written(of_folder) > written(kept) ? of_folder : kept, err);
}

std::optional<Profile> load_profile(const std::filesystem::path& path, std::ostream& err) {
  std::error_code refused;
  if (!std::filesystem::exists(path, refused)) return std::nullopt;
  const auto ignore = [&](const std::string& why) {
    err << "note: profile " << path.string() << " is not used: " << why << "\n";
    return std::nullopt;
  };
  try {
    const Tree tree = read_yaml_file(path.string());
    const Tree* computer = tree.find(kComputer);
    if (computer == nullptr) throw SpecError(tree.at, "missing key 'computer'");
    if (computer->text != this_computer().identity())
      return ignore("it was measured on another computer");
    const Tree* by = tree.find("version");
    if (by != nullptr && by->is_scalar() && by->text != version()) {
      return ignore("it was written by version " + by->text);  // another version may have other
                                                               // keys
    }
    Diagnostics diagnostics;
    Profile profile;
    read_keys(profile, tree, diagnostics, kComputer);
    diagnostics.throw_if_any();
    if (const std::string wrong = impossible_figure(profile); !wrong.empty()) {
      throw SpecError(tree.at, wrong);
    }
    return profile;
  } catch (const SpecError& error) {
    const std::string lines = error.what();
    const std::size_t more = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
    throw SpecError(
        lines.substr(0, lines.find('\n')) +
        (more > 0 ? ", and " + counted(more, "more error") : "") +
        " (a damaged profile: delete the file, or replace it by `paceline calibrate" +
        (path == default_profile_path() ? "" : " --force -o " + shell_word(path.string())) + "`)");
  }
}

void save_profile(const std::filesystem::path& path, const Profile& profile) {
  Tree tree = Tree::map();
  tree.set(kComputer, Tree::quoted_scalar(this_computer().identity()));
  for (const Member& member : write_keys(profile).members) tree.set(member.key, member.value);
  write_whole(path,
              "# Measurements of this computer by paceline; `paceline calibrate` repeats them.\n" +
                  block_yaml(tree));
}

std::optional<Profile> profile_for(const std::vector<ExperimentFile>& files,
                                   ExecutionDevices& devices, ProfileUse use,
                                   const Terminal& terminal) {
  CalibrationOrder order;
  order.quiet = use.quiet;
  bool any = false;
  for (const ExperimentFile& file : files) {
    for (const ExperimentPoint& point : file.points) {
      if (!is_here(point)) continue;
      any = true;
      const bool cuda = runs_on_cuda(point, devices.device());
      (cuda ? order.on_gpus : order.on_host).push_back(&point);
    }
  }
  if (!any) return std::nullopt;
  if (!order.on_gpus.empty()) order.gpus = devices.accelerator();
  std::optional<Profile> profile = load_default_profile(terminal.err);
  // without a GPU here, points on GPUs use finished measurements or have no prediction
  if (!profile && order.on_host.empty() && order.gpus == nullptr) return std::nullopt;
  Calibration calibration(order, profile);
  const auto note = [&](const std::vector<std::string>& problems) {
    for (const std::string& problem : problems) {
      terminal.err << "note: not measured: " << problem << "\n";
    }
  };
  if (calibration.complete()) {
    note(calibration.problems());
    return profile;
  }
  note(calibration.run(terminal));
  save_profile(writable_profile_path(), *profile);
  return profile;
}

}  // namespace paceline
