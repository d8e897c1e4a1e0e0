// SPDX-License-Identifier: MIT
#include "exec/processes/streams.hpp"

#include <pthread.h>
#include <time.h>

namespace paceline {
namespace {

/// Throws where it is not what was asked for.
void check_answer(const Frame& answer, FrameKind kind) {
  if (answer.kind == FrameKind::refuse) {
    throw ProtocolError("it refused a stream (" + answer.reader().take_text() + ")");
  }
  if (answer.kind != kind) {
    throw ProtocolError("stream reply has frame kind " +
                        std::to_string(static_cast<int>(answer.kind)) + ", expected " +
                        std::to_string(static_cast<int>(kind)));
  }
}

}  // namespace

Streams::~Streams() {
  std::vector<std::unique_ptr<Service>> services;
  std::map<std::tuple<RoleId, StreamKind, int>, std::unique_ptr<Link>> links;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    services.swap(services_);
    links.swap(links_);
  }
  for (const auto& [key, link] : links) {
    if (link == nullptr) continue;
    {
      const std::lock_guard lock(link->mutex);
      link->closing = true;
    }
    link->changed.notify_all();
    link->connection.shut_down();
    if (link->listener.joinable()) link->listener.join();
  }
  for (const auto& service : services) {
    service->connection.shut_down();
    service->thread.join();
  }
}

// ---- our streams

Streams::Link& Streams::link(Stream stream, int process) {
  std::unique_ptr<Link>* made = nullptr;
  {
    const std::lock_guard lock(mutex_);
    made = &links_[{stream.role, stream.kind, process}];
  }
  if (*made != nullptr) return **made;  // only its own stream makes it
  auto fresh = std::make_unique<Link>();
  fresh->process = process;
  talk(*fresh, [&] { call(*fresh); });
  const std::lock_guard lock(mutex_);
  *made = std::move(fresh);
  return **made;
}

/// Connects and waits until the other side serves the connection.
void Streams::call(Link& link) const {
  const Endpoint& there = group_.endpoint(link.process);
  link.connection = connect_to(std::span(&there, 1), std::chrono::steady_clock::now() + patience_);
  FrameWriter hello(FrameKind::stream);
  link.connection.send(hello.put(group_.rank()));
  link.connection.limit_waits(patience_);
  link.connection.receive(link.answer);
  link.connection.limit_waits(std::chrono::milliseconds{0});
  check_answer(link.answer, FrameKind::stream);
}

/// Says of a connection that fails which process was lost.
template <class Talk>
void Streams::talk(Link& link, const Talk& talk) {
  try {
    talk();
    return;
  } catch (const ConnectionError& error) {
    group_.note_broken(link.process, error.what());
  } catch (const ProtocolError& error) {
    group_.note_broken(link.process, error.what());
  }
  throw ProcessLost(group_.loss_of(link.process));
}

void Streams::send_push(Link& way, const Command& command, std::span<const float> from) {
  way.frame.restart(FrameKind::push);
  way.frame.put(Request{command.to, command.channel});
  way.connection.send(way.frame.bytes(), std::as_bytes(from));
}

void Streams::push(Stream stream, int process, const Command& command,
                   std::span<const float> from) {
  Link& way = link(stream, process);
  talk(way, [&] {
    send_push(way, command, from);
    way.connection.receive(way.answer);
    check_answer(way.answer, FrameKind::floats);
  });
}

void Streams::push(Stream stream, int process, const Command& command, std::span<const float> from,
                   Ticket ticket, const Answered& answered) {
  Link& way = link(stream, process);
  if (!way.listener.joinable()) {
    way.listener = std::thread([this, &way, answered] { hear_answers(way, answered); });
  }
  talk(way, [&] { send_push(way, command, from); });
  {
    const std::lock_guard lock(way.mutex);
    way.unanswered.push(ticket);
  }
  way.changed.notify_all();
}

/// On a thread of the link's own: answers come in the order of the pushes.
void Streams::hear_answers(Link& way, const Answered& answered) {
  for (;;) {
    Ticket ticket;
    {
      std::unique_lock lock(way.mutex);
      way.changed.wait(lock, [&] { return way.closing || !way.unanswered.empty(); });
      if (way.unanswered.empty()) return;
      ticket = way.unanswered.front();
    }
    std::exception_ptr error;
    try {
      talk(way, [&] {
        way.connection.receive(way.answer);
        check_answer(way.answer, FrameKind::floats);
      });
    } catch (const ProcessLost&) {
      error = std::current_exception();
    }
    answered(ticket, error);
    {
      const std::lock_guard lock(way.mutex);
      way.unanswered.pop();
    }
    way.changed.notify_all();
  }
}

void Streams::settle() {
  std::vector<Link*> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, link] : links_) {
      if (link != nullptr) all.push_back(link.get());
    }
  }
  for (Link* const way : all) {
    std::unique_lock lock(way->mutex);
    way->changed.wait(lock, [way] { return way->unanswered.empty(); });
  }
}

void Streams::fetch(Stream stream, int process, const Command& command, std::span<float> into) {
  Link& way = link(stream, process);
  talk(way, [&] {
    way.frame.restart(FrameKind::fetch);
    way.frame.put(Request{command.from, -1});
    way.connection.send(way.frame);
    way.connection.receive(way.answer);
    check_answer(way.answer, FrameKind::floats);
    const auto floats = way.answer.reader().take<std::uint64_t>();
    if (floats != into.size()) {
      throw ProtocolError("fetch reply has " + std::to_string(floats) + " floats, expected " +
                          std::to_string(into.size()));
    }
    way.connection.receive(std::as_writable_bytes(into));
  });
}

// ---- streams of others

void Streams::lend(Buffers& buffers, Arrivals* arrivals) {
  const std::unique_lock lock(lending_);
  buffers_ = &buffers;
  arrivals_ = arrivals;
}

void Streams::take_back() {
  const std::unique_lock lock(lending_);
  buffers_ = nullptr;
  arrivals_ = nullptr;
}

void Streams::serve(int from, Connection connection) {
  const std::lock_guard lock(mutex_);
  if (closing_) return;
  auto service = std::make_unique<Service>();
  service->process = from;
  service->connection = std::move(connection);
  try {
    services_.reserve(services_.size() + 1);
    service->thread = std::thread([this, it = service.get()] { attend(*it); });
  } catch (const std::exception& error) {  // there is no room for one more thread
    refuse(service->connection, error.what());
    return;
  }
  const std::string name = "serves " + std::to_string(from);
  pthread_setname_np(service->thread.native_handle(), name.substr(0, 15).c_str());
  services_.push_back(std::move(service));
}

void Streams::attend(Service& service) {
  Frame frame;
  FrameWriter reply(FrameKind::stream);
  try {
    service.connection.send(reply);
    do {
      service.connection.receive(frame);
    } while (answer(service.connection, frame, reply));
  } catch (const ConnectionError&) {       // a stream that ends, or its process: the group tells
  } catch (const std::exception& error) {  // what came was no request
    refuse(service.connection, error.what());
  }
  service.connection.shut_down();
}

bool Streams::answer(Connection& connection, Frame& frame, FrameWriter& reply) {
  const auto request = frame.reader().take<Request>();
  const std::shared_lock lock(lending_);
  if (buffers_ == nullptr) return false;
  reply.restart(FrameKind::floats);
  if (frame.kind == FrameKind::push) {
    connection.receive(std::as_writable_bytes(buffers_->open(request.part)));
    const bool awaited = request.channel >= 0 && arrivals_ != nullptr;
    if (awaited) arrivals_->note(request.channel);
    connection.send(reply);
    if (awaited) arrivals_->deal_with_it();
    return true;
  }
  if (frame.kind != FrameKind::fetch) return false;
  const Buffers::Lent lent = buffers_->lend(request.part);
  reply.put(static_cast<std::uint64_t>(lent.floats.size()));
  connection.send(reply.bytes(), std::as_bytes(lent.floats));
  return true;
}

double Streams::seconds_serving() {
  const std::lock_guard lock(mutex_);
  double seconds = 0;
  for (const auto& service : services_) {
    clockid_t clock{};
    timespec spent{};
    if (pthread_getcpuclockid(service->thread.native_handle(), &clock) != 0) continue;
    if (clock_gettime(clock, &spent) != 0) continue;
    seconds += static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
  }
  return seconds;
}

void Streams::shut_down(int process) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, link] : links_) {
    if (link != nullptr && link->process == process) link->connection.shut_down();
  }
  for (const auto& service : services_) {
    if (service->process == process) service->connection.shut_down();
  }
}

}  // namespace paceline
