// SPDX-License-Identifier: MIT
/// \file
/// The words in which a user reads of an exception. The texts of this project's own errors are
/// written for users; those of the standard library ("map::at", "vector::_M_range_check") name
/// functions, and say nothing about an experiment.
#pragma once
#include <exception>
#include <string>

namespace paceline {

/// In words; never the text of an exception that the standard library has made of a mistake.
std::string in_plain_words(const std::exception& error);

}  // namespace paceline
