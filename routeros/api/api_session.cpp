#include "routeros/api/api_session.h"

#include <algorithm>

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kMask = "(secret)";

// A router may quote what it was given.
std::string without_secrets(std::string text, const Attributes& attributes) {
  for (const Attribute& attribute : attributes) {
    if (!attribute.secret || attribute.value.empty()) continue;
    for (std::size_t at = 0; (at = text.find(attribute.value, at)) != std::string::npos; at += kMask.size())
      text.replace(at, attribute.value.size(), kMask);
  }
  return text;
}

Attributes with_id(const std::string& id, const Attributes& attributes) {
  Attributes out;
  if (!id.empty()) out.push_back({".id", id});
  out.insert(out.end(), attributes.begin(), attributes.end());
  return out;
}

}  // namespace

Answer<ApiResult> ApiSession::run(const ApiCommand& command, std::int64_t timeout_ms) {
  const Answer<ApiConnection::Tag> tag =
      connection_->start(command, timeout_ms > 0 ? timeout_ms : timeout_ms_);
  if (!tag.ok()) return tag.error();
  Answer<ApiResult> result = connection_->wait(*tag);
  if (!result.ok() || result->traps.empty()) return result;
  DeviceError error = std::move(result->traps.front());
  error.message = without_secrets(std::move(error.message), command.attributes);
  return Trouble(std::move(error));
}

Answer<std::vector<Row>> ApiSession::print(const Print& print) {
  ApiCommand command{print.menu + "/print", {}, {}};
  // Without a list the router works out every attribute, costly ones too.
  std::string proplist;
  if (std::find(print.proplist.begin(), print.proplist.end(), ".id") == print.proplist.end())
    proplist = ".id";
  for (const std::string& name : print.proplist) proplist += (proplist.empty() ? "" : ",") + name;
  command.attributes.push_back({".proplist", std::move(proplist)});
  for (const Where& where : print.where) command.queries.push_back(where.name + "=" + where.value);
  Answer<ApiResult> result = run(command, 0);
  if (!result.ok()) return result.error();
  return std::move(result->rows);
}

Answer<std::string> ApiSession::add(const std::string& menu, const Attributes& attributes) {
  const ApiCommand command{menu + "/add", attributes, {}};
  Answer<ApiResult> result = run(command, 0);
  if (!result.ok()) return result.error();
  const Row done(std::move(result->done));
  if (done.text("ret").empty())
    return Trouble(DeviceError{"the router added it but did not say its id", -1, command.path});
  return std::string(done.text("ret"));
}

Answer<void> ApiSession::set(const std::string& menu, const std::string& id, const Attributes& attributes) {
  const Answer<ApiResult> result = run({menu + "/set", with_id(id, attributes), {}}, 0);
  if (!result.ok()) return result.error();
  return {};
}

Answer<void> ApiSession::remove(const std::string& menu, const std::string& id) {
  const Answer<ApiResult> result = run({menu + "/remove", with_id(id, {}), {}}, 0);
  if (!result.ok()) return result.error();
  return {};
}

Answer<std::vector<Row>> ApiSession::call(const Call& call) {
  Answer<ApiResult> result = run({call.command, call.attributes, {}}, call.timeout_ms);
  if (!result.ok()) return result.error();
  if (!result->done.empty()) result->rows.emplace_back(std::move(result->done));
  return std::move(result->rows);
}

Answer<void> ApiSession::upload(const std::string& name, std::string_view, const Progress&) {
  return Trouble(DeviceError{"the API takes no files; use SSH, or let the router fetch it (--upload fetch)",
                             -1, "upload of " + name});
}

}  // namespace mikroscope::routeros
