#include "routeros/ssh/login.h"

#include <fmt/format.h>
#include <libssh/callbacks.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/host/files.h"

namespace mikroscope::routeros {
namespace {

// With strong-crypto a router may offer nothing but the group exchange. Cheap ones for a router first.
constexpr const char kKeyExchanges[] =
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,ecdh-sha2-nistp521,"
    "diffie-hellman-group14-sha256,diffie-hellman-group-exchange-sha256,diffie-hellman-group16-sha512,"
    "diffie-hellman-group18-sha512";
constexpr const char kSignatures[] =
    "ssh-ed25519,rsa-sha2-256,rsa-sha2-512,ecdsa-sha2-nistp256,"
    "ecdsa-sha2-nistp384,ecdsa-sha2-nistp521";

struct FreeKey {
  void operator()(ssh_key key) const { ssh_key_free(key); }
};
using Key = std::unique_ptr<ssh_key_struct, FreeKey>;

LostConnection refused(std::string what, std::string fix) {
  return {std::move(what), std::move(fix), base::Exit::auth};
}

std::string account(const SshTarget& target) {
  return fmt::format("{}@{}", target.user, target.host);
}

// Hands the passphrase of a key file to libssh, and keeps why there is none.
struct Passphrase {
  const SshTarget& target;
  const std::string& file;
  bool wanted = false;
  base::Error failure;
};

int give_passphrase(const char*, char* buffer, std::size_t size, int, int, void* user) {
  auto& passphrase = *static_cast<Passphrase*>(user);
  passphrase.wanted = true;
  if (!passphrase.target.ask) return -1;
  const base::Result<std::string> answer = passphrase.target.ask("passphrase of " + passphrase.file);
  if (!answer) {
    passphrase.failure = answer.error();
    return -1;
  }
  if (answer->size() + 1 > size) return -1;
  std::memcpy(buffer, answer->c_str(), answer->size() + 1);
  return 0;
}

base::Result<Key, LostConnection> read_key(const SshTarget& target, const std::string& path) {
  Passphrase passphrase{target, path, false, {}};
  ssh_key key = nullptr;
  const int result = ssh_pki_import_privkey_file(path.c_str(), nullptr, give_passphrase, &passphrase, &key);
  if (result == SSH_OK) return Key(key);
  const std::string file = fmt::format("the SSH key {}", path);
  if (!passphrase.failure.what.empty())
    return LostConnection{passphrase.failure.what, passphrase.failure.fix, passphrase.failure.exit};
  if (result == SSH_EOF)
    return LostConnection{file + " cannot be read", "check the path and its permissions", base::Exit::usage};
  if (passphrase.wanted)
    return refused(file + (target.ask ? " did not open with that passphrase" : " has a passphrase"),
                   "load it into an ssh-agent with `ssh-add` and name no key file, or use a key without a "
                   "passphrase");
  return LostConnection{file + " is not a private key of a known kind",
                        "name the private key (ed25519 or rsa), not the .pub file", base::Exit::usage};
}

class Login {
 public:
  Login(SshLink& link, const SshTarget& target, const Wait& wait)
      : link_(link), target_(target), wait_(wait) {}

  Lost run() {
    Lost lost = step([this] { return ssh_userauth_none(link_.session(), nullptr); });
    if (lost || in_) return lost;
    methods_ = ssh_userauth_list(link_.session(), nullptr);
    if (lost = keys(); lost || in_) return lost;
    if (lost = password(); lost || in_) return lost;
    return refused(summary(), fix());
  }

 private:
  // One method; in_ when it let us in.
  template <class Try>
  Lost step(Try attempt) {
    int result = SSH_AUTH_ERROR;
    if (Lost lost = link_.repeat(attempt, SSH_AUTH_AGAIN, wait_, "the login", result)) return lost;
    in_ = result == SSH_AUTH_SUCCESS;
    if (result != SSH_AUTH_ERROR) return {};
    if (ssh_is_connected(link_.session()) != 0) {
      // The method could not be tried, for a reason on our side.
      tried_.push_back(link_.reason());
      return {};
    }
    tried_.push_back("the router closed the connection: " + link_.reason());
    return refused(summary(), fix());
  }

  Lost keys() {
    if (!target_.key_file.empty()) return key_of(target_.key_file);
    if (target_.use_agent) {
      const std::size_t before = tried_.size();
      Lost lost = step([this] { return ssh_userauth_agent(link_.session(), nullptr); });
      if (lost || in_) return lost;
      if (tried_.size() == before) tried_.emplace_back("no key of an ssh-agent was accepted");
    }
    if (target_.key_directory.empty()) return {};
    for (const char* name : {"/id_ed25519", "/id_rsa"}) {
      const std::string file = target_.key_directory + name;
      if (!base::exists(file)) continue;
      if (Lost lost = key_of(file); lost || in_) return lost;
    }
    return {};
  }

  // A key that was named must be readable; one that merely lies there is passed over.
  Lost key_of(const std::string& file) {
    const bool named = !target_.key_file.empty();
    base::Result<Key, LostConnection> key = read_key(target_, file);
    if (!key && (named || key.error().exit == base::Exit::interrupted)) return key.error();
    if (!key) {
      tried_.push_back(key.error().what);
      return {};
    }
    wait_ = within(target_.timeout_ms, -1);  // somebody may have typed a passphrase
    const std::size_t before = tried_.size();
    Lost lost = step([&] { return ssh_userauth_publickey(link_.session(), nullptr, key->get()); });
    if (lost || in_ || tried_.size() != before) return lost;
    key_refused_ = true;
    tried_.push_back(fmt::format("the key {} was refused", file));
    const std::string reason = link_.reason();
    if (reason.find("not allowed") != std::string::npos) tried_.back() += " (" + reason + ")";
    return {};
  }

  Lost password() {
    const bool plain = (methods_ & SSH_AUTH_METHOD_PASSWORD) != 0;
    const bool interactive = (methods_ & SSH_AUTH_METHOD_INTERACTIVE) != 0;
    if (!target_.password && !target_.ask) {
      tried_.emplace_back("no password was at hand");
      return {};
    }
    if (methods_ != 0 && !plain && !interactive) {
      password_refused_ = true;
      tried_.emplace_back("the router takes no password for this account");
      return {};
    }
    std::string password;
    if (target_.password) {
      password = *target_.password;
    } else {
      const base::Result<std::string> answer = target_.ask("password of " + account(target_));
      if (!answer) return LostConnection{answer.error().what, answer.error().fix, answer.error().exit};
      password = *answer;
      wait_ = within(target_.timeout_ms, -1);  // typing takes its time
    }
    const std::size_t before = tried_.size();
    Lost lost = plain || methods_ == 0
                    ? step([&] { return ssh_userauth_password(link_.session(), nullptr, password.c_str()); })
                    : answer_prompts(password);
    if (!lost && !in_ && tried_.size() == before) {
      password_refused_ = true;
      tried_.emplace_back("the password was refused");
    }
    return lost;
  }

  // keyboard-interactive: the password to the one hidden question.
  Lost answer_prompts(const std::string& password) {
    bool answered = false;
    return step([&, this] {
      int result = ssh_userauth_kbdint(link_.session(), nullptr, nullptr);
      while (result == SSH_AUTH_INFO) {
        const int prompts = ssh_userauth_kbdint_getnprompts(link_.session());
        if (prompts > 1 || (prompts == 1 && answered)) return static_cast<int>(SSH_AUTH_DENIED);
        if (prompts == 1) {
          if (ssh_userauth_kbdint_setanswer(link_.session(), 0, password.c_str()) < 0)
            return static_cast<int>(SSH_AUTH_ERROR);
          answered = true;
        }
        result = ssh_userauth_kbdint(link_.session(), nullptr, nullptr);
      }
      return result;
    });
  }

  std::string summary() const {
    return fmt::format("the login by SSH as {} was refused: {}", target_.user, fmt::join(tried_, "; "));
  }
  std::string fix() const {
    if (password_refused_)
      return "check the password; as soon as an account has an SSH key on the router, RouterOS refuses its "
             "password over SSH: name the key with --ssh-key, use --via api-ssl, or on the router "
             "`/ip/ssh/set "
             "always-allow-password-login=yes` (from 7.21: `password-authentication=yes`)";
    if (key_refused_)
      return fmt::format(
          "import its public half on the router: `/user/ssh-keys/import public-key-file=NAME.pub user={}`",
          target_.user);
    return "give a password (MIKROSCOPE_PASSWORD or a file) or a key (--ssh-key), or load one into the "
           "ssh-agent";
  }

  SshLink& link_;
  const SshTarget& target_;
  Wait wait_;
  int methods_ = 0;
  bool in_ = false;
  bool key_refused_ = false;
  bool password_refused_ = false;
  std::vector<std::string> tried_;
};

LostConnection no_handshake(const SshLink& link) {
  const std::string reason = link.reason();
  const auto says = [&reason](std::string_view text) { return reason.find(text) != std::string::npos; };
  std::string fix = "check that this is the router's ssh port";
  if (says("no match for method")) {
    fix = says("ssh-rsa")
              ? "this router signs with SHA-1 only: allow that with --ssh-rsa, or on the router `/ip/ssh/set "
                "host-key-type=ed25519` and `/ip/ssh/regenerate-host-key`"
              : "router and client have no algorithm in common: upgrade RouterOS";
  } else if (says("disconnected") || says("closed") || says("reset")) {
    fix =
        "the router let the connection in and closed it: this machine may be missing in the address list of "
        "`/ip/service` ssh, or all of its sessions are in use";
  }
  return {"no SSH connection: " + reason, std::move(fix), base::Exit::failed};
}

}  // namespace

Lost handshake(SshLink& link, const SshTarget& target, const Wait& wait) {
  ssh_session session = link.session();
  const bool no = false;
  const std::string signatures = std::string(kSignatures) + (target.allow_ssh_rsa ? ",ssh-rsa" : "");
  // The user's configuration could run commands (ProxyCommand, Match exec).
  const bool set = ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &no) == 0 &&
                   ssh_options_set(session, SSH_OPTIONS_HOST, target.host.c_str()) == 0 &&
                   ssh_options_set(session, SSH_OPTIONS_USER, target.user.c_str()) == 0 &&
                   ssh_options_set(session, SSH_OPTIONS_KEY_EXCHANGE, kKeyExchanges) == 0 &&
                   ssh_options_set(session, SSH_OPTIONS_HOSTKEYS, signatures.c_str()) == 0 &&
                   ssh_options_set(session, SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, signatures.c_str()) == 0;
  if (!set) return LostConnection{"libssh refused a setting: " + link.reason(), "", base::Exit::failed};
  int result = 0;
  if (Lost lost =
          link.repeat([&] { return ssh_connect(session); }, SSH_AGAIN, wait, "the SSH greeting", result))
    return lost;
  if (result != SSH_OK) return no_handshake(link);
  return {};
}

base::Result<HostKey, LostConnection> host_key(const SshLink& link) {
  ssh_key raw = nullptr;
  if (ssh_get_server_publickey(link.session(), &raw) != SSH_OK) return link.broken("the host key");
  const Key key(raw);
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  if (ssh_get_publickey_hash(key.get(), SSH_PUBLICKEY_HASH_SHA256, &hash, &size) != 0)
    return link.broken("the host key");
  char* const text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
  HostKey out{ssh_key_type_to_char(ssh_key_type(key.get())), text == nullptr ? "" : text};
  ssh_string_free_char(text);
  ssh_clean_pubkey_hash(&hash);
  return out;
}

Lost authenticate(SshLink& link, const SshTarget& target, const Wait& wait) {
  return Login(link, target, wait).run();
}

}  // namespace mikroscope::routeros
