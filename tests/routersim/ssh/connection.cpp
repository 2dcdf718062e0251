#include "tests/routersim/ssh/connection.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace mikroscope::routersim {
namespace {

std::string key_blob(ssh_key key) {
  char* text = nullptr;
  if (ssh_pki_export_pubkey_base64(key, &text) != SSH_OK) return "";
  std::string out = text;
  ssh_string_free_char(text);
  return out;
}

int coin() {
  static std::atomic<unsigned> seed{std::random_device()()};
  return static_cast<int>(std::minstd_rand(seed++)() >> 7 & 1);
}

}  // namespace

SshConnection::SshConnection(Router& router, ssh_session session, std::string from)
    : router_(router), session_(session), from_(std::move(from)) {
  callbacks_.userdata = this;
  callbacks_.auth_none_function = on_none;
  callbacks_.auth_password_function = on_password;
  callbacks_.auth_pubkey_function = on_key;
  callbacks_.channel_open_request_session_function = on_channel;
  ssh_callbacks_init(&callbacks_);
  ssh_set_server_callbacks(session_, &callbacks_);
  ssh_set_auth_methods(session_, SSH_AUTH_METHOD_NONE | SSH_AUTH_METHOD_PASSWORD | SSH_AUTH_METHOD_PUBLICKEY);
}

SshConnection::~SshConnection() {
  for (Channel& channel : channels_) {
    channel.cancelled = true;
    if (channel.worker.joinable()) channel.worker.join();
  }
  if (user_) router_.logout(*user_);
}

// --- the login ---

int SshConnection::let(const Login& login) {
  if (!login.user) return SSH_AUTH_DENIED;
  user_ = login.user;
  return SSH_AUTH_SUCCESS;
}

int SshConnection::on_none(ssh_session, const char* user, void* self) {
  auto& connection = *static_cast<SshConnection*>(self);
  return connection.let(connection.router_.login_none(user, connection.from_));
}

int SshConnection::on_password(ssh_session, const char* user, const char* password, void* self) {
  auto& connection = *static_cast<SshConnection*>(self);
  // Once the account has a key its password counts for nothing here.
  const bool allowed = connection.router_.ssh_password_allowed(user);
  return connection.let(connection.router_.login(
      Via::ssh, user, allowed ? password : std::string("\0refused", 8), connection.from_));
}

int SshConnection::on_key(ssh_session, const char* user, ssh_key_struct* key, char state, void* self) {
  auto& connection = *static_cast<SshConnection*>(self);
  const std::string blob = key_blob(key);
  // The client first asks whether a signature would be worth its while.
  if (state == SSH_PUBLICKEY_STATE_NONE)
    return connection.router_.has_key(user, blob) ? SSH_AUTH_SUCCESS : SSH_AUTH_DENIED;
  if (state != SSH_PUBLICKEY_STATE_VALID) return SSH_AUTH_DENIED;
  return connection.let(connection.router_.login_key(user, blob, connection.from_));
}

// --- channels ---

ssh_channel SshConnection::on_channel(ssh_session session, void* self) {
  auto& connection = *static_cast<SshConnection*>(self);
  if (!connection.user_) return nullptr;
  Channel& channel = connection.channels_.emplace_back();
  channel.connection = &connection;
  channel.channel = ssh_channel_new(session);
  channel.callbacks.userdata = &channel;
  channel.callbacks.channel_exec_request_function = on_exec;
  channel.callbacks.channel_subsystem_request_function = on_subsystem;
  channel.callbacks.channel_data_function = on_data;
  ssh_callbacks_init(&channel.callbacks);
  ssh_set_channel_callbacks(channel.channel, &channel.callbacks);
  return channel.channel;
}

int SshConnection::on_exec(ssh_session, ssh_channel, const char* command, void* user) {
  auto& channel = *static_cast<Channel*>(user);
  SshConnection& connection = *channel.connection;
  if (channel.worker.joinable() || channel.sftp != nullptr) return SSH_ERROR;
  channel.worker = std::thread([&channel, &connection, line = std::string(command)] {
    channel.result = console::Console(connection.router_, *connection.user_).run(line, &channel.cancelled);
    channel.done = true;
  });
  return SSH_OK;
}

int SshConnection::on_subsystem(ssh_session, ssh_channel, const char* name, void* user) {
  auto& channel = *static_cast<Channel*>(user);
  const SshConnection& connection = *channel.connection;
  if (std::string_view(name) != "sftp" || !connection.user_->may("ftp")) return SSH_ERROR;
  channel.sftp = std::make_unique<SftpServer>(connection.router_, *connection.user_);
  return SSH_OK;
}

int SshConnection::on_data(ssh_session, ssh_channel, void* data, std::uint32_t size, int is_stderr,
                           void* user) {
  auto& channel = *static_cast<Channel*>(user);
  if (channel.sftp != nullptr && is_stderr == 0) channel.in.append(static_cast<const char*>(data), size);
  return static_cast<int>(size);
}

void SshConnection::finish(Channel& channel, const Faults& faults) {
  ++requests_;
  if (faults.hang_after >= 0 && requests_ > faults.hang_after) return;  // it stays silent
  channel.out = channel.result.output;
  // What a router says after a failure is as good as thrown dice; after a success it is 0.
  channel.exit_status = faults.ssh_status_lies || channel.result.failed ? coin() : 0;
  channel.ending = true;
}

bool SshConnection::serve_channel(Channel& channel) {
  if (channel.channel == nullptr) return true;
  if (channel.worker.joinable() && channel.done) {
    channel.worker.join();
    if (channel.result.cut) return false;
    const Faults faults = router_.faults();
    if (faults.reply_delay > 0) std::this_thread::sleep_for(std::chrono::milliseconds(faults.reply_delay));
    finish(channel, faults);
  }
  if (channel.sftp != nullptr && !channel.sftp->serve(channel.in, channel.out)) return false;
  while (!channel.out.empty() && ssh_channel_is_open(channel.channel) != 0) {
    const auto size =
        std::min<std::size_t>({channel.out.size(), 32768, ssh_channel_window_size(channel.channel)});
    if (size == 0) break;
    const int sent = ssh_channel_write(channel.channel, channel.out.data(), static_cast<std::uint32_t>(size));
    if (sent <= 0) break;
    channel.out.erase(0, static_cast<std::size_t>(sent));
  }
  const bool gone = ssh_channel_is_open(channel.channel) == 0;
  const bool told = channel.ending && channel.out.empty();
  const bool left =
      channel.sftp != nullptr && ssh_channel_is_eof(channel.channel) != 0 && channel.out.empty();
  if (gone || told || left) {
    if (gone) channel.cancelled = true;
    if (!gone) {
      ssh_channel_request_send_exit_status(channel.channel, channel.exit_status);
      ssh_channel_send_eof(channel.channel);
      ssh_channel_close(channel.channel);
    }
    ssh_channel_free(channel.channel);
    channel.channel = nullptr;
    channel.sftp.reset();
  }
  return true;
}

void SshConnection::serve(const std::atomic<bool>& over) {
  const std::uint64_t boots = router_.boots();
  if (ssh_handle_key_exchange(session_) != SSH_OK) return;
  const std::unique_ptr<ssh_event_struct, decltype(&ssh_event_free)> event(ssh_event_new(), &ssh_event_free);
  ssh_event_add_session(event.get(), session_);
  while (!over && router_.boots() == boots) {
    const bool running = std::any_of(channels_.begin(), channels_.end(),
                                     [](const Channel& channel) { return channel.worker.joinable(); });
    if (ssh_event_dopoll(event.get(), running ? 2 : 20) == SSH_ERROR) break;
    if ((ssh_get_status(session_) & (SSH_CLOSED | SSH_CLOSED_ERROR)) != 0) break;
    bool cut = false;
    for (Channel& channel : channels_) cut = !serve_channel(channel) || cut;
    if (cut) break;
  }
  ssh_event_remove_session(event.get(), session_);
}

}  // namespace mikroscope::routersim
