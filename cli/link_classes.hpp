// SPDX-License-Identifier: MIT
/// \file
/// Links of a machine that differ in nothing but their ends' numbers, so that 16 near-equal rows
/// become one.
#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "training/trace/ways.hpp"

namespace paceline {

/// What alike links have in common: "pcie gpu->pcie-switch".
std::string class_of(const Machine& machine, const Ways& ways, std::size_t link);

/// Some links of one class: the name of a single one, else "8 x pcie gpu->pcie-switch".
std::string name_of(const Machine& machine, const Ways& ways, const std::set<std::size_t>& links);

/// Names of the links by class, joined: what a group of routes crosses.
std::string names_of(const Machine& machine, const Ways& ways, const std::set<std::size_t>& links);

}  // namespace paceline
