// SPDX-License-Identifier: MIT
#include "cli/core_times.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <istream>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "exec/machine/usable_cores.hpp"

namespace paceline {
namespace {

constexpr double kShortest = 0.3;  // s: 30 ticks, so that one of them is a few percent

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

double busy_seconds(std::istream& stat, const std::vector<int>& cores, double ticks_per_second) {
  double ticks = 0;
  for (std::string line; std::getline(stat, line);) {
    if (!line.starts_with("cpu") || line.size() < 4 || line[3] == ' ') continue;  // ' ': their sum
    std::istringstream words(line.substr(3));
    int core = 0;
    // proc(5): user nice system idle iowait irq softirq steal, and guests, which user includes
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    words >> core >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
    const bool counts = std::find(cores.begin(), cores.end(), core) != cores.end();
    if (counts) ticks += user + nice + system + irq + softirq + steal;
  }
  return ticks / ticks_per_second;
}

std::optional<CoreTimes> core_times_now() {
  std::ifstream stat("/proc/stat");
  rusage own{};
  if (!stat || getrusage(RUSAGE_SELF, &own) != 0) return std::nullopt;
  CoreTimes times;
  times.all = busy_seconds(stat, usable_cpus(), static_cast<double>(sysconf(_SC_CLK_TCK)));
  times.own = seconds_of(own.ru_utime) + seconds_of(own.ru_stime);
  times.wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return times;
}

std::optional<double> cores_of_others(const CoreTimes& before, const CoreTimes& after) {
  const double wall = after.wall - before.wall;
  if (wall < kShortest) return std::nullopt;
  return std::max(0.0, (after.all - before.all) - (after.own - before.own)) / wall;
}

}  // namespace paceline
