// SPDX-License-Identifier: MIT
/// \file
/// Makes text from anywhere fit to parse: UTF-8 without control characters, lines ended by '\n'.
#pragma once
#include <memory>
#include <string>

#include "experiments/diagnostics.hpp"

namespace paceline {

/// `text` without a byte order mark and with "\r\n" and "\r" as '\n'. Throws SpecError, at the
/// first offending byte, when it is not UTF-8 or holds a control character other than a tab.
std::string checked_text(const std::shared_ptr<const std::string>& file, const std::string& text);

/// Where the line at `line` (from 1) has a tab in its indentation: its column, or 0.
int tab_in_indentation(const std::string& text, int line);

}  // namespace paceline
