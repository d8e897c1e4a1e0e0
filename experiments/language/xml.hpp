// SPDX-License-Identifier: MIT
/// \file
/// Parses XML into a tree of elements with their positions; text between elements is dropped. Only
/// this file uses Expat.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/language/diagnostics.hpp"

namespace paceline {

struct XmlElement {
  std::string name;
  Location at;
  std::map<std::string, std::string, std::less<>> attributes;
  std::vector<XmlElement> children;
  std::string text;  ///< of elements with only text, such as hwloc's lists of numbers

  /// The attribute, or "" if it is missing.
  const std::string& attribute(std::string_view key) const;
  /// The attribute as a decimal number, or `otherwise` if it is not one.
  int number(std::string_view key, int otherwise) const;
};

/// Parses a document and returns its root. The limits are 8 MiB, 64 levels and 200,000 elements and
/// attributes; entities defined by the document are errors. Throws SpecError.
XmlElement parse_xml(const std::string& file, const std::string& text);

}  // namespace paceline
