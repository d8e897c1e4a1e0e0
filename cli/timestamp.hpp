// SPDX-License-Identifier: MIT
/// \file
/// The date and time of measurements, for records only; results never depend on it.
#pragma once
#include <string>

namespace paceline {

/// "2026-01-02T03:04:05Z"
std::string utc_now();

}  // namespace paceline
