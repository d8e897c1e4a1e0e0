// SPDX-License-Identifier: MIT
#include "training/strategies/checkpoints.hpp"

namespace paceline {

Token Checkpoints::queue(std::int64_t version, Token updated) {
  const CheckpointRule& rule = plan_.checkpoint;
  if (!rule.due(version) || !plan_.holds(me_)) return updated;
  using About = Command::Mark::About;
  const Stream compute{me_, StreamKind::compute};
  const Slice part = plan_.held_by_servers()
                         ? plan_.cut.shards[static_cast<std::size_t>(me_ - plan_.first_holder())]
                         : plan_.whole();
  const Command::StorageRequest write{to_ps(Seconds{rule.arrays * part.bytes / rule.bandwidth}),
                                      true};
  backend_.mark(compute, About::begins_checkpoint, {}, updated);
  Token done;
  if (rule.asynchronous) {
    done = copy(part, updated);
    const Stream writer{plan_.writer(me_), StreamKind::compute};
    written_ = backend_.submit(writer, {{}, write}, done);
  } else {
    done = backend_.submit(compute, {{}, write}, updated);
  }
  return backend_.mark(compute, About::ends_checkpoint, {}, done);
}

/// Copies of the weights stand for all that is written: only bytes matter.
Token Checkpoints::copy(const Slice& part, Token updated) {
  Token last;
  const CheckpointRule& rule = plan_.checkpoint;
  for (int number = 0; number < rule.copies(); ++number) {
    const Slice copied{part.begin, part.begin + rule.numbers_of(number, part.size()),
                       rule.share_of(number) * part.bytes};
    const Command::Copy copy{
        {me_, Buffer::weights}, {plan_.writer(me_), Buffer::landing, number}, copied};
    last = backend_.copy({me_, StreamKind::compute}, copy, {}, {updated, written_});
  }
  return last;
}

}  // namespace paceline
