// SPDX-License-Identifier: MIT
/// \file
/// Copies between the buffers of two processes. Every stream has a connection of its own to each
/// process that it copies to or from, so that streams are as independent of each other as on one
/// computer. Floats travel from buffer to buffer without a copy in between, unless they are staged.
///
///     stream  opens a connection; the other side replies { stream } once it serves it, or
///             { refuse, why }
///     push    the stream sends { push, where } and the floats, and continues; a thread of the
///             other side receives them into the buffer, acknowledges by { floats }, and wakes its
///             machine; a thread of the connection reads the acknowledgement
///     fetch   the stream sends { fetch, what }; a thread of the other side replies { floats } and
///             the floats
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "exec/processes/group.hpp"
#include "exec/processes/staging.hpp"
#include "training/learning/buffers.hpp"
#include "training/runtime/ring_queue.hpp"

namespace paceline {

/// Learns of announced copies that have arrived. From any thread.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  /// Notes the arrival: later events come after it.
  virtual void arrived(RoleId to, RoleId from) = 0;
  /// Lets the machine handle it. Called after the acknowledgement was sent, because the transfers
  /// that follow from the arrival may fill the link.
  virtual void wake() = 0;
};

class Streams {
 public:
  static constexpr std::chrono::milliseconds kPatience{5000};
  /// `group` must outlive this. `patience`: within it a process must accept a connection, and again
  /// serve it.
  explicit Streams(Group& group, std::chrono::milliseconds patience = kPatience)
      : group_(group), patience_(patience) {}
  /// Closes all connections.
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// Opens the connection of a stream, so that its first copy need not. Throws ProcessLost, as all
  /// copies do.
  void open(Stream stream, int process) { link(stream, process); }
  /// On the stream's thread: floats to a buffer of another process. Returns once the socket has
  /// them, so that the stream's next copy is right behind; another thread calls `acknowledged` when
  /// they have arrived, or with an error when no acknowledgement will come.
  using Acknowledged = std::function<void(Ticket ticket, std::exception_ptr error)>;
  void push(Stream stream, int process, const Command::Copy& copy, std::span<const float> from,
            Ticket ticket, const Acknowledged& acknowledged);
  /// The same, and waits for the acknowledgement. A stream uses only one of the two.
  void push(Stream stream, int process, const Command::Copy& copy, std::span<const float> from);
  /// On the stream's thread: floats from a buffer of another process.
  void fetch(Stream stream, int process, const Command::Copy& copy, std::span<float> into);

  /// From now on others copy to and from `buffers`, and `arrivals`, if any, learns of channels.
  /// `staging` must work until take_back(), and is for copies of this process's streams, too.
  void lend(Buffers& buffers, Arrivals* arrivals, MakeStaging staging = make_no_staging);
  /// Waits until all pushes are acknowledged.
  void await_acknowledgements();
  /// Ends the use of the buffers. Returns once no thread uses them.
  void take_back();
  /// Serves a connection that another process has opened, on a thread of its own, or refuses it.
  void serve(int from, Connection connection);
  /// The processor time that serving others' streams has taken so far.
  double seconds_serving();
  /// A process is lost: ends all calls that wait for it.
  void shut_down(int process);

 private:
  static std::unique_ptr<Staging> make_no_staging() { return std::make_unique<NoStaging>(); }
  struct Request {
    BufferRef buffer;
    Slice slice;
    RoleId announcer = -1;  ///< of an announced copy: the role that it is from
  };
  /// This process's end of a stream's connection.
  struct Link {
    int process = 0;
    Connection connection;
    std::unique_ptr<Staging> staging;  ///< as of Service
    FrameWriter frame{FrameKind::push};
    Frame reply;
    // of pushes that are acknowledged later
    std::mutex mutex;
    std::condition_variable changed;
    RingQueue<Ticket> unacknowledged;
    bool closing = false;
    std::thread reader;
  };
  /// The end of another process's stream.
  struct Service {
    int process = 0;
    Connection connection;
    std::unique_ptr<Staging> staging;  ///< of the buffers that are lent; null: not needed yet
    std::thread thread;
  };

  Link& link(Stream stream, int process);
  Staging& staging(std::unique_ptr<Staging>& made) const;
  void connect(Link& link) const;
  template <class Exchange>
  void run_exchange(Link& link, const Exchange& exchange);
  void send_push(Link& link, const Command::Copy& copy, std::span<const float> from);
  void read_acknowledgements(Link& link, const Acknowledged& acknowledged);
  void serve_requests(Service& service);
  bool serve_request(Service& service, Frame& frame, FrameWriter& reply);
  void send_floats(Service& service, const Request& request, FrameWriter& reply);

  Group& group_;
  std::chrono::milliseconds patience_;
  std::mutex mutex_;  ///< of the tables; their elements stay in place
  std::map<std::tuple<RoleId, StreamKind, int>, std::unique_ptr<Link>> links_;
  std::vector<std::unique_ptr<Service>> services_;
  bool closing_ = false;
  std::shared_mutex lending_;  ///< shared by the threads that use the buffers
  Buffers* buffers_ = nullptr;
  Arrivals* arrivals_ = nullptr;
  MakeStaging staging_ = make_no_staging;
};

}  // namespace paceline
