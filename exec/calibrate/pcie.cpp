// SPDX-License-Identifier: MIT
#include "exec/calibrate/pcie.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>

namespace paceline {
namespace {

/// Transfers per second of a lane, and data bits per transfer by the line code (PCI Express Base
/// Specification).
struct Generation {
  const char* name;
  double transfers;  ///< 1e9 per second
  double code;
};
constexpr std::array<Generation, 6> kGenerations{{{"1.0", 2.5, 8.0 / 10},
                                                  {"2.0", 5, 8.0 / 10},
                                                  {"3.0", 8, 128.0 / 130},
                                                  {"4.0", 16, 128.0 / 130},
                                                  {"5.0", 32, 128.0 / 130},
                                                  {"6.0", 64, 242.0 / 256}}};  // flits

/// The number at the start of a file.
std::optional<double> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  double value = 0;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace

std::optional<PcieLink> pcie_link(const std::string& bus, const std::filesystem::path& devices) {
  std::string address = bus;
  std::transform(address.begin(), address.end(), address.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  if (address.empty() || address.find('/') != std::string::npos) return std::nullopt;
  const std::optional<double> speed = number_in(devices / address / "max_link_speed");
  const std::optional<double> width = number_in(devices / address / "max_link_width");
  if (!speed || !width || *width < 1 || *width > 32) return std::nullopt;
  for (const Generation& generation : kGenerations) {
    if (std::fabs(*speed - generation.transfers) > 0.01) continue;
    const double bits = generation.transfers * 1e9 * generation.code * *width;
    return PcieLink{
        "PCIe " + std::string(generation.name) + " x" + std::to_string(static_cast<int>(*width)),
        BytesPerSecond{bits / 8}};
  }
  return std::nullopt;
}

}  // namespace paceline
