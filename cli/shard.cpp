// SPDX-License-Identifier: MIT
#include "cli/shard.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

/// The number from `least` to kMostShards that `text` is.
std::optional<int> number_in(std::string_view text, int least) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  if (number < least || number > kMostShards) return std::nullopt;
  return number;
}

std::optional<int> number_of(const char* variable, int least) {
  const char* value = std::getenv(variable);
  return value != nullptr ? number_in(value, least) : std::nullopt;
}

/// The variables in which a launcher writes the number of a process and of all processes.
struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
};

// Open MPI; MPICH and its relatives; Slurm. A batch script of Slurm has SLURM_PROCID too, but the
// variables of a step only where srun started it.
constexpr std::array<Launcher, 3> kLaunchers{{
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"mpirun", "PMI_RANK", "PMI_SIZE"},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
}};

}  // namespace

std::string Shard::text() const {
  return "part " + std::to_string(number) + " of " + std::to_string(count);
}

Shard read_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const std::string_view all = text;
    const auto number = number_in(all.substr(0, slash), 1);
    const auto count = number_in(all.substr(slash + 1), 1);
    if (number && count && *number <= *count) return {*number, *count};
  }
  throw SpecError("paceline: error: --shard " + quote(std::string_view(text)) +
                  " is not a part of a sweep (I/N with I from 1 to N, and N at most " +
                  std::to_string(kMostShards) + ")");
}

std::optional<Shard> launched_shard() {
  for (const Launcher& launcher : kLaunchers) {
    const auto size = number_of(launcher.size, 1);
    const auto rank = number_of(launcher.rank, 0);
    if (!size || !rank || *rank >= *size) continue;
    if (*size == 1) return std::nullopt;
    return Shard{*rank + 1, *size, launcher.name};
  }
  return std::nullopt;
}

}  // namespace paceline
