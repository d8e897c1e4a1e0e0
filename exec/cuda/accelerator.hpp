// SPDX-License-Identifier: MIT
/// \file
/// This computer's GPUs as the plug-in offers them to the program that opened it.
#pragma once
#include <memory>

#include "exec/plugin/accelerator.hpp"

namespace paceline::cuda {

/// An accelerator; without GPUs where there is none, its facts say why. Does not throw but for lack
/// of memory.
std::unique_ptr<Accelerator> make_accelerator();

}  // namespace paceline::cuda
