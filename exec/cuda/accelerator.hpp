// SPDX-License-Identifier: MIT
/// \file
/// This computer's GPUs, as the plug-in offers them to the program that loads it.
#pragma once
#include <memory>

#include "exec/plugin/accelerator.hpp"

namespace paceline::cuda {

/// An accelerator. Without a usable GPU it is still made, and its facts contain the reason. Throws
/// only std::bad_alloc.
std::unique_ptr<Accelerator> make_accelerator();

}  // namespace paceline::cuda
