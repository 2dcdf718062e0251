#include "routeros/ssh/console_request.h"

#include <fmt/format.h>

#include "routeros/session/console.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

// What fits into one packet of the protocol together with its head.
constexpr std::size_t kMaxLine = 32000;

DeviceError refuse(std::string message, std::string doing) {
  return {std::move(message), 1, std::move(doing)};
}

bool is_menu(std::string_view menu) {
  return menu.starts_with('/') && console_name(menu);
}

// The command as it is named in messages: without values.
std::string doing(std::string_view menu, std::string_view verb) {
  return fmt::format("{}/{}", menu, verb);
}

std::string item(std::string_view id) {
  return console_id(id) ? std::string(id) : console_octets(id);
}

// " name=\"value\"" of each; the item first.
Answer<std::string> arguments(const Attributes& attributes, const std::string& doing) {
  std::string first;
  std::string rest;
  for (const Attribute& attribute : attributes) {
    if (attribute.name == ".id") {
      first = " " + item(attribute.value);
      continue;
    }
    if (!console_name(attribute.name))
      return Trouble(refuse(fmt::format("not a name of an attribute: \"{}\"", attribute.name), doing));
    rest += fmt::format(
        " {}={}", attribute.name,
        console_wants_id(attribute.name) ? item(attribute.value) : console_octets(attribute.value));
  }
  return first + rest;
}

Answer<std::string> checked(std::string line, std::string doing) {
  if (line.size() <= kMaxLine) return line;
  return Trouble(refuse(
      fmt::format("the command is {} octets long, and a line of the console takes {}", line.size(), kMaxLine),
      std::move(doing)));
}

Answer<std::string> command(const std::string& path, const Attributes& attributes) {
  if (!is_menu(path)) return Trouble(refuse(fmt::format("not a command: \"{}\"", path), "the console"));
  Answer<std::string> words = arguments(attributes, path);
  if (!words) return words;
  return path + *words;
}

// A write, and the marker when it went through.
Answer<std::string> write(const std::string& path, const Attributes& attributes, std::string_view nonce) {
  const Answer<std::string> words = command(path, attributes);
  if (!words) return words;
  return checked(fmt::format("{}; :put \"OK:{}\"", *words, nonce), path);
}

}  // namespace

ConsoleRequests::ConsoleRequests(const Version& version)
    // Without the option, which is of 7.17, the string "7" would be printed as 7.000000; before, the word
    // alone makes the whole line a syntax error.
    : json_options_(version < Version{7, 17} ? "" : " options=json.no-string-conversion") {}

std::string ConsoleRequests::as_json(std::string_view value) const {
  return fmt::format("[:serialize to=json value=[{}]{}]", value, json_options_);
}

Answer<std::string> ConsoleRequests::list(const Print& print, std::string_view nonce) const {
  if (!is_menu(print.menu))
    return Trouble(refuse(fmt::format("not a menu: \"{}\"", print.menu), "the console"));
  std::string conditions;
  for (const Where& where : print.where) {
    if (!console_name(where.name))
      return Trouble(
          refuse(fmt::format("not a name of an attribute: \"{}\"", where.name), doing(print.menu, "print")));
    if (is_flag_condition(where)) continue;
    // An id is not a property of a row at the console: it is compared by the client.
    if (where.name == ".id") continue;
    conditions += fmt::format(" {}={}", where.name, console_octets(where.value));
  }
  // A row may go between find and get: that must not end the loop, nor pass unseen.
  return checked(fmt::format(":foreach i in=[{0}/find{1}] do={{:do {{:put (\"R{2} \" . $i . \" \" . {3})}} "
                             "on-error={{:put (\"G{2} \" . $i)}}}}; :put \"OK:{2}\"",
                             print.menu, conditions, nonce, as_json(print.menu + "/get $i")),
                 doing(print.menu, "print"));
}

Answer<std::string> ConsoleRequests::settings(const Print& print, std::string_view nonce) const {
  if (!is_menu(print.menu))
    return Trouble(refuse(fmt::format("not a menu: \"{}\"", print.menu), "the console"));
  return checked(
      fmt::format(":put (\"R{0} - \" . {1}); :put \"OK:{0}\"", nonce, as_json(print.menu + "/get")),
      doing(print.menu, "print"));
}

Answer<std::string> ConsoleRequests::add(const std::string& menu, const Attributes& attributes,
                                         std::string_view nonce) {
  const std::string path = doing(menu, "add");
  const Answer<std::string> words = command(path, attributes);
  if (!words) return words;
  return checked(fmt::format(":put (\"OK:{} \" . [{}])", nonce, *words), path);
}

Answer<std::string> ConsoleRequests::set(const std::string& menu, const std::string& id,
                                         const Attributes& attributes, std::string_view nonce) {
  Attributes all = attributes;
  if (!id.empty()) all.insert(all.begin(), {".id", id});
  return write(doing(menu, "set"), all, nonce);
}

Answer<std::string> ConsoleRequests::remove(const std::string& menu, const std::string& id,
                                            std::string_view nonce) {
  if (id.empty()) return Trouble(refuse("an item without an id cannot be removed", doing(menu, "remove")));
  return write(doing(menu, "remove"), {{".id", id}}, nonce);
}

Answer<std::string> ConsoleRequests::call(const Call& call, std::string_view nonce) const {
  // Without as-value a fetch prints how it goes, which would read as a complaint.
  if (!call.returns && call.command != "/tool/fetch") return write(call.command, call.attributes, nonce);
  const Answer<std::string> words = command(call.command, call.attributes);
  if (!words) return words;
  return checked(
      fmt::format(":put (\"R{0} - \" . {1}); :put \"OK:{0}\"", nonce, as_json(*words + " as-value")),
      call.command);
}

std::string ConsoleRequests::version(std::string_view nonce) {
  return fmt::format(":put (\"OK:{} \" . [/system/resource/get version])", nonce);
}

bool is_flag_condition(const Where& where) {
  return parse_bool(where.value).has_value();
}

}  // namespace mikroscope::routeros
