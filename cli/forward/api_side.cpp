#include "cli/forward/api_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "cli/router_connect.h"
#include "routeros/tier/api_tier.h"

namespace mikroscope::cli {
namespace {

constexpr std::int64_t kLongestWait = base::kNsPerSecond;

class ApiSide final : public SideWorker {
 public:
  ApiSide(RouterWorker& worker, routeros::ApiTierOptions options, sinks::Say say)
      : worker_(worker), options_(std::move(options)), say_(std::move(say)) {
    WorkerHooks hooks;
    hooks.on_log = [this](const proc::LogRecord& record) {
      if (const auto tier = this->tier()) tier->log_record(record.interface, record.message);
    };
    hooks.on_reboot = [this] {
      if (const auto tier = this->tier()) tier->reboot_seen();
    };
    worker_.hooks(std::move(hooks));
    worker_.kernel().label_ports([this](std::string_view port) -> sinks::PortLabel {
      const auto tier = this->tier();
      const auto label = tier ? tier->find_port(port) : std::nullopt;
      return label ? sinks::PortLabel{label->interface, label->label, label->role} : sinks::PortLabel{};
    });
  }
  ~ApiSide() override {
    finish();
    if (thread_.joinable()) thread_.join();
  }

  void start() override {
    thread_ = std::thread([this] { run(); });
  }
  void finish() override {
    {
      const std::lock_guard lock(mutex_);
      finish_ = true;
      if (tier_) tier_->interrupt();
    }
    wake_.notify_all();
  }

 private:
  std::shared_ptr<routeros::ApiTier> tier() const {
    const std::lock_guard lock(mutex_);
    return tier_;
  }
  bool finishing() const {
    const std::lock_guard lock(mutex_);
    return finish_;
  }
  void say(const std::string& line) const { say_(fmt::format("{}: RouterOS: {}", worker_.host(), line)); }

  // Its own login: the session of the worker may be a relay's, or SSH.
  bool open() {
    auto login = worker_.target().options->router().login(-1, true);
    if (!login.ok()) {
      say(login.error().what + "; nothing of the API is collected");
      return false;
    }
    known_ = std::make_unique<routeros::KnownRouters>(login->known_routers);
    routeros::ApiTarget target = api_target(*login, *known_);
    target.note = [this](const std::string& line) { say(line); };
    const auto origin = std::make_shared<const model::Origin>(model::Origin{worker_.host(), {}, {}});
    const std::lock_guard lock(mutex_);
    if (finish_) return false;
    tier_ = std::make_shared<routeros::ApiTier>(std::move(target), options_, origin,
                                                [this](const std::string& line) { say(line); });
    return true;
  }

  void run() {
    if (!open()) return;
    const auto tier = this->tier();
    while (!finishing()) {
      const std::int64_t now = base::monotonic_ns();
      const std::int64_t due = tier->next_due_ns();
      if (due > now) {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, std::chrono::nanoseconds(std::min(due - now, kLongestWait)),
                       [&] { return finish_; });
        continue;
      }
      // The router's clock: as the agent tells it.
      const std::int64_t wall = base::wall_ns() + worker_.counts().skew_ns.value_or(0);
      for (model::Event& event : tier->round(now, wall)) worker_.take({std::move(event)});
    }
  }

  RouterWorker& worker_;
  const routeros::ApiTierOptions options_;
  const sinks::Say say_;
  std::unique_ptr<routeros::KnownRouters> known_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<routeros::ApiTier> tier_;
  bool finish_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<SideWorker> make_api_side(RouterWorker& worker, const routeros::ApiTierOptions& options,
                                          const sinks::Say& say) {
  return std::make_unique<ApiSide>(worker, options, say);
}

}  // namespace mikroscope::cli
