#include "cli/agent_shape.h"

#include <fmt/format.h>

#include "routeros/deploy/gather.h"
#include "routeros/deploy/manifest.h"
#include "routeros/deploy/shape.h"
#include "routeros/deploy/step_names.h"

namespace mikroscope::cli {
namespace {

using routeros::Row;

base::Result<std::vector<Row>> rows_of(routeros::Session& session, const routeros::Print& print) {
  routeros::Answer<std::vector<Row>> rows = session.print(print);
  if (!rows.ok()) return routeros::to_error(rows.error(), session.router());
  return std::move(*rows);
}

// Without a manifest that can be read: from the objects that carry the installation's tag. `otherwise` is the
// error where there are none.
base::Result<AgentShape> from_objects(routeros::Session& session, const std::string& installation,
                                      const base::Error& otherwise) {
  routeros::Answer<routeros::Facts> facts = routeros::gather(session, {});
  if (!facts.ok()) return routeros::to_error(facts.error(), session.router());
  routeros::Options asked = routeros::default_options();
  asked.name = installation;
  routeros::Shape shape = routeros::read_shape(*facts, asked);
  if (!shape.installed) return otherwise;
  return AgentShape{std::move(shape.options), shape.token, "", shape.slot};
}

}  // namespace

std::string AgentShape::url() const {
  return fmt::format("http://{}:{}", options.address(), options.port);
}

std::string AgentShape::exposed_url() const {
  if (!options.expose || options.lan_address.empty()) return {};
  return fmt::format("http://{}:{}", options.lan_address, options.port);
}

base::Result<AgentShape> read_agent_shape(routeros::Session& session, const std::string& installation) {
  // Names first: contents of every small file of the router would come with them.
  base::Result<std::vector<Row>> files = rows_of(session, {"/file", {"name"}, {}});
  if (!files.ok()) return std::move(files).error();
  base::Error last{fmt::format("there is no installation \"{}\" on {}", installation, session.router()),
                   "mikroscope install --router …, or --name of another installation", base::Exit::no_data};
  for (const Row& file : *files) {
    const std::string path(file.text("name"));
    if (!routeros::is_manifest_path(path, installation)) continue;
    const base::Result<std::vector<Row>> text =
        rows_of(session, {"/file", {"name", "contents"}, {{"name", path}}});
    if (!text.ok()) return text.error();
    if (text->empty()) continue;
    base::Result<routeros::Manifest> manifest = routeros::read_manifest(text->front().text("contents"));
    if (!manifest.ok()) {
      last = std::move(manifest).error();
      last.what = fmt::format("{} on {}: {}", path, session.router(), last.what);
      last.exit = base::Exit::failed;
      continue;
    }
    if (manifest->options.name != installation) continue;
    return AgentShape{std::move(manifest->options), manifest->token, path, manifest->slot};
  }
  return from_objects(session, installation, last);
}

base::Result<std::string> read_router_token(routeros::Session& session, const AgentShape& shape) {
  // The list of an entry is called `list` from 7.20 on and `name` before.
  const routeros::Answer<std::vector<Row>> rows =
      session.print({"/container/envs", {"list", "name", "key", "value"}, {}});
  if (!rows.ok()) {
    if (routeros::device_error(rows.error()) != nullptr) return std::string();
    return routeros::to_error(rows.error(), session.router());
  }
  const std::string list = routeros::step_names(shape.options, shape.slot).env_list;
  for (const Row& row : *rows) {
    if (row.text("key") == "TOKEN" && (row.text("list") == list || row.text("name") == list))
      return std::string(row.text("value"));
  }
  return std::string();
}

}  // namespace mikroscope::cli
