// SPDX-License-Identifier: MIT
/// \file
/// XML as a tree of elements with their places; text between them is left out. The only door to
/// Expat.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/diagnostics.hpp"

namespace paceline {

struct XmlElement {
  std::string name;
  Location at;
  std::map<std::string, std::string, std::less<>> attributes;
  std::vector<XmlElement> children;
  std::string text;  ///< of elements that hold text alone, such as hwloc's lists of numbers

  /// The attribute, or "" where there is none.
  const std::string& attribute(std::string_view key) const;
  /// The attribute as a decimal number, or `otherwise` where it is none.
  int number(std::string_view key, int otherwise) const;
};

/// The root of the document. At most 8 MiB, 64 levels, 200,000 elements and attributes; entities of
/// the document's own are errors. Throws SpecError.
XmlElement parse_xml(const std::string& file, const std::string& text);

}  // namespace paceline
