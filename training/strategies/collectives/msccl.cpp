// SPDX-License-Identifier: MIT
#include "experiments/language/presets.hpp"
#include "experiments/language/yaml.hpp"
#include "training/strategies/collectives/all_reduce.hpp"
#include "training/strategies/collectives/msccl_program.hpp"

namespace paceline {
namespace {

class Msccl final : public AllReduce {
 public:
  SharedSchedule schedule(const Plan& /*plan*/) const override { return program_.schedule; }
  Operation operation() const override { return program_.operation; }
  int slices(double, int) const override { return slices_key_; }
  std::string problem(const Plan& plan) const override {
    const SharedSchedule& schedule = program_.schedule;
    if (schedule == nullptr || schedule->ranks() == plan.workers) return "";
    return "the program '" + file_ + "' is for " + std::to_string(schedule->ranks()) +
           " GPUs, not for " + std::to_string(plan.workers) + " workers";
  }
  std::string content() const override { return text_; }

  /// Reads the program. Throws SpecError.
  bool settle(const Tree& tree, Diagnostics& /*diagnostics*/) {
    const std::string path = path_from(tree.find("file")->at, file_);
    text_ = read_text_file(path);
    program_ = read_msccl_program(path, text_);
    return true;
  }
  static void describe(Description<Msccl>& d) {
    d.required("file", &Msccl::file_,
               "XML of MSCCL; the path is relative to the file that names it");
    d.optional("slices", &Msccl::slices_key_,
               "pieces of a bucket that follow each other through the steps")
        .at_least(1);
  }

 private:
  std::string file_;
  int slices_key_ = 1;
  std::string text_;
  MscclProgram program_;
};

}  // namespace

Variant<AllReduce> msccl_all_reduce() {
  return variant<Msccl, AllReduce>("msccl", "the transfers of a program in MSCCL's XML");
}

}  // namespace paceline
