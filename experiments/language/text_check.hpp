// SPDX-License-Identifier: MIT
/// \file
/// Prepares untrusted text for parsing: valid UTF-8, no control characters, lines ended by '\n'.
#pragma once
#include <memory>
#include <string>

#include "experiments/language/diagnostics.hpp"

namespace paceline {

/// `text` without a byte order mark and with "\r\n" and "\r" replaced by '\n'. Throws SpecError at
/// the first byte that is not UTF-8 or is a control character other than a tab.
std::string checked_text(const std::shared_ptr<const std::string>& file, const std::string& text);

/// The column of the first tab in the indentation of `line`, or 0 if there is none. Lines and
/// columns count from 1.
int tab_in_indentation(const std::string& text, int line);

}  // namespace paceline
