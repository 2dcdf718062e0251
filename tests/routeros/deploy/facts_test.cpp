#include "routeros/deploy/facts.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "routeros/deploy/facts_json.h"
#include "routeros/deploy/gather.h"

namespace mikroscope::routeros {
namespace {

Row row(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Row out;
  for (const auto& [name, value] : pairs) out.put(name, value);
  return out;
}

// Answers prints from a table, and remembers them; everything else is a failure.
class ReadOnlySession final : public Session {
 public:
  Answer<std::vector<Row>> print(const Print& print) override {
    prints.push_back(print);
    EXPECT_FALSE(print.proplist.empty()) << print.menu;
    if (lost_at == print.menu)
      return Trouble(LostConnection{"read: connection reset", "", base::Exit::failed});
    if (refused.count(print.menu) != 0)
      return Trouble(DeviceError{refused[print.menu], 4, print.menu + "/print"});
    std::vector<Row> out;
    if (booting > 0 && print.menu == "/system/resource") {
      --booting;
      return out;
    }
    for (const Row& r : tables[print.menu]) {
      bool wanted = true;
      for (const Where& w : print.where) wanted &= r.text(w.name) == w.value;
      if (!wanted) continue;
      Row cut;
      for (const Attribute& a : r.attributes()) {
        for (const std::string& name : print.proplist) {
          if (name == a.name) cut.put(a.name, a.value);
        }
      }
      out.push_back(cut);
    }
    if (after_print) after_print(print);
    return out;
  }
  Answer<std::string> add(const std::string& menu, const Attributes&) override { return write(menu); }
  Answer<void> set(const std::string& menu, const std::string&, const Attributes&) override {
    return Trouble(write(menu).error());
  }
  Answer<void> remove(const std::string& menu, const std::string&) override {
    return Trouble(write(menu).error());
  }
  Answer<std::vector<Row>> call(const Call& call) override { return Trouble(write(call.command).error()); }
  bool can_upload() const override { return false; }
  Answer<void> upload(const std::string& name, std::string_view, const Progress&) override {
    return Trouble(write(name).error());
  }
  Via via() const override { return Via::api_ssl; }
  std::string router() const override { return "admin@192.168.88.1 (api-ssl)"; }
  std::string host() const override { return "192.168.88.1"; }
  std::string local_address() const override { return "192.168.88.10"; }
  void interrupt_on(int) override {}

  std::size_t times(std::string_view menu) const {
    std::size_t n = 0;
    for (const Print& p : prints) n += p.menu == menu ? 1 : 0;
    return n;
  }

  std::map<std::string, std::vector<Row>> tables;
  std::map<std::string, std::string> refused;
  std::string lost_at;
  int booting = 0;
  std::function<void(const Print&)> after_print;
  std::vector<Print> prints;

 private:
  Answer<std::string> write(const std::string& what) {
    ADD_FAILURE() << "a write: " << what;
    return Trouble(DeviceError{"read only", 4, what});
  }
};

ReadOnlySession plain_router(const std::string& version = "7.24.2 (stable)",
                             const std::string& uptime = "1d2h") {
  ReadOnlySession s;
  s.tables["/system/resource"] = {
      row({{"version", version}, {"uptime", uptime}, {"architecture-name", "arm64"}, {"secret", "x"}})};
  s.tables["/interface/veth"] = {row({{".id", "*1"}, {"name", "veth1"}})};
  return s;
}

bool asks_for(const std::vector<Print>& prints, std::string_view menu, std::string_view attribute) {
  for (const Print& p : prints) {
    if (p.menu != menu) continue;
    for (const std::string& name : p.proplist) {
      if (name == attribute) return true;
    }
  }
  return false;
}

TEST(Gather, EveryMenuOnce) {
  ReadOnlySession s = plain_router();
  const Answer<Facts> facts = gather(s, {});
  ASSERT_TRUE(facts.ok());
  for (const MenuDef& menu : all_menus()) EXPECT_EQ(s.times(menu.path), 1u) << menu.path;
  EXPECT_EQ(s.prints.size(), all_menus().size());
  EXPECT_EQ(facts->architecture(), "arm64");
  EXPECT_EQ(facts->version(), (Version{7, 24, 2}));
  EXPECT_EQ(facts->local_address, "192.168.88.10");
  EXPECT_GT(facts->read_wall_ns, 0);
  ASSERT_NE(facts->rows("/interface/veth"), nullptr);
  EXPECT_EQ(facts->rows("/interface/veth")->front().text("name"), "veth1");
  EXPECT_TRUE(facts->rows("/container")->empty());
}

TEST(Gather, AsksForWhatTheVersionHas) {
  ReadOnlySession older = plain_router("7.19.4 (stable)");
  ASSERT_TRUE(gather(older, {}).ok());
  EXPECT_TRUE(asks_for(older.prints, "/container", "envlist"));
  EXPECT_FALSE(asks_for(older.prints, "/container", "envlists"));
  EXPECT_FALSE(asks_for(older.prints, "/container", "privileged"));
  EXPECT_TRUE(asks_for(older.prints, "/container/envs", "name"));
  ReadOnlySession newer = plain_router();
  ASSERT_TRUE(gather(newer, {}).ok());
  EXPECT_FALSE(asks_for(newer.prints, "/container", "envlist"));
  EXPECT_TRUE(asks_for(newer.prints, "/container", "envlists"));
  EXPECT_TRUE(asks_for(newer.prints, "/container", "running"));
  EXPECT_TRUE(asks_for(newer.prints, "/container/envs", "list"));
  EXPECT_FALSE(asks_for(newer.prints, "/file", "contents"));
  EXPECT_FALSE(asks_for(newer.prints, "/container/config", "password"));
}

TEST(Gather, ARefusedMenuCostsThatMenuOnly) {
  ReadOnlySession s = plain_router();
  s.refused["/ip/firewall/raw"] = "not enough permissions (9)";
  s.refused["/container"] = "no such command prefix";
  const Answer<Facts> facts = gather(s, {});
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->rows("/ip/firewall/raw"), nullptr);
  ASSERT_NE(facts->refused("/ip/firewall/raw"), nullptr);
  EXPECT_TRUE(facts->refused("/ip/firewall/raw")->not_permitted());
  EXPECT_TRUE(facts->refused("/container")->no_such_command());
  EXPECT_EQ(facts->refused("/ip/firewall/filter"), nullptr);
  EXPECT_NE(facts->rows("/disk"), nullptr);
  EXPECT_EQ(s.prints.size(), all_menus().size());
}

TEST(Gather, ALostConnectionEndsIt) {
  ReadOnlySession s = plain_router();
  s.lost_at = "/ip/route";
  const Answer<Facts> facts = gather(s, {});
  ASSERT_FALSE(facts.ok());
  EXPECT_EQ(device_error(facts.error()), nullptr);
  EXPECT_EQ(s.prints.back().menu, "/ip/route");
}

TEST(Gather, WaitsForARouterThatIsBooting) {
  ReadOnlySession s = plain_router("7.24.2 (stable)", "8s");
  s.booting = 3;
  s.tables["/ip/address"] = {};
  std::vector<std::int64_t> pauses;
  const Answer<Facts> facts = gather(s, {[&](std::int64_t ms) {
                                       pauses.push_back(ms);
                                       // Meanwhile the addresses have come.
                                       s.tables["/ip/address"] = {row({{"address", "192.168.88.1/24"}})};
                                       return true;
                                     }});
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{500, 500, 500, 2000}));
  EXPECT_EQ(s.times("/system/resource"), 4u);
  EXPECT_EQ(s.times("/interface/veth"), 1u);  // it was not empty
  EXPECT_EQ(s.times("/container"), 2u);
  EXPECT_EQ(facts->rows("/ip/address")->size(), 1u);
}

TEST(Gather, DoesNotWaitForEver) {
  ReadOnlySession s = plain_router();
  s.booting = 1000;
  int pauses = 0;
  const Answer<Facts> facts = gather(s, {[&](std::int64_t) { return ++pauses < 1000; }});
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(pauses, 20);
  EXPECT_EQ(facts->version(), std::nullopt);
}

TEST(Gather, ThePauseCanBeEnded) {
  ReadOnlySession s = plain_router();
  s.booting = 1000;
  const Answer<Facts> facts = gather(s, {[](std::int64_t) { return false; }});
  ASSERT_FALSE(facts.ok());
  EXPECT_EQ(std::get<LostConnection>(facts.error()).exit, base::Exit::interrupted);
}

TEST(Gather, ReadsManifests) {
  ReadOnlySession s = plain_router();
  s.tables["/file"] = {
      row({{".id", "*1"},
           {"name", "mikroscope/mikroscope.manifest.txt"},
           {"contents", "mikroscope-manifest=1\n"}}),
      row({{".id", "*2"}, {"name", "usb1/mikroscope/other.manifest.txt"}, {"contents", "b"}}),
      row({{".id", "*3"}, {"name", "notmikroscope/x.manifest.txt"}, {"contents", "c"}}),
      row({{".id", "*4"}, {"name", "secret.txt"}, {"contents", "d"}})};
  const Answer<Facts> facts = gather(s, {});
  ASSERT_TRUE(facts.ok());
  const std::vector<Row>& files = *facts->rows("/file");
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].text("contents"), "mikroscope-manifest=1\n");
  EXPECT_EQ(files[1].text("contents"), "b");
  EXPECT_EQ(files[2].find("contents"), std::nullopt);
  EXPECT_EQ(files[3].find("contents"), std::nullopt);
  EXPECT_EQ(s.times("/file"), 3u);
}

TEST(Menus, AreUniqueAndUseful) {
  for (const MenuDef& menu : all_menus()) {
    EXPECT_EQ(find_menu(menu.path), &menu);
    EXPECT_FALSE(menu.proplist.empty()) << menu.path;
    EXPECT_FALSE(menu.policy.empty()) << menu.path;
    EXPECT_FALSE(menu.use.empty()) << menu.path;
  }
}

TEST(AssumedFacts, AreEmptyMenus) {
  const Facts facts = assumed_facts({7, 20}, "arm");
  EXPECT_TRUE(facts.assumed);
  EXPECT_EQ(facts.version(), (Version{7, 20}));
  EXPECT_EQ(facts.architecture(), "arm");
  ASSERT_NE(facts.rows("/interface/veth"), nullptr);
  EXPECT_TRUE(facts.rows("/interface/veth")->empty());
  EXPECT_TRUE(facts.settings("/system/identity").attributes().empty());
}

TEST(FactsJson, ComesBackTheSame) {
  Facts facts = assumed_facts({7, 24, 1}, "arm64");
  facts.assumed = false;
  facts.local_address = "192.168.88.10";
  facts.read_wall_ns = 1790000000123456789;
  facts.put("/interface/veth", {row({{".id", "*1"}, {"name", "a\nb"}, {"comment", "caf\xE9"}})});
  facts.put_refused("/ip/route", {"not enough permissions (9)", 4, "/ip/route/print"});
  const std::string text = facts_to_json(facts);
  const base::Result<Facts> back = facts_from_json(text);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(facts_to_json(*back), text);
  EXPECT_FALSE(back->assumed);
  EXPECT_EQ(back->read_wall_ns, 1790000000123456789);
  EXPECT_EQ(back->rows("/interface/veth")->front().text("name"), "a\nb");
  EXPECT_EQ(back->rows("/interface/veth")->front().text("comment"), "caf\u00e9");
  ASSERT_NE(back->refused("/ip/route"), nullptr);
  EXPECT_EQ(back->refused("/ip/route")->message, "not enough permissions (9)");
  EXPECT_EQ(back->refused("/ip/route")->category, 4);
}

TEST(FactsJson, HoldsNoSecret) {
  Facts facts = assumed_facts({7, 24, 1}, "arm64");
  facts.put("/container/envs", {row({{"list", "e"}, {"key", "TOKEN"}, {"value", "hunter2"}}),
                                row({{"list", "other"}, {"key", "DB_PASSWORD"}, {"value", "hunter3"}}),
                                row({{"list", "e"}, {"key", "RATE_HZ"}, {"value", "25"}})});
  facts.put("/container/config", {row({{"username", "hunter4"}, {"registry-url", "https://ghcr.io"}})});
  const std::string text = facts_to_json(facts);
  EXPECT_EQ(text.find("hunter"), std::string::npos) << text;
  EXPECT_NE(text.find("\"25\""), std::string::npos);
  EXPECT_NE(text.find("https://ghcr.io"), std::string::npos);
  const base::Result<Facts> back = facts_from_json(text);
  ASSERT_TRUE(back.ok());
  // That there is one is a fact.
  EXPECT_FALSE(back->settings("/container/config").text("username").empty());
}

TEST(FactsJson, OtherTextsAreRefused) {
  for (const std::string_view text :
       {"", "[]", "{}", "{\"mikroscope_facts\":2,\"menus\":{}}", "{\"mikroscope_facts\":1}",
        "{\"mikroscope_facts\":1,\"menus\":{\"/disk\":{}}}",
        "{\"mikroscope_facts\":1,\"menus\":{\"/disk\":[]}}",
        "{\"mikroscope_facts\":1,\"menus\":{\"/disk\":{\"rows\":[1]}}}",
        "{\"mikroscope_facts\":1,\"menus\":{\"/disk\":{\"rows\":[{\"slot\":1}]}}}"}) {
    const base::Result<Facts> facts = facts_from_json(text);
    EXPECT_FALSE(facts.ok()) << text;
    if (!facts.ok()) {
      EXPECT_NE(facts.error().what.find("no file of facts"), std::string::npos) << text;
    }
  }
  const base::Result<Facts> unknown = facts_from_json(
      "{\"mikroscope_facts\":1,\"menus\":{\"/future\":{\"rows\":[]},\"/disk\":{\"rows\":[]}}}");
  ASSERT_TRUE(unknown.ok());
  EXPECT_EQ(unknown->menus.size(), 1u);
}

}  // namespace
}  // namespace mikroscope::routeros
