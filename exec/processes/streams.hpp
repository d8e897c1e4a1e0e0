// SPDX-License-Identifier: MIT
/// \file
/// Copies between the buffers of two processes. Every stream has a connection of its own to each
/// process that it copies to or from, so that streams are as independent of each other as on one
/// computer. Floats travel from buffer to buffer: nothing is copied in between.
///
///     stream  opens a connection; the other side answers { stream } once it serves it, or
///             { refuse, why }
///     push    the stream sends { push, where } and the floats, and goes on; the other side's
///             thread receives them where they belong, answers { floats }, and lets its machine go
///             on; the answer is heard by a thread of the connection's own
///     fetch   the stream sends { fetch, what }; the other side's thread answers { floats } and
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
#include "training/learning/buffers.hpp"
#include "training/roles/ring_queue.hpp"

namespace paceline {

/// Who is told that a copy has come whose channel somebody here may wait for. From any thread.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  /// Notes it: what comes later is dealt with later.
  virtual void note(std::int32_t channel) = 0;
  /// It may be dealt with now. The sender's answer is on its way: what follows here from the
  /// arrival may well fill the link.
  virtual void deal_with_it() = 0;
};

class Streams {
 public:
  static constexpr std::chrono::milliseconds kPatience{5000};
  /// `group` must outlive this. `patience`: until a process that takes part must have accepted a
  /// connection.
  explicit Streams(Group& group, std::chrono::milliseconds patience = kPatience)
      : group_(group), patience_(patience) {}
  /// Closes all connections.
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// Opens the connection of a stream, so that its first copy need not. Throws ProcessLost, as all
  /// that talks to another process here.
  void open(Stream stream, int process) { link(stream, process); }
  /// On the stream's thread: floats to a buffer of another process. Returns once they are on their
  /// way, so that what follows in the stream is right behind them; `answered` is called when they
  /// have arrived, or when nobody will say so any more, from another thread.
  using Answered = std::function<void(Ticket ticket, std::exception_ptr error)>;
  void push(Stream stream, int process, const Command& command, std::span<const float> from,
            Ticket ticket, const Answered& answered);
  /// The same, and waits for the answer. A stream pushes in the one way or the other.
  void push(Stream stream, int process, const Command& command, std::span<const float> from);
  /// Likewise from one.
  void fetch(Stream stream, int process, const Command& command, std::span<float> into);

  /// From now on others copy to and from `buffers`, and `arrivals`, if any, is told of channels.
  void lend(Buffers& buffers, Arrivals* arrivals);
  /// Waits until all that was pushed has been answered.
  void settle();
  /// The buffers are no longer there. Returns once nobody uses them.
  void take_back();
  /// Another process has opened a connection: serves it on a thread of its own, or says why not.
  void serve(int from, Connection connection);
  /// Processors' time that serving others' streams has taken so far.
  double seconds_serving();
  /// A process is lost: whoever waits for it learns of it.
  void shut_down(int process);

 private:
  /// What is copied.
  struct Request {
    BufferRef part;
    std::int32_t channel = -1;
  };
  /// Our end of a stream's connection.
  struct Link {
    int process = 0;
    Connection connection;
    FrameWriter frame{FrameKind::push};
    Frame answer;
    // of pushes that are answered later
    std::mutex mutex;
    std::condition_variable changed;
    RingQueue<Ticket> unanswered;
    bool closing = false;
    std::thread listener;
  };
  /// The end of another process's stream.
  struct Service {
    int process = 0;
    Connection connection;
    std::thread thread;
  };

  Link& link(Stream stream, int process);
  void call(Link& link) const;
  template <class Talk>
  void talk(Link& link, const Talk& talk);
  void send_push(Link& link, const Command& command, std::span<const float> from);
  void hear_answers(Link& link, const Answered& answered);
  void attend(Service& service);
  bool answer(Connection& connection, Frame& frame, FrameWriter& reply);

  Group& group_;
  std::chrono::milliseconds patience_;
  std::mutex mutex_;  ///< of the tables; what is in them stays where it is
  std::map<std::tuple<RoleId, StreamKind, int>, std::unique_ptr<Link>> links_;
  std::vector<std::unique_ptr<Service>> services_;
  bool closing_ = false;
  std::shared_mutex lending_;  ///< shared by who uses the buffers
  Buffers* buffers_ = nullptr;
  Arrivals* arrivals_ = nullptr;
};

}  // namespace paceline
