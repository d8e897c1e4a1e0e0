// SPDX-License-Identifier: MIT
/// \file
/// How large a described network may be. No file may exhaust memory or overflow a count, so a
/// network beyond these is an error in the file; each is far above any network trained so far.
#pragma once

namespace paceline {

inline constexpr int kMostLayers = 20'000;        ///< of a network, so loops of loops end
inline constexpr int kMostChannels = 10'000'000;  ///< of a tensor
inline constexpr int kMostPixels = 100'000;       ///< of a tensor's height or width
/// Of an embedding: a token id is a float, exact up to here.
inline constexpr int kMostVocabulary = 16'777'216;
inline constexpr int kMostRepeats = 1'000;     ///< of a block
inline constexpr double kMostOfALayer = 1e13;  ///< parameters, MACs or elements of one layer
inline constexpr double kMostSyntheticSeconds = 86'400;  ///< a mini-batch

}  // namespace paceline
