// Calls something every 20 ms until it is destroyed.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace mikroscope::routersim {

class Ticker {
 public:
  explicit Ticker(std::function<void()> work) : work_(std::move(work)), thread_([this] { run(); }) {}
  ~Ticker() {
    {
      const std::lock_guard hold(lock_);
      over_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void run() {
    std::unique_lock hold(lock_);
    while (!wake_.wait_for(hold, std::chrono::milliseconds(20), [this] { return over_; })) {
      hold.unlock();
      work_();
      hold.lock();
    }
  }

  std::function<void()> work_;
  std::mutex lock_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace mikroscope::routersim
