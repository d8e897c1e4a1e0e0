// SPDX-License-Identifier: MIT
/// \file
/// Parts that several points of a file name, such as networks and tables: each is loaded once.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/language/yaml.hpp"

namespace paceline {

template <class T>
class PartCache {
 public:
  /// The part that `tree` names or describes, by `load(tree)`. If that throws SpecError, null, and
  /// the first time its message is added to `errors`.
  template <class Load>
  std::shared_ptr<const T> get(const Tree& tree, const Load& load,
                               std::vector<std::string>& errors) {
    const std::string key = to_flow(tree);
    if (const auto found = parts_.find(key); found != parts_.end()) return found->second;
    std::shared_ptr<const T> loaded;
    try {
      loaded = std::make_shared<const T>(load(tree));
    } catch (const SpecError& error) {
      errors.emplace_back(error.what());
    }
    parts_.emplace(key, loaded);
    return loaded;
  }

 private:
  std::map<std::string, std::shared_ptr<const T>> parts_;
};

}  // namespace paceline
