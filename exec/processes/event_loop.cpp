// SPDX-License-Identifier: MIT
#include "exec/processes/event_loop.hpp"

#include <future>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>
#include <pthread.h>

namespace paceline {
namespace {

namespace asio = boost::asio;

asio::awaitable<void> repeat_for_ever(std::chrono::milliseconds period,
                                      std::function<void()> work) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(period);
    co_await timer.async_wait(asio::use_awaitable);
    work();
  }
}

}  // namespace

EventLoop::EventLoop() : context_(std::make_unique<asio::io_context>()) {
  const asio::steady_timer opens_the_reactor(*context_);  // now, not with the first connection
}

EventLoop::~EventLoop() {
  stop();
}

asio::io_context& EventLoop::running() {
  std::call_once(started_, [this] {
    thread_ = std::thread([this] {
      const auto work_guard = asio::make_work_guard(*context_);
      context_->run();
    });
    pthread_setname_np(thread_.native_handle(), "event loop");
    runs_ = true;
  });
  return *context_;
}

void EventLoop::run(const std::function<void()>& work) {
  if (!runs_ || std::this_thread::get_id() == thread_.get_id()) return work();
  std::promise<void> done;
  asio::post(*context_, [&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void EventLoop::repeat(std::chrono::milliseconds period, std::function<void()> work) {
  asio::co_spawn(running(), repeat_for_ever(period, std::move(work)), asio::detached);
}

void EventLoop::stop() {
  if (!runs_.exchange(false)) return;
  context_->stop();
  thread_.join();
}

void close_on_exec(int descriptor) {
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace paceline
