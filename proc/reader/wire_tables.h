// The tables of a packed stream: the sender's, in its order and anew for each instance, and those that
// callers see, which only ever grow. Rows are mapped by key from one to the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "proc/reader/host_layout.h"

namespace mikroscope::proc {

class WireTables {
 public:
  enum class Adoption { kept, adopted, damaged };  // kept: it is the one that is known, with its rows

  // A schema record. After `adopted` nothing that was made for wire() before may be used.
  Adoption read_schema(std::string_view payload);
  // A rows record; nullptr, or what is wrong with it.
  const char* read_rows(std::string_view payload);
  // The sender began again: the tables stay (a reply may leave the schema out where its hash is known), rows
  // are numbered anew. Like `adopted`.
  void renew();

  bool known() const { return wire_ != nullptr; }
  // The sender's; empty until a schema came.
  const Layout& wire() const;
  // Changes whenever slots of wire() moved.
  std::uint64_t generation() const { return wire_ ? wire_->generation() : 0; }
  const Layout& local() const { return local_.layout(); }
  std::uint32_t local_table(std::uint32_t table) const { return table_map_[table]; }
  std::uint32_t local_row(std::uint32_t table, std::uint32_t row) const { return row_map_[table][row]; }

 private:
  void adopt(std::unique_ptr<HostLayout> fresh);
  std::uint32_t find_or_add(const Schema& schema);

  std::unique_ptr<HostLayout> wire_;
  HostLayout local_;
  std::vector<std::uint32_t> table_map_;             // wire table -> local table
  std::vector<std::vector<std::uint32_t>> row_map_;  // wire table, wire row -> local row
};

}  // namespace mikroscope::proc
