// SPDX-License-Identifier: MIT
/// \file
/// The message of an exception for a user. The texts of this project's own errors are written for
/// users; those of the standard library ("map::at", "vector::_M_range_check") name functions and
/// say nothing about an experiment.
#pragma once
#include <exception>
#include <string>

namespace paceline {

/// The message, in one line or more; never the text of an exception that the standard library
/// throws for a programming error.
std::string in_plain_words(const std::exception& error);

}  // namespace paceline
