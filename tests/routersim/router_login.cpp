// Logins, sessions and uploads of a Router.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

#include "tests/routersim/menu.h"
#include "tests/routersim/router.h"
#include "tests/routersim/state.h"
#include "tests/routersim/values.h"

namespace mikroscope::routersim {
namespace {

const Row* account(const State& state, const std::string& name) {
  return state.table("/user").by("name", name);
}

bool address_allowed(const std::string& list, const std::string& from) {
  if (list.empty()) return true;
  const auto ip = parse_ip(from);
  std::size_t at = 0;
  while (at <= list.size()) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const auto prefix = parse_prefix(list.substr(at, comma - at));
    if (ip && prefix && prefix->holds(*ip)) return true;
    at = comma + 1;
  }
  return false;
}

Login refused(State& state, RequestLog& log, Via via, const std::string& name, const std::string& from,
              std::string why) {
  state.log.add("system,error,critical",
                fmt::format("login failure for user {} from {} via {}", name, from, via_name(via)));
  Logged entry;
  entry.kind = Logged::Kind::refused_login;
  entry.at_ms = state.now();
  entry.user = name;
  entry.via = via;
  entry.trap = why;
  log.add(std::move(entry));
  return {std::nullopt, std::move(why)};
}

// What is left to check once the credential was right.
Login let_in(State& state, RequestLog& log, const Row& row, Via via, const std::string& from) {
  const std::string name = row.text("name");
  User user{name, {}, via, from};
  if (const Row* group = state.table("/user/group").by("name", row.text("group")))
    user.policies = parse_policies(group->text("policy"));
  for (const std::string& policy : state.faults.no_policy) user.policies.erase(policy);
  const bool ssh = via == Via::ssh;
  if (via != Via::local && !user.may(ssh ? "ssh" : "api"))
    return refused(state, log, via, name, from, "not enough permissions (9)");
  if (ssh && row.flag("expired")) return refused(state, log, via, name, from, "user expired");
  state.log.add("system,info,account",
                fmt::format("user {} logged in from {} via {}", name, from, via_name(via)));
  Logged entry;
  entry.kind = Logged::Kind::login;
  entry.at_ms = state.now();
  entry.user = name;
  entry.via = via;
  log.add(std::move(entry));
  return {std::move(user), ""};
}

std::string wrong(const State& state) {
  return state.at_least("6.43") ? "invalid user name or password (6)" : "cannot log in";
}

std::string md5_hex(const std::string& octets) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(octets.data(), octets.size(), digest, &size, EVP_md5(), nullptr);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

bool usable(const State& state, const Row* row, const std::string& from) {
  return row != nullptr && !row->flag("disabled") && !state.faults.wrong_password &&
         address_allowed(row->text("address"), from);
}

}  // namespace

Login Router::login(Via via, const std::string& name, const std::string& password, const std::string& from) {
  const std::lock_guard hold(lock_);
  const Row* row = account(*state_, name);
  if (!usable(*state_, row, from) || row->text("password") != password)
    return refused(*state_, requests_, via, name, from, wrong(*state_));
  return let_in(*state_, requests_, *row, via, from);
}

Login Router::login_challenge(Via via, const std::string& name, const std::string& challenge,
                              const std::string& response, const std::string& from) {
  const std::lock_guard hold(lock_);
  const Row* row = account(*state_, name);
  if (!usable(*state_, row, from) ||
      response != "00" + md5_hex(std::string(1, '\0') + row->text("password") + challenge))
    return refused(*state_, requests_, via, name, from, wrong(*state_));
  return let_in(*state_, requests_, *row, via, from);
}

Login Router::login_key(const std::string& name, const std::string& blob, const std::string& from) {
  const std::lock_guard hold(lock_);
  const Row* row = account(*state_, name);
  if (!usable(*state_, row, from) || !has_key(name, blob))
    return refused(*state_, requests_, Via::ssh, name, from, wrong(*state_));
  return let_in(*state_, requests_, *row, Via::ssh, from);
}

Login Router::login_none(const std::string& name, const std::string& from) {
  const std::lock_guard hold(lock_);
  const Row* row = account(*state_, name);
  if (!usable(*state_, row, from) || !row->text("password").empty() || !ssh_password_allowed(name))
    return {std::nullopt, wrong(*state_)};  // a client tries it first: no failure worth a log line
  return let_in(*state_, requests_, *row, Via::ssh, from);
}

bool Router::ssh_password_allowed(const std::string& name) const {
  const std::lock_guard hold(lock_);
  const Row& ssh = state_->setting("/ip/ssh");
  const std::string mode = ssh.text("password-authentication");
  if (mode == "yes" || ssh.flag("always-allow-password-login")) return true;
  if (mode == "no") return false;
  return state_->table("/user/ssh-keys").by("user", name) == nullptr;
}

bool Router::has_key(const std::string& name, const std::string& blob) const {
  const std::lock_guard hold(lock_);
  for (const Row& key : state_->table("/user/ssh-keys").rows) {
    if (key.text("user") == name && key.text("blob") == blob) return true;
  }
  return false;
}

void Router::logout(const User& user) {
  const std::lock_guard hold(lock_);
  state_->log.add("system,info,account",
                  fmt::format("user {} logged out from {} via {}", user.name, user.from, via_name(user.via)));
  Logged entry;
  entry.kind = Logged::Kind::logout;
  entry.at_ms = state_->now();
  entry.user = user.name;
  entry.via = user.via;
  requests_.add(std::move(entry));
}

bool Router::admit(Via via, const std::string& from) {
  const std::lock_guard hold(lock_);
  if (state_->faults.accept_close) return false;
  const Row* service = state_->table("/ip/service").by("name", via_name(via));
  if (service == nullptr || service->flag("disabled")) return false;
  if (!address_allowed(service->text("address"), from)) return false;
  const std::string most = service->text("max-sessions");
  if (state_->sessions[via] >= (most.empty() ? 20 : std::stoll(most))) return false;
  ++state_->sessions[via];
  return true;
}

void Router::leave(Via via) {
  const std::lock_guard hold(lock_);
  --state_->sessions[via];
}

}  // namespace mikroscope::routersim
