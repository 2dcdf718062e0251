// The server's side of SFTP version 3 on the router's files: enough for sftp(1), scp(1) and libraries.
//
// As on a router: permissions and times are accepted and forgotten, extensions are not known, a leading slash
// means the root of the files, and directories are only what paths make them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/routersim/router.h"

namespace mikroscope::routersim {

class SftpServer {
 public:
  SftpServer(Router& router, User user) : router_(router), user_(std::move(user)) {}

  // Takes whole packets from the front of `in`, and appends the answers to `out`. False: the connection is
  // cut now, by a fault or for what is no SFTP.
  bool serve(std::string& in, std::string& out);

 private:
  struct Handle {
    std::unique_ptr<Upload> upload;
    std::string path;
    std::string contents;              // of a file that is read
    std::vector<std::string> listing;  // of a directory, not yet told
    bool told = false;                 // "." and ".." were
  };
  struct Entry {
    bool directory = false;
    std::uint64_t size = 0;
  };

  bool packet(std::string_view body, std::string& out);
  std::string open(std::uint32_t id, const std::string& path, std::uint32_t flags);
  bool write(std::uint32_t id, const std::string& handle, std::uint64_t offset, const std::string& bytes,
             std::string& out);
  std::string read(std::uint32_t id, const std::string& handle, std::uint64_t offset, std::uint32_t size);
  std::string close(std::uint32_t id, const std::string& handle);
  std::string open_directory(std::uint32_t id, const std::string& path);
  std::string read_directory(std::uint32_t id, const std::string& handle);
  std::string remove(std::uint32_t id, const std::string& path);
  std::string attributes(std::uint32_t id, const std::string& path);

  std::optional<Entry> find(const std::string& path) const;
  std::string keep(std::uint32_t id, Handle handle);

  Router& router_;
  User user_;
  std::map<std::string, Handle> handles_;
  std::uint64_t next_handle_ = 1;
};

}  // namespace mikroscope::routersim
