// SPDX-License-Identifier: MIT
// Programs of MSCCL: what their ranks do, and which are refused.
#include "training/strategies/collectives/msccl_program.hpp"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/diagnostics.hpp"
#include "tests/training/strategies/collectives/msccl_all_pairs.hpp"
#include "tests/training/strategies/collectives/msccl_ring.hpp"
#include "training/strategies/collectives/rank_programs.hpp"

namespace paceline {
namespace {

using testing::HasSubstr;

std::string refused(const std::string& text) {
  try {
    read_msccl_program("x.xml", text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// Two ranks, one chunk, no thread blocks' steps but these.
std::string two_ranks(const std::string& first, const std::string& second) {
  const std::string opened = "<tb id=\"0\" send=\"";
  return "<algo nchunksperloop=\"1\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\"><gpu id=\"0\">" +
         opened + "1\" recv=\"1\" chan=\"0\">" + first + "</tb></gpu><gpu id=\"1\">" + opened +
         "0\" recv=\"0\" chan=\"0\">" + second + "</tb></gpu></algo>";
}

const RankPrograms& programs_in(const MscclProgram& program) {
  return *program.schedule->programs();
}

int sends_of(const RankProgram& program, int to) {
  return static_cast<int>(std::ranges::count_if(program.steps, [to](const ProgramStep& step) {
    return step.kind == ProgramStep::Kind::sends && step.peer == to;
  }));
}

TEST(MscclProgram, a_ring_is_the_ring) {
  for (const int ranks : {2, 3, 8}) {
    const MscclProgram read = read_msccl_program("x.xml", msccl_ring(ranks));
    EXPECT_EQ(read.operation, Operation::all_reduce);
    const RankPrograms& programs = programs_in(read);
    ASSERT_EQ(programs.ranks(), ranks);
    EXPECT_EQ(programs.parts(), ranks);
    EXPECT_EQ(programs.landings(), ranks - 1);  // the sums that come around are received in place
    for (int rank = 0; rank < ranks; ++rank) {
      const RankProgram& mine = programs.of(rank);
      EXPECT_EQ(sends_of(mine, (rank + 1) % ranks), 2 * (ranks - 1));
      EXPECT_EQ(mine.receives, std::vector<int>(static_cast<std::size_t>(2 * (ranks - 1)),
                                                (rank + ranks - 1) % ranks));
      EXPECT_EQ(mine.steps.size(), static_cast<std::size_t>(3 * (ranks - 1)));  // and the sums
    }
  }
}

// Each block exchanges with a rank of its own; only the sums follow each other.
TEST(MscclProgram, blocks_run_side_by_side) {
  const MscclProgram read = read_msccl_program("x.xml", msccl_all_pairs(4));
  const RankProgram& mine = programs_in(read).of(1);
  for (const int peer : {0, 2, 3}) EXPECT_EQ(sends_of(mine, peer), 2) << peer;
  int free = 0;
  for (const ProgramStep& step : mine.steps)
    free += step.after.empty() && step.arrivals.empty() ? 1 : 0;
  EXPECT_EQ(free, 3);  // a first send to each
}

/// Two ranks that sum half of the chunks each over two channels.
std::string two_channels(bool swapped) {
  std::string text = msccl_algorithm(2, 4, "coll=\"allreduce\" inplace=\"1\"");
  for (const int rank : {0, 1}) {
    text += "<gpu id=\"" + std::to_string(rank) + "\">";
    for (const int block : {0, 1}) {
      const int channel = rank == 1 && swapped ? 1 - block : block;
      const int first = 2 * channel + rank, other = 2 * channel + 1 - rank;
      text += msccl_block(block, 1 - rank, 1 - rank, channel,
                          msccl_line("s", "i", first, "i", first) +
                              msccl_line("rrcs", "i", other, "i", other) +
                              msccl_line("r", "i", first, "i", first));
    }
    text += "</gpu>";
  }
  return text + "</algo>";
}

// It was taken for a program that waits for itself.
TEST(MscclProgram, channels_may_be_in_another_order_on_another_gpu) {
  for (const bool swapped : {false, true}) {
    const MscclProgram read = read_msccl_program("x.xml", two_channels(swapped));
    EXPECT_EQ(sends_of(programs_in(read).of(0), 1), 4);
    EXPECT_EQ(programs_in(read).landings(), 2);
  }
}

// A second thread block that depends on the first one's sum.
TEST(MscclProgram, a_block_waits_for_the_step_it_depends_on) {
  const std::string program =
      msccl_algorithm(2, 1, "coll=\"allreduce\" inplace=\"1\"") + "<gpu id=\"0\">" +
      msccl_block(0, 1, -1, 0, msccl_line("s", "i", 0, "o", 0)) +
      msccl_block(1, -1, 1, 1, msccl_line("r", "o", 0, "o", 0)) + "</gpu><gpu id=\"1\">" +
      msccl_block(0, -1, 0, 0, msccl_line("rrc", "i", 0, "o", 0)) +
      msccl_block(1, 0, -1, 1, msccl_line("s", "o", 0, "o", 0, msccl_after(0, 0))) +
      "</gpu></algo>";
  const MscclProgram read = read_msccl_program("x.xml", program);
  const RankProgram& second = programs_in(read).of(1);
  ASSERT_EQ(second.steps.size(), 2U);
  EXPECT_EQ(second.steps[0].kind, ProgramStep::Kind::adds);
  EXPECT_EQ(second.steps[0].arrivals, std::vector<int>{0});
  EXPECT_EQ(second.steps[1].kind, ProgramStep::Kind::sends);
  EXPECT_EQ(second.steps[1].after, std::vector<int>{0});
}

// The sender does not know that the chunk has been sent on: what it sends lands beside it first.
TEST(MscclProgram, a_chunk_is_not_replaced_before_it_is_read) {
  const std::string program =
      msccl_algorithm(3, 1, "coll=\"broadcast\" inplace=\"1\"") + "<gpu id=\"0\">" +
      msccl_block(0, 1, -1, 0, msccl_line("s", "i", 0, "i", 0)) +
      msccl_block(1, -1, 1, 0, msccl_line("r", "i", 0, "s", 0)) + "</gpu><gpu id=\"1\">" +
      msccl_block(0, 0, 0, 0, msccl_line("s", "i", 0, "s", 0) + msccl_line("r", "i", 0, "i", 0)) +
      msccl_block(1, 2, -1, 0, msccl_line("s", "i", 0, "i", 0, msccl_after(0, 1))) +
      "</gpu><gpu id=\"2\">" + msccl_block(0, -1, 1, 0, msccl_line("r", "i", 0, "i", 0)) +
      "</gpu></algo>";
  const std::string with_scratch =
      replaced(program, "<gpu id=\"0\">", "<gpu id=\"0\" s_chunks=\"1\">");
  const MscclProgram read = read_msccl_program("x.xml", with_scratch);
  EXPECT_EQ(read.operation, Operation::broadcast);
  const RankProgram& second = programs_in(read).of(1);
  ASSERT_EQ(second.steps.size(), 3U);
  EXPECT_EQ(second.steps[1].kind, ProgramStep::Kind::copies);
  EXPECT_EQ(second.steps[1].from, (ChunkPlace{true, 1}));
  EXPECT_EQ(programs_in(read).of(2).steps.size(), 0U);
}

TEST(MscclProgram, what_cannot_be_read_is_refused) {
  EXPECT_THAT(refused("<topology/>"), HasSubstr("not a program of MSCCL: no <algo>"));
  const std::string ring = msccl_ring(3);
  EXPECT_THAT(refused(replaced(ring, "allreduce", "scan")),
              HasSubstr("coll 'scan' is not read (known: allreduce, allgather, reducescatter, "
                        "broadcast, alltoall)"));
  EXPECT_THAT(refused(replaced(ring, "ngpus=\"3\"", "ngpus=\"many\"")),
              HasSubstr("<algo> has ngpus='many', not a number from 2 to 256"));
  EXPECT_THAT(refused(replaced(replaced(ring, "nchunksperloop=\"3\"", "nchunksperloop=\"4\""),
                               "allreduce", "alltoall")),
              HasSubstr("'nchunksperloop' of such a collective is a multiple of 'ngpus'"));
  EXPECT_THAT(refused(replaced(ring, "type=\"rrs\"", "type=\"ra\"")),
              HasSubstr("x.xml:5:7: error: step type 'ra' is not read"));
  EXPECT_THAT(refused(replaced(ring, "srcbuf=\"i\"", "srcbuf=\"x\"")),
              HasSubstr("srcbuf 'x' is not read (known: i, o, s)"));
  EXPECT_THAT(refused(replaced(ring, "srcbuf=\"i\"", "srcbuf=\"s\"")),
              HasSubstr("<step> has srcoff='0', not a number from 0 to -1"));
  EXPECT_THAT(refused(replaced(ring, "recv=\"2\"", "recv=\"-1\"")),
              HasSubstr("the step's thread block has no rank to exchange with"));
  EXPECT_THAT(refused(replaced(ring, "tb id=\"0\"", "tb id=\"1\"")),
              HasSubstr("thread blocks must be numbered from 0 in order"));
  EXPECT_THAT(refused(replaced(ring, "depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"0\"")),
              HasSubstr("'depid' and 'deps' name no step of this GPU"));
}

// As many blocks as one likes, each on a connection of its own.
TEST(MscclProgram, two_blocks_do_not_share_a_connection) {
  const std::string send = msccl_block(0, 1, 1, 0, msccl_step(0, "s", 0));
  const std::string again = msccl_block(1, 1, 1, 0, msccl_step(0, "s", 0));
  EXPECT_THAT(
      refused(msccl_algorithm(2, 1, "coll=\"allreduce\"") + "<gpu id=\"0\">" + send + again +
              "</gpu></algo>"),
      HasSubstr("another thread block of this GPU has the connection with rank 1 on channel "
                "0 (give each a channel of its own)"));
}

TEST(MscclProgram, what_cannot_end_or_sums_wrongly_is_refused) {
  // both wait to receive first
  EXPECT_THAT(refused(two_ranks(msccl_step(0, "rrcs", 0), msccl_step(0, "rrcs", 0))),
              HasSubstr("the program waits for itself: no step can go on"));
  EXPECT_THAT(refused(two_ranks(msccl_step(0, "s", 0), msccl_step(0, "rrc", 0))),
              HasSubstr("no all-reduce: rank 0 ends without the addend of rank 1 in chunk 0"));
  const std::string twice = msccl_step(0, "s", 0) + msccl_step(1, "s", 0);
  EXPECT_THAT(refused(two_ranks(twice, msccl_step(0, "rrc", 0) + msccl_step(1, "rrc", 0))),
              HasSubstr("rank 1 adds the addend of rank 0 to chunk 0 twice"));
  EXPECT_THAT(refused(two_ranks(twice, msccl_step(0, "rrc", 0))),
              HasSubstr("rank 1 receives nothing that rank 0 sends here on channel 0"));
  EXPECT_THAT(refused(two_ranks("", twice)),
              HasSubstr("rank 0 receives nothing that rank 1 sends here on channel 0"));
  EXPECT_THAT(refused(two_ranks(msccl_step(0, "r", 0), "")),
              HasSubstr("rank 1 sends nothing that rank 0 receives here on channel 0"));
  EXPECT_THAT(refused(replaced(msccl_ring(3), "srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\"",
                               "srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"2\"")),
              HasSubstr("the step receives 1 chunks, and rank 0 sends 2"));
}

/// Each rank sends a chunk to every other, and copies its own.
std::string all_to_all(int ranks) {
  std::string text =
      msccl_algorithm(ranks, ranks, "coll=\"alltoall\" inplace=\"0\" outofplace=\"1\"");
  for (int rank = 0; rank < ranks; ++rank) {
    text += "<gpu id=\"" + std::to_string(rank) + "\">" +
            msccl_block(0, -1, -1, 0, msccl_line("cpy", "i", rank, "o", rank));
    for (int block = 1; block < ranks; ++block) {
      const int peer = (rank + block) % ranks;
      text += msccl_block(
          block, peer, peer, 0,
          msccl_line("s", "i", peer, "o", rank) + msccl_line("r", "i", rank, "o", peer));
    }
    text += "</gpu>";
  }
  return text + "</algo>";
}

TEST(MscclProgram, an_all_to_all_receives_beside_what_it_sends) {
  const MscclProgram read = read_msccl_program("x.xml", all_to_all(4));
  EXPECT_EQ(read.operation, Operation::all_to_all);
  EXPECT_EQ(programs_in(read).landings(), 4);
  EXPECT_EQ(programs_in(read).of(0).steps.size(), 4U);
  EXPECT_THAT(refused(replaced(all_to_all(4), "type=\"cpy\" srcbuf=\"i\" srcoff=\"0\"",
                               "type=\"cpy\" srcbuf=\"i\" srcoff=\"1\"")),
              HasSubstr("no all-to-all: rank 0 ends with something else in chunk 0"));
}

/// Each of two ranks has a half that both have in the end.
std::string all_gather(const char* keys) {
  std::string text = msccl_algorithm(2, 2, std::string("coll=\"allgather\" ") + keys);
  for (const int rank : {0, 1})
    text += "<gpu id=\"" + std::to_string(rank) + "\">" +
            msccl_block(0, 1 - rank, 1 - rank, 0,
                        msccl_line("cpy", "i", 0, "o", rank) + msccl_line("s", "i", 0, "o", rank) +
                            msccl_line("r", "o", 1 - rank, "o", 1 - rank)) +
            "</gpu>";
  return text + "</algo>";
}

TEST(MscclProgram, a_result_beside_the_input_is_brought_home) {
  const RankProgram in_place =
      programs_in(read_msccl_program("x.xml", all_gather("inplace=\"1\""))).of(0);
  EXPECT_EQ(in_place.steps.size(), 1U);  // the send: the copy is of a chunk to itself
  const RankProgram beside =
      programs_in(read_msccl_program("x.xml", all_gather("inplace=\"0\""))).of(0);
  ASSERT_EQ(beside.steps.size(), 3U);
  EXPECT_EQ(beside.steps.back().kind, ProgramStep::Kind::copies);
  EXPECT_EQ(beside.steps.back().from, (ChunkPlace{true, 0}));
  EXPECT_EQ(beside.steps.back().to, (ChunkPlace{false, 0}));
  EXPECT_EQ(beside.steps.back().count, 2);
}

}  // namespace
}  // namespace paceline
