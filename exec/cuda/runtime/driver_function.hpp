// SPDX-License-Identifier: MIT
/// \file
/// The driver's functions, looked up at run time: a program that links the driver does not start
/// without it, and older drivers lack some.
#pragma once

namespace paceline::cuda {

/// As CUDA `version` (12050: 12.5) has it; null if the driver lacks it.
void* driver_function(const char* name, unsigned version);

/// Sets `function`; false if the driver lacks it.
template <class Function>
bool find_driver_function(const char* name, unsigned version, Function& function) {
  function = reinterpret_cast<Function>(driver_function(name, version));
  return function != nullptr;
}

}  // namespace paceline::cuda
