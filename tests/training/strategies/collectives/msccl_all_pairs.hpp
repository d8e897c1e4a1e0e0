// SPDX-License-Identifier: MIT
/// \file
/// All-reduce between all pairs as MSCCL's XML writes it: a thread block for each other rank sends
/// it a chunk and receives one into the scratch buffer; the first block adds those up once all have
/// come; then each block sends the sum and receives another.
#pragma once
#include <string>

namespace paceline {

/// \param after attributes of the step that it waits for
inline std::string msccl_line(const std::string& type, const std::string& from, int from_chunk,
                              const std::string& to, int to_chunk, const std::string& after = "") {
  return "<step type=\"" + type + "\" srcbuf=\"" + from + "\" srcoff=\"" +
         std::to_string(from_chunk) + "\" dstbuf=\"" + to + "\" dstoff=\"" +
         std::to_string(to_chunk) + "\" cnt=\"1\" " + after + "/>";
}

inline std::string msccl_after(int block, int step) {
  return "depid=\"" + std::to_string(block) + "\" deps=\"" + std::to_string(step) + "\"";
}

inline std::string msccl_block(int id, int to, int from, int channel, const std::string& steps) {
  return "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(to) + "\" recv=\"" +
         std::to_string(from) + "\" chan=\"" + std::to_string(channel) + "\">" + steps + "</tb>";
}

inline std::string msccl_algorithm(int ranks, int chunks, const std::string& keys) {
  return "<algo nchunksperloop=\"" + std::to_string(chunks) + "\" ngpus=\"" +
         std::to_string(ranks) + "\" " + keys + ">";
}

inline std::string msccl_all_pairs(int ranks) {
  std::string text = msccl_algorithm(ranks, ranks, "coll=\"allreduce\" inplace=\"1\"");
  for (int rank = 0; rank < ranks; ++rank) {
    text +=
        "<gpu id=\"" + std::to_string(rank) + "\" s_chunks=\"" + std::to_string(ranks - 1) + "\">";
    for (int block = 0; block < ranks - 1; ++block) {
      const int peer = (rank + 1 + block) % ranks;
      std::string steps =
          msccl_line("s", "i", peer, "s", 0) + msccl_line("r", "i", rank, "s", block);
      for (int other = 0; block == 0 && other < ranks - 1; ++other)
        steps += msccl_line("re", "s", other, "i", rank, other > 0 ? msccl_after(other, 1) : "");
      steps += msccl_line("s", "i", rank, "i", rank, block > 0 ? msccl_after(0, ranks) : "") +
               msccl_line("r", "i", peer, "i", peer);
      text += msccl_block(block, peer, peer, 0, steps);
    }
    text += "</gpu>";
  }
  return text + "</algo>";
}

}  // namespace paceline
