// SPDX-License-Identifier: MIT
/// \file
/// Images with a fourth channel of zeros. Tensor cores take channels in fours, and a pixel of four
/// 16-bit numbers is one load; the library's fast kernels for a first convolution need it.
#pragma once
#include "exec/cuda/network/cuda_network.hpp"

namespace paceline::cuda {

/// `network` with such an input where the numbers have 16 bits, channels are last, and convolutions
/// alone read it. These layers then have more input channels than their parameters are for.
Network with_padded_input(const Network& network, const NetworkSetting& setting);

}  // namespace paceline::cuda
