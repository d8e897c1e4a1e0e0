// SPDX-License-Identifier: MIT
/// \file
/// Limits on the size of a described network. They keep a file from exhausting memory or
/// overflowing a count; exceeding one is an error in the file. Each is far above any network
/// trained so far.
#pragma once

namespace paceline {

inline constexpr int kMostLayers = 20'000;        ///< of a network; bounds nested repeats
inline constexpr int kMostChannels = 10'000'000;  ///< of a tensor
inline constexpr int kMostPixels = 100'000;       ///< of a tensor's height or width
/// Of an embedding: token ids are stored as fp32, which is exact up to 2^24.
inline constexpr int kMostVocabulary = 16'777'216;
inline constexpr int kMostRepeats = 1'000;     ///< of a block
inline constexpr double kMostOfALayer = 1e13;  ///< parameters, MACs or elements of a layer
inline constexpr double kMostSyntheticSeconds = 86'400;  ///< per mini-batch

}  // namespace paceline
