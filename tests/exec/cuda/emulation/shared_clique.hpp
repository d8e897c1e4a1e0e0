// SPDX-License-Identifier: MIT
/// \file
/// The ranks of one NCCL id in several processes of a computer: each writes its part of a
/// collective to a file of a common folder, and reads those of the others.
#pragma once
#include <filesystem>
#include <memory>

#include "tests/exec/cuda/emulation/clique.hpp"

namespace paceline::cuda::emulation {

/// From now on, the ranks of an id may be in all processes that call this with the same folder.
/// Empty: they are in this process.
void share_nccl(const std::filesystem::path& folder);

/// Of an id: a SharedClique where a folder is shared.
std::shared_ptr<Clique> make_clique(std::uint64_t id, int ranks);

class SharedClique final : public Clique {
 public:
  /// Makes the folder of the id where it does not exist.
  SharedClique(std::filesystem::path folder, int ranks);

  bool join(int rank, int device) override;
  bool complete() const override;
  bool duplicate() const override;
  void wait_for_all(const std::atomic<bool>& aborted) override;
  void take_part(const Share& mine, std::uint64_t& calls,
                 const std::atomic<bool>& aborted) override;

 private:
  std::filesystem::path file(const std::string& what, int rank) const;
  bool all_have(const std::string& what) const;

  const std::filesystem::path folder_;
};

}  // namespace paceline::cuda::emulation
