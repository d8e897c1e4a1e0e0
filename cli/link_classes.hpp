// SPDX-License-Identifier: MIT
/// \file
/// Classes of links: links of a machine that differ only in the numbers of their ends, so that 16
/// nearly equal rows become one.
#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "training/results/trace/copy_links.hpp"

namespace paceline {

/// The class of a link: "pcie gpu->pcie-switch".
std::string class_of(const Machine& machine, const CopyLinks& copy_links, std::size_t link);

/// The name of a set of links of one class: the link's own name if there is only one, otherwise "8
/// x pcie gpu->pcie-switch".
std::string name_of(const Machine& machine, const CopyLinks& copy_links,
                    const std::set<std::size_t>& links);

/// "one TCP connection", or "the limit of one transfer": the bound of a transfer over a link that
/// it does not fill.
std::string limit_of_transfer(LinkKind kind);

/// The names of a set of links by class, joined.
std::string names_of(const Machine& machine, const CopyLinks& copy_links,
                     const std::set<std::size_t>& links);

}  // namespace paceline
