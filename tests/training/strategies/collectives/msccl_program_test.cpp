// SPDX-License-Identifier: MIT
// Programs of MSCCL as schedules: the ring equals ours, and programs that are no all-reduce are
// refused.
#include "training/strategies/collectives/msccl_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/language/diagnostics.hpp"
#include "tests/training/strategies/collectives/msccl_ring.hpp"

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

TEST(MscclProgram, a_ring_is_the_ring) {
  for (const int ranks : {2, 3, 8}) {
    const SharedSchedule read = read_msccl_program("x.xml", msccl_ring(ranks));
    ASSERT_EQ(read->ranks(), ranks);
    EXPECT_EQ(read->parts(), ranks);
    ASSERT_EQ(read->steps(), 2 * (ranks - 1));
    EXPECT_EQ(read->landings(), ranks - 1);
    for (int rank = 0; rank < ranks; ++rank) {
      for (int step = 0; step < read->steps(); ++step) {
        const ScheduleStep mine = read->at(rank, step, 0);
        const int sent = (rank - step + 2 * ranks) % ranks;
        EXPECT_EQ(mine.to, (rank + 1) % ranks);
        EXPECT_EQ(mine.from, (rank + ranks - 1) % ranks);
        EXPECT_EQ(mine.out, (Parts{sent, sent + 1}));
        EXPECT_EQ(mine.arrival, step < ranks - 1 ? Arrival::adds : Arrival::replaces);
      }
    }
  }
}

// A second thread block that depends on the first one's sum sends in the step after it.
TEST(MscclProgram, a_block_waits_for_the_step_it_depends_on) {
  const std::string step =
      "<step type=\"rrc\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" "
      "cnt=\"1\"/>";
  const std::string back =
      "</tb><tb id=\"1\" send=\"0\" recv=\"-1\" chan=\"1\"><step type=\"s\" srcbuf=\"o\" "
      "srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" depid=\"0\" deps=\"0\"/>";
  const std::string taken =
      "</tb><tb id=\"1\" send=\"-1\" recv=\"1\" chan=\"1\"><step type=\"r\" srcbuf=\"o\" "
      "srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\"/>";
  const SharedSchedule read =
      read_msccl_program("x.xml", two_ranks(msccl_step(0, "s", 0) + taken, step + back));
  ASSERT_EQ(read->steps(), 2);
  EXPECT_EQ(read->at(0, 0, 0).to, 1);
  EXPECT_EQ(read->at(1, 0, 0).to, -1);
  EXPECT_EQ(read->at(1, 1, 0).to, 0);
  EXPECT_EQ(read->at(0, 1, 0).arrival, Arrival::replaces);
}

TEST(MscclProgram, what_is_no_all_reduce_is_refused) {
  EXPECT_THAT(refused("<topology/>"), HasSubstr("not a program of MSCCL: no <algo>"));
  const std::string ring = msccl_ring(3);
  EXPECT_THAT(refused(replaced(ring, "allreduce", "alltoall")),
              HasSubstr("only programs with coll=\"allreduce\" and inplace=\"1\" are read"));
  EXPECT_THAT(refused(replaced(ring, "ngpus=\"3\"", "ngpus=\"many\"")),
              HasSubstr("<algo> has ngpus='many', not a number from 2 to 256"));
  EXPECT_THAT(refused(replaced(ring, "type=\"rrs\"", "type=\"ra\"")),
              HasSubstr("x.xml:5:7: error: step type 'ra' is not read"));
  EXPECT_THAT(refused(replaced(ring, "srcbuf=\"i\"", "srcbuf=\"s\"")),
              HasSubstr("srcbuf 's' is not read"));
  EXPECT_THAT(refused(replaced(ring, "dstoff=\"0\"", "dstoff=\"1\"")),
              HasSubstr("a chunk that moves to another place of the buffer is not read"));
  EXPECT_THAT(refused(replaced(ring, "recv=\"2\"", "recv=\"-1\"")),
              HasSubstr("the step's thread block has no rank to exchange with"));
  EXPECT_THAT(refused(replaced(ring, "tb id=\"0\"", "tb id=\"1\"")),
              HasSubstr("thread blocks must be numbered from 0 in order"));
  EXPECT_THAT(refused(replaced(ring, "depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"0\"")),
              HasSubstr("'depid' and 'deps' name no step of this GPU"));
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
  EXPECT_THAT(refused(replaced(msccl_ring(3), "cnt=\"1\"", "cnt=\"2\"")),
              HasSubstr("receives other chunks than rank 0 sends"));
}

std::string block(int id, int to, int from, const std::string& steps) {
  return "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(to) + "\" recv=\"" +
         std::to_string(from) + "\" chan=\"0\">" + steps + "</tb>";
}

std::string step_after(int other_block, const std::string& type) {
  return replaced(msccl_step(0, type, 0), "depid=\"-1\" deps=\"-1\"",
                  "depid=\"" + std::to_string(other_block) + "\" deps=\"0\"");
}

// Rank 0 sums all and sends the sum to rank 1, which may still send its addend to rank 2, where it
// is added for nothing.
TEST(MscclProgram, a_chunk_may_not_be_replaced_before_it_is_read) {
  const std::string program =
      "<algo nchunksperloop=\"1\" ngpus=\"3\" coll=\"allreduce\" inplace=\"1\"><gpu id=\"0\">" +
      block(0, -1, 1, msccl_step(0, "rrc", 0)) + block(1, 1, 2, msccl_step(0, "rrcs", 0)) +
      block(2, 2, -1, step_after(1, "s")) + "</gpu><gpu id=\"1\">" +
      block(0, 0, 0, msccl_step(0, "s", 0) + msccl_step(1, "r", 0)) +
      block(1, 2, -1, step_after(0, "s")) + "</gpu><gpu id=\"2\">" +
      block(0, 0, -1, msccl_step(0, "s", 0)) + block(1, -1, 1, step_after(0, "rrc")) +
      block(2, -1, 0, step_after(1, "r")) + "</gpu></algo>";
  EXPECT_THAT(refused(program),
              HasSubstr("rank 0 may overwrite chunk 0 of rank 1 before that is read"));
}

}  // namespace
}  // namespace paceline
