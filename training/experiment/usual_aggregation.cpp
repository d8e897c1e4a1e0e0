// SPDX-License-Identifier: MIT
#include "training/experiment/usual_aggregation.hpp"

namespace paceline {
namespace {

/// Sets keys that the file does not have, where the aggregation has such a key.
class UnwrittenKeys {
 public:
  UnwrittenKeys(Choice<Aggregation> aggregation, const Tree* written)
      : aggregation_(std::move(aggregation)), written_(written) {}

  void set(const char* key, const std::string& value) {
    const bool written = written_ != nullptr && written_->is_map() && written_->find(key);
    if (written) return;
    const Choice<Aggregation> changed = with_key(aggregation_, key, value);
    if (changed) aggregation_ = changed;
  }
  void set_size(const char* key, Bytes size) {
    if (size > Bytes{}) set(key, Value<Bytes>::write(size).text);
  }
  const Choice<Aggregation>& aggregation() const { return aggregation_; }

 private:
  Choice<Aggregation> aggregation_;
  const Tree* written_;
};

bool workers_have_gpus(const ExperimentPoint& point) {
  return point.machine && !point.experiment.devices &&
         point.machine->gpu_count() >= point.experiment.workers;
}

}  // namespace

Choice<Aggregation> usual_aggregation(const ExperimentPoint& point) {
  const Software& software = *point.software;
  const Tree* written = point.tree.find("aggregation");
  const bool by_software = written == nullptr && software.all_reduces;
  UnwrittenKeys keys(by_software ? Choice<Aggregation>("allreduce") : point.experiment.aggregation,
                     written);
  const bool by_library = software.all_reduces && keys.aggregation()->all_reduce() != nullptr;
  if (by_library && workers_have_gpus(point)) keys.set("algorithm", "nccl");
  if (!software.overlap) keys.set("overlap", "false");
  if (keys.aggregation()->all_reduce() == nullptr) return keys.aggregation();
  keys.set_size("bucket", software.buckets.size);
  keys.set_size("first_bucket", software.buckets.first);
  return keys.aggregation();
}

}  // namespace paceline
