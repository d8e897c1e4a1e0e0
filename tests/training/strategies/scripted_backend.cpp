// SPDX-License-Identifier: MIT
#include "tests/training/strategies/scripted_backend.hpp"

#include <algorithm>
#include <stdexcept>

namespace paceline {

void ScriptedBackend::start(RoleId role, Task<> program) {
  roles_.start(role, std::move(program));
  go_on();
}

void ScriptedBackend::deliver(RoleId to, const Message& message) {
  if (roles_.deliver(to, message)) roles_.wake(to);
  go_on();
}

bool ScriptedBackend::all_complete(const std::vector<Token>& tokens) const {
  return std::all_of(tokens.begin(), tokens.end(), [this](Token token) { return complete(token); });
}

void ScriptedBackend::end(Token token) {
  Queued& one = at(token);
  if (one.ended) return;
  if (!all_complete(one.after))
    throw std::logic_error("it follows an operation that has not ended");
  one.ended = true;
  const auto* copy = one.command.as<Command::Copy>();
  if (copy != nullptr && copy->announced) {
    const Way way{copy->to.role, copy->from.role};
    const auto expected = std::find_if(arrivals_.begin(), arrivals_.end(),
                                       [&](const auto& arrival) { return arrival.first == way; });
    if (expected != arrivals_.end()) {
      at(expected->second).ended = true;
      arrivals_.erase(expected);
    } else {
      ++early_[way];
    }
  }
  go_on();
}

void ScriptedBackend::end_all() {
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < queued_.size(); ++i) {  // roles queue more meanwhile
      const bool arrival = queued_[i].stream.role < 0;
      if (arrival || queued_[i].ended || !all_complete(queued_[i].after)) continue;
      end(token_of(i));
      more = true;
    }
  }
}

bool ScriptedBackend::follows(Token later, Token earlier) const {
  const std::vector<Token>& after = at(later).after;
  return std::any_of(after.begin(), after.end(), [&](Token token) {
    return token == earlier || (token.slot() > earlier.slot() && follows(token, earlier));
  });
}

Token ScriptedBackend::submit(Stream stream, const Command& command, const After& after) {
  Queued fresh{stream, command, {}};
  for (const Token token : after) {
    if (token.slot() != 0) fresh.after.push_back(token);
  }
  for (std::size_t i = queued_.size(); i-- > 0;) {
    if (queued_[i].stream.role != stream.role || queued_[i].stream.kind != stream.kind) continue;
    fresh.after.push_back(token_of(i));
    break;
  }
  queued_.push_back(std::move(fresh));
  return token_of(queued_.size() - 1);
}

Token ScriptedBackend::arrival(RoleId to, RoleId from) {
  const Way way{to, from};
  if (early_[way] > 0) {
    --early_[way];
    return {};
  }
  queued_.push_back({{-1, StreamKind::push}, {}, {}});
  const Token token = token_of(queued_.size() - 1);
  arrivals_.emplace_back(way, token);
  return token;
}

void ScriptedBackend::send(RoleId to, const Message& message, const After& after, WorkId work) {
  sent_.push_back({to, message, {after.begin(), after.end()}, work});
}

void ScriptedBackend::cancel(WorkId work) {
  cancelled_.push_back(work);
  give_up(work);
}

void ScriptedBackend::kill(WorkId work) {
  killed_.push_back(work);
  give_up(work);
}

void ScriptedBackend::give_up(WorkId work) {
  for (Queued& one : queued_) {
    const WorkId mine = one.command.work;
    one.ended = one.ended || (mine.worker == work.worker && mine.step <= work.step);
  }
}

void ScriptedBackend::wait_for(RoleId role, Token token, std::coroutine_handle<> at) {
  roles_.wait_for(role, token, at);
  waiting_.emplace_back(role, token);
}

/// Runs roles and delivers messages until all wait.
void ScriptedBackend::go_on() {
  for (bool more = true; more;) {
    more = false;
    roles_.run_ready();
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      Sent& one = sent_[i];
      if (one.delivered || local_.count(one.to) == 0 || !all_complete(one.after)) continue;
      one.delivered = more = true;
      if (roles_.deliver(one.to, one.message)) roles_.wake(one.to);
    }
    std::erase_if(waiting_, [&](const auto& waiting) {
      if (!complete(waiting.second)) return false;
      roles_.wake(waiting.first);
      return more = true;
    });
  }
  done_ = local_;
  roles_.for_each_waiting([this](RoleId role, Token) { done_.erase(role); });
}

}  // namespace paceline
