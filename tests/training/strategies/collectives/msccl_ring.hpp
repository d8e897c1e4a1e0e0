// SPDX-License-Identifier: MIT
/// \file
/// A ring as MSCCL's XML writes it: each chunk begins at its own rank, is summed on its way around,
/// and goes around once more.
#pragma once
#include <string>

namespace paceline {

inline std::string msccl_step(int number, const std::string& type, int chunk) {
  const std::string place = std::to_string(chunk);
  return "      <step s=\"" + std::to_string(number) + "\" type=\"" + type +
         "\" srcbuf=\"i\" srcoff=\"" + place + "\" dstbuf=\"o\" dstoff=\"" + place +
         "\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
}

inline std::string msccl_ring(int ranks) {
  const std::string count = std::to_string(ranks);
  std::string text = "<algo name=\"ring\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"" +
                     count + "\" ngpus=\"" + count + "\" coll=\"allreduce\" inplace=\"1\">\n";
  for (int rank = 0; rank < ranks; ++rank) {
    text += "  <gpu id=\"" + std::to_string(rank) + "\" i_chunks=\"" + count + "\" o_chunks=\"" +
            count + "\" s_chunks=\"0\">\n    <tb id=\"0\" send=\"" +
            std::to_string((rank + 1) % ranks) + "\" recv=\"" +
            std::to_string((rank + ranks - 1) % ranks) + "\" chan=\"0\">\n";
    for (int step = 0; step < 2 * ranks - 1; ++step) {
      std::string type = "rcs";
      if (step == 0)
        type = "s";
      else if (step < ranks - 1)
        type = "rrs";
      else if (step == ranks - 1)
        type = "rrcs";
      else if (step == 2 * ranks - 2)
        type = "r";
      text += msccl_step(step, type, (rank - step + 2 * ranks) % ranks);
    }
    text += "    </tb>\n  </gpu>\n";
  }
  return text + "</algo>\n";
}

}  // namespace paceline
