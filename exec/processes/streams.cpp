// SPDX-License-Identifier: MIT
#include "exec/processes/streams.hpp"

#include <pthread.h>
#include <time.h>

namespace paceline {
namespace {

/// Throws where the reply is of another kind.
void check_reply(const Frame& reply, FrameKind kind) {
  if (reply.kind == FrameKind::refuse) {
    throw ProtocolError("it refused a stream (" + reply.reader().take_line() + ")");
  }
  if (reply.kind != kind) {
    throw ProtocolError("stream reply has frame kind " +
                        std::to_string(static_cast<int>(reply.kind)) + ", expected " +
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
    if (link->reader.joinable()) link->reader.join();
  }
  for (const auto& service : services) {
    service->connection.shut_down();
    service->thread.join();
  }
}

// ---- streams of this process

Streams::Link& Streams::link(Stream stream, int process) {
  std::unique_ptr<Link>* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    slot = &links_[{stream.role, stream.kind, process}];
  }
  if (*slot != nullptr) return **slot;  // one thread uses a stream
  auto fresh = std::make_unique<Link>();
  fresh->process = process;
  run_exchange(*fresh, [&] { connect(*fresh); });
  const std::lock_guard lock(mutex_);
  *slot = std::move(fresh);
  return **slot;
}

/// Connects and waits until the other side serves the connection.
void Streams::connect(Link& link) const {
  link.connection = group_.connect(link.process, patience_);
  FrameWriter hello(FrameKind::stream);
  link.connection.expires_after(patience_);
  link.connection.send(hello.put(group_.rank()));
  link.connection.receive(link.reply);
  link.connection.expires_never();
  check_reply(link.reply, FrameKind::stream);
}

/// Turns an error of the connection into the loss of its process.
template <class Exchange>
void Streams::run_exchange(Link& link, const Exchange& exchange) {
  try {
    exchange();
    return;
  } catch (const ConnectionError& error) {
    group_.note_broken(link.process, error.what());
  } catch (const ProtocolError& error) {
    group_.note_broken(link.process, error.what());
  }
  throw ProcessLost(group_.loss_of(link.process));
}

void Streams::send_push(Link& way, const Command::Copy& copy, std::span<const float> from) {
  way.frame.restart(FrameKind::push);
  way.frame.put(
      Request{copy.to, copy.slice.moved(copy.shift), copy.announced ? copy.from.role : -1});
  std::span<const std::byte> header = way.frame.bytes();  // with the first part
  try {
    staging(way.staging).read(copy.from.role, from, [&](std::span<const float> part) {
      way.connection.send(header, std::as_bytes(part));
      header = {};
    });
  } catch (...) {  // a GPU failed: the rest of the floats will not come
    if (header.empty()) way.connection.shut_down();
    throw;
  }
}

/// Of a thread, made when it first needs it.
Staging& Streams::staging(std::unique_ptr<Staging>& made) const {
  if (made == nullptr) made = staging_();
  return *made;
}

void Streams::push(Stream stream, int process, const Command::Copy& copy,
                   std::span<const float> from) {
  Link& way = link(stream, process);
  run_exchange(way, [&] {
    send_push(way, copy, from);
    way.connection.receive(way.reply);
    check_reply(way.reply, FrameKind::floats);
  });
}

void Streams::push(Stream stream, int process, const Command::Copy& copy,
                   std::span<const float> from, Ticket ticket, const Acknowledged& acknowledged) {
  Link& way = link(stream, process);
  if (!way.reader.joinable()) {
    way.reader =
        std::thread([this, &way, acknowledged] { read_acknowledgements(way, acknowledged); });
  }
  run_exchange(way, [&] { send_push(way, copy, from); });
  {
    const std::lock_guard lock(way.mutex);
    way.unacknowledged.push(ticket);
  }
  way.changed.notify_all();
}

/// On a thread of the link: acknowledgements come in the order of the pushes.
void Streams::read_acknowledgements(Link& way, const Acknowledged& acknowledged) {
  for (;;) {
    Ticket ticket;
    {
      std::unique_lock lock(way.mutex);
      way.changed.wait(lock, [&] { return way.closing || !way.unacknowledged.empty(); });
      if (way.unacknowledged.empty()) return;
      ticket = way.unacknowledged.front();
    }
    std::exception_ptr error;
    try {
      run_exchange(way, [&] {
        way.connection.receive(way.reply);
        check_reply(way.reply, FrameKind::floats);
      });
    } catch (const ProcessLost&) {
      error = std::current_exception();
    }
    acknowledged(ticket, error);
    {
      const std::lock_guard lock(way.mutex);
      way.unacknowledged.pop();
    }
    way.changed.notify_all();
  }
}

void Streams::await_acknowledgements() {
  std::vector<Link*> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, link] : links_) {
      if (link != nullptr) all.push_back(link.get());
    }
  }
  for (Link* const way : all) {
    std::unique_lock lock(way->mutex);
    way->changed.wait(lock, [way] { return way->unacknowledged.empty(); });
  }
}

void Streams::fetch(Stream stream, int process, const Command::Copy& copy, std::span<float> into) {
  Link& way = link(stream, process);
  run_exchange(way, [&] {
    way.frame.restart(FrameKind::fetch);
    way.frame.put(Request{copy.from, copy.slice, -1});
    way.connection.send(way.frame);
    way.connection.receive(way.reply);
    check_reply(way.reply, FrameKind::floats);
    const auto floats = way.reply.reader().take<std::uint64_t>();
    if (floats != into.size()) {
      throw ProtocolError("fetch reply has " + std::to_string(floats) + " floats, expected " +
                          std::to_string(into.size()));
    }
    try {
      staging(way.staging).write(copy.to.role, into, [&](std::span<float> part) {
        way.connection.receive(std::as_writable_bytes(part));
      });
    } catch (...) {  // a GPU failed: nothing takes the rest of the floats
      way.connection.shut_down();
      throw;
    }
  });
}

// ---- streams of other processes

void Streams::lend(Buffers& buffers, Arrivals* arrivals, MakeStaging staging) {
  const std::unique_lock lock(lending_);
  buffers_ = &buffers;
  arrivals_ = arrivals;
  staging_ = std::move(staging);
}

void Streams::take_back() {
  const std::unique_lock lock(lending_);
  buffers_ = nullptr;
  arrivals_ = nullptr;
  const std::lock_guard tables(mutex_);
  for (const auto& service : services_) service->staging.reset();
  for (const auto& [key, link] : links_) {
    if (link != nullptr) link->staging.reset();
  }
}

void Streams::serve(int from, Connection connection) {
  const std::lock_guard lock(mutex_);
  if (closing_) return;
  auto service = std::make_unique<Service>();
  service->process = from;
  service->connection = std::move(connection);
  try {
    services_.reserve(services_.size() + 1);
    service->thread = std::thread([this, it = service.get()] { serve_requests(*it); });
  } catch (const std::exception& error) {  // the system allows no further thread
    refuse(service->connection, error.what());
    return;
  }
  const std::string name = "serves " + std::to_string(from);
  pthread_setname_np(service->thread.native_handle(), name.substr(0, 15).c_str());
  services_.push_back(std::move(service));
}

void Streams::serve_requests(Service& service) {
  Frame frame;
  FrameWriter reply(FrameKind::stream);
  try {
    service.connection.send(reply);
    do {
      service.connection.receive(frame);
    } while (serve_request(service, frame, reply));
  } catch (const ConnectionError&) {       // the stream or its process has ended
  } catch (const std::exception& error) {  // an invalid request
    refuse(service.connection, error.what());
  }
  service.connection.shut_down();
}

bool Streams::serve_request(Service& service, Frame& frame, FrameWriter& reply) {
  const auto request = frame.reader().take<Request>();
  const std::shared_lock lock(lending_);
  if (buffers_ == nullptr) return false;
  Connection& connection = service.connection;
  reply.restart(FrameKind::floats);
  if (frame.kind == FrameKind::push) {
    staging(service.staging)
        .write(request.buffer.role, buffers_->open(request.buffer, request.slice),
               [&](std::span<float> part) { connection.receive(std::as_writable_bytes(part)); });
    const bool awaited = request.announcer >= 0 && arrivals_ != nullptr;
    if (awaited) arrivals_->arrived(request.buffer.role, request.announcer);
    connection.send(reply);
    if (awaited) arrivals_->wake();
    return true;
  }
  if (frame.kind != FrameKind::fetch) return false;
  send_floats(service, request, reply);
  return true;
}

void Streams::send_floats(Service& service, const Request& request, FrameWriter& reply) {
  const Buffers::Loan loan = buffers_->lend(request.buffer, request.slice);
  reply.put(static_cast<std::uint64_t>(loan.floats.size()));
  std::span<const std::byte> header = reply.bytes();  // with the first part
  staging(service.staging).read(request.buffer.role, loan.floats, [&](std::span<const float> part) {
    service.connection.send(header, std::as_bytes(part));
    header = {};
  });
}

double Streams::seconds_serving() {
  const std::lock_guard lock(mutex_);
  double seconds = 0;
  for (const auto& service : services_) {
    clockid_t clock{};
    timespec cpu_time{};
    if (pthread_getcpuclockid(service->thread.native_handle(), &clock) != 0) continue;
    if (clock_gettime(clock, &cpu_time) != 0) continue;
    seconds += static_cast<double>(cpu_time.tv_sec) + 1e-9 * static_cast<double>(cpu_time.tv_nsec);
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
