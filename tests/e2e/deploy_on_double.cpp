#include "tests/e2e/deploy_on_double.h"

#include <gtest/gtest.h>

#include <map>

#include "routeros/api/connect.h"
#include "routeros/deploy/gather.h"
#include "routeros/deploy/shape.h"
#include "routeros/image.h"

namespace mikroscope::test {
namespace {

routersim::Config with_clock(routersim::Config config, const std::shared_ptr<routersim::FakeClock>& clock) {
  config.clock = clock;
  return config;
}

// The head of a static ELF program for a machine, and nothing behind it.
std::string program_for(const std::string& arch) {
  const bool wide = arch == "arm64" || arch == "amd64";
  const char machine = static_cast<char>(arch == "arm64" ? 183 : arch == "amd64" ? 62 : 40);
  std::string elf(4096, '\0');
  const char ident[] = {0x7f, 'E', 'L', 'F', static_cast<char>(wide ? 2 : 1), 1, 1};
  elf.replace(0, sizeof ident, ident, sizeof ident);
  elf[16] = 2;  // ET_EXEC
  elf[18] = machine;
  elf[20] = 1;
  return elf;
}

}  // namespace

routeros::Options options_of(const Given& given) {
  routeros::Options out = routeros::default_options();
  for (const auto& [name, value] : given) {
    const base::Result<void> set = routeros::find_option(name)->set(out, value);
    EXPECT_TRUE(set.ok()) << name << ": " << (set.ok() ? "" : set.error().what);
  }
  const base::Result<void> settled = routeros::settle(out);
  EXPECT_TRUE(settled.ok()) << (settled.ok() ? "" : settled.error().what);
  if (!out.no_token) out.token = kToken;
  return out;
}

const std::string& test_image(const std::string& arch) {
  static std::map<std::string, std::string> images;
  std::string& image = images[arch];
  if (!image.empty()) return image;
  const std::string program = program_for(arch);
  const base::Result<std::string> built =
      routeros::build_image(*routeros::parse_arch(arch), std::as_bytes(std::span(program)));
  EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.error().what);
  if (built.ok()) image = *built;
  return image;
}

DoubleBench::DoubleBench(routersim::Config config)
    : router(with_clock(std::move(config), clock)), server_(router) {
  EXPECT_EQ(server_.trouble(), "");
}

routeros::Session& DoubleBench::session() {
  if (session_ == nullptr) {
    routeros::ApiTarget target;
    target.host = "127.0.0.1";
    target.port = server_.port();
    target.user = "admin";
    target.shown_as = "double";
    target.security = routeros::ApiSecurity::plain;
    base::Result<std::unique_ptr<routeros::Session>> session = routeros::connect_api(target);
    EXPECT_TRUE(session.ok()) << (session.ok() ? "" : session.error().what);
    if (!session.ok()) std::abort();
    session_ = std::move(*session);
  }
  return *session_;
}

bool DoubleBench::wait_ns(std::int64_t span_ns) {
  clock->advance((span_ns + 999'999) / 1'000'000);
  router.tick();
  return true;
}

routeros::Upload DoubleBench::upload_way() {
  return [this](const std::string& name, std::string_view bytes) -> base::Result<void> {
    const std::unique_ptr<routersim::Upload> upload = router.upload(name);
    if (upload == nullptr || !upload->append(bytes)) return base::Error{"the upload failed: disk full", ""};
    upload->commit();
    return {};
  };
}

base::Result<void> DoubleBench::install(const routeros::Options& options, routeros::Journal* journal) {
  routeros::Answer<routeros::Facts> facts = routeros::gather(session(), {});
  if (!facts.ok()) return routeros::to_error(facts.error(), "double");
  const routeros::Shape shape = routeros::read_shape(*facts, options);
  routeros::ImageSource image;
  image.remote = options.remote_image;
  const base::Result<routeros::Arch> arch = routeros::choose_arch(*facts, options);
  if (!arch.ok()) return arch.error();
  const std::string& tar = test_image(std::string(routeros::arch_name(*arch)));
  image.arch = routeros::arch_name(*arch);
  image.bytes = tar.size();
  const base::Result<routeros::Plan> plan = routeros::make_plan(*facts, options, image, shape.slot);
  if (!plan.ok()) return plan.error();
  const routeros::Decisions decisions = routeros::decide(*plan, *facts);
  base::Result<void> clear = routeros::refuse_collisions(*plan, decisions);
  if (!clear.ok()) return clear;
  routeros::Journal own;
  routeros::Applying applying{{session(), *this}, journal != nullptr ? *journal : own, {}, upload_way(), tar};
  return routeros::apply(*plan, decisions, applying);
}

base::Result<void> DoubleBench::uninstall(const std::string& name) {
  routeros::Answer<routeros::Facts> facts = routeros::gather(session(), {});
  if (!facts.ok()) return routeros::to_error(facts.error(), "double");
  const routeros::Shape shape = routeros::read_shape(*facts, options_of({{"name", name}}));
  routeros::Removing removing{{session(), *this}, {}};
  return routeros::uninstall(shape.options, removing);
}

base::Result<routeros::Remains> DoubleBench::remains(const std::string& name) {
  return routeros::find_remains({session(), *this}, options_of({{"name", name}}));
}

base::Result<routeros::UpgradeResult> DoubleBench::upgrade(const routeros::Options& options,
                                                           routeros::Reach reach) {
  routeros::Answer<routeros::Facts> facts = routeros::gather(session(), {});
  if (!facts.ok()) return routeros::to_error(facts.error(), "double");
  const routeros::Shape shape = routeros::read_shape(*facts, options);
  const routeros::Occupied occupied = routeros::find_occupied(*facts, options, shape.slot);
  routeros::ImageSource image;
  image.arch = "arm64";
  image.bytes = test_image().size();
  const base::Result<routeros::Plan> plan = routeros::make_upgrade_plan(*facts, options, image, occupied);
  if (!plan.ok()) return plan.error();
  const routeros::Decisions decisions = routeros::decide(*plan, *facts);
  base::Result<void> clear = routeros::refuse_collisions(*plan, decisions);
  if (!clear.ok()) return std::move(clear).error();
  routeros::Journal journal;
  routeros::Applying applying{{session(), *this}, journal, {}, upload_way(), test_image()};
  return routeros::upgrade(*plan, decisions, occupied, applying,
                           [reach]() -> base::Result<routeros::ProbeResult> {
                             return routeros::ProbeResult{reach, "asked", ""};
                           });
}

base::Result<void> DoubleBench::roll_back(const routeros::Options& options, routeros::Journal& journal) {
  routeros::Applying applying{{session(), *this}, journal, {}, {}, {}};
  return routeros::roll_back(options, *routeros::parse_version(router.config().ros), applying);
}

std::string DoubleBench::everything() const {
  std::string out = router.export_text();
  for (const std::string& path : router.file_paths()) out += "file " + path + "\n";
  return out;
}

bool DoubleBench::running(const routeros::Options& options) {
  const base::Result<std::vector<routeros::Row>> rows =
      routeros::tagged_containers({session(), *this}, options.tag());
  return rows.ok() && rows->size() == 1 &&
         routeros::container_state(rows->front()) == routeros::ContainerState::running;
}

}  // namespace mikroscope::test
