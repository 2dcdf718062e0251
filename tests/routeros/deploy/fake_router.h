// A router in memory: menus of rows, containers with a life of their own, and a clock that only tests move.
// It refuses what a router refuses, and can be made to fail at any write.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "routeros/deploy/apply_pace.h"
#include "routeros/deploy/options.h"
#include "routeros/session/session.h"
#include "routeros/session/version.h"

namespace mikroscope::routeros {

class FakeRouter final : public Session, public Pace {
 public:
  explicit FakeRouter(const Version& version = {7, 24, 2});

  // A row that was there before, with its id.
  std::string put(const std::string& menu, const Attributes& attributes);
  std::vector<Row> rows(const std::string& menu) const;
  // Everything but the log, one line per row, without ids: equal before and after is unchanged.
  std::string exported() const;

  // Session
  Answer<std::vector<Row>> print(const Print& print) override;
  Answer<std::string> add(const std::string& menu, const Attributes& attributes) override;
  Answer<void> set(const std::string& menu, const std::string& id, const Attributes& attributes) override;
  Answer<void> remove(const std::string& menu, const std::string& id) override;
  Answer<std::vector<Row>> call(const Call& call) override;
  bool can_upload() const override { return true; }
  Answer<void> upload(const std::string& name, std::string_view bytes, const Progress& progress) override;
  Via via() const override { return Via::api_ssl; }
  std::string router() const override { return "admin@192.0.2.1 (api-ssl)"; }
  std::string host() const override { return "192.0.2.1"; }
  std::string local_address() const override { return "192.0.2.9"; }
  void interrupt_on(int) override {}

  // Pace
  std::int64_t now_ns() override { return now_ns_; }
  bool wait_ns(std::int64_t span_ns) override;
  bool stopped() override { return stop_at_write && writes >= *stop_at_write; }

  // Knobs.
  std::int64_t extraction_ns = 2 * kSecondNs;
  std::int64_t stopping_ns = 3 * kSecondNs;
  bool extraction_fails = false;
  bool refuses_second_container = false;
  bool dies_at_start = false;  // of containers that are started from now on
  bool removes_root_late = false;
  std::optional<int> cut_before_write;  // the connection is lost before the write of that number
  std::optional<int> cut_after_write;   // … after it was done, before its answer came
  std::optional<int> stop_at_write;     // the user presses Ctrl-C once so many writes were made
  std::set<std::string> refused_menus;  // not enough permissions
  bool hides_values = false;            // of environment entries: the account lacks the policy sensitive
  std::map<std::string, std::string> refused_removals;  // menu: the router's words

  int writes = 0;                     // add, set, remove, start, stop, upload
  std::vector<std::string> requests;  // "add /interface/veth"
  // The connection is there again; the number of writes is not reset.
  void reconnect();
  void reboot();  // containers stop; those that start on boot run again; tmpfs is emptied

 private:
  struct Life {
    std::string state;  // as a flag
    std::int64_t until_ns = 0;
    bool dies = false;
  };

  std::optional<Trouble> write(const std::string& what);
  Answer<void> finish();
  Row* find(const std::string& menu, const std::string& id);
  void tick();
  void set_state(Row& container, const std::string& state, std::int64_t for_ns);
  void log(const std::string& message);
  std::string next_id();
  void make_directories(const std::string& path);
  void drop_files(const std::string& path);

  Version version_;
  std::map<std::string, std::vector<Row>> menus_;
  std::map<std::string, Life> lives_;  // by the container's id
  std::int64_t now_ns_ = 0;
  std::uint32_t last_id_ = 0;
  bool lost_ = false;
};

}  // namespace mikroscope::routeros
