#include "tests/routersim/api/connection.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <chrono>

namespace mikroscope::routersim {
namespace {

constexpr std::size_t kMostBeforeLogin = 64 * 1024;

struct Parsed {
  std::string command;
  Attributes words;
  std::vector<std::string> query;
  std::string tag;
};

Parsed parse(const Sentence& sentence) {
  Parsed parsed;
  parsed.command = sentence.front();
  for (std::size_t i = 1; i < sentence.size(); ++i) {
    const std::string& word = sentence[i];
    if (word.rfind(".tag=", 0) == 0) {
      parsed.tag = word.substr(5);
    } else if (word.rfind('?', 0) == 0) {
      parsed.query.push_back(word);
    } else if (word.rfind('=', 0) == 0) {
      const std::size_t equals = word.find('=', 1);
      parsed.words.append(word.substr(1, equals == std::string::npos ? equals : equals - 1),
                          equals == std::string::npos ? "" : word.substr(equals + 1));
    }
  }
  return parsed;
}

void pause(std::int64_t ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

std::string hex(const std::string& octets) {
  std::string text;
  for (const char c : octets) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

Connection::~Connection() {
  for (Job& job : jobs_) job.cancelled = true;
  reap(true);
  if (user_) router_.logout(*user_);
}

void Connection::reap(bool all) {
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    if (all || it->over) {
      it->thread.join();
      it = jobs_.erase(it);
    } else {
      ++it;
    }
  }
}

void Connection::serve(const std::atomic<bool>& over) {
  const std::uint64_t boot = router_.boots();
  Reader reader;
  std::size_t received = 0;
  while (!over && !closed_) {
    if (router_.boots() != boot) {
      stream_.reset();
      break;
    }
    std::string octets;
    const int got = stream_.read(octets, 20);
    if (got < 0) break;
    reap(false);
    if (got == 0) continue;
    if (router_.faults().http_on_port) {
      stream_.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      break;
    }
    received += octets.size();
    if (!user_ && received > kMostBeforeLogin) break;
    reader.feed(octets);
    while (auto sentence = reader.next()) {
      const Faults faults = router_.faults();
      if (faults.hang_after >= 0 && requests_ >= faults.hang_after) continue;
      ++requests_;
      handle(*sentence);
      if (closed_) return;
    }
    if (reader.broken()) break;
  }
}

void Connection::handle(const Sentence& sentence) {
  Parsed parsed = parse(sentence);
  if (parsed.command == "/login") return login(parsed.words, parsed.tag);
  if (parsed.command == "/quit") return fatal("session terminated on request");
  if (!user_) return fatal("not logged in");
  if (parsed.command == "/cancel") return cancel(parsed.words, parsed.tag);

  const std::size_t slash = parsed.command.rfind('/');
  if (slash == std::string::npos)
    return send(trap({"no such command", 0}, parsed.tag) + reply("!done", {}, parsed.tag), nullptr);
  Request request;
  request.menu = parsed.command.substr(0, slash);
  request.verb = parsed.command.substr(slash + 1);
  request.attributes = std::move(parsed.words);
  request.query = std::move(parsed.query);
  if (router_.faults().hang_menu.contains(request.menu)) return;
  const bool long_lived = request.verb == "listen" || request.verb == "fetch" ||
                          router_.faults().interleave || router_.faults().reply_delay > 0;
  if (parsed.tag.empty() || !long_lived) return run(request, parsed.tag, nullptr);
  Job& job = jobs_.emplace_back();
  job.tag = parsed.tag;
  job.thread = std::thread([this, request, &job] {
    run(request, job.tag, &job);
    job.over = true;
  });
}

void Connection::login(const Attributes& words, const std::string& tag) {
  const bool legacy = !router_.at_least("6.43") || router_.faults().legacy_login;
  Login result;
  if (words.has("response")) {
    result = router_.login_challenge(via_, words.text("name"), challenge_, words.text("response"), from_);
    challenge_.clear();
  } else if (legacy) {
    challenge_.resize(16);
    RAND_bytes(reinterpret_cast<unsigned char*>(challenge_.data()), 16);
    return send(reply("!done", {{"ret", hex(challenge_)}}, tag), nullptr);
  } else if (!words.has("name")) {
    return send(reply("!done", {}, tag), nullptr);  // and nobody is logged in
  } else {
    result = router_.login(via_, words.text("name"), words.text("password"), from_);
  }
  if (result.user) {
    user_ = result.user;
    return send(reply("!done", {}, tag), nullptr);
  }
  send(trap({result.refusal, -1}, tag) + reply("!done", {}, tag), nullptr);
}

void Connection::cancel(const Attributes& words, const std::string& tag) {
  const std::string wanted = words.text("tag");
  std::string interrupted;
  std::string done;
  bool found = false;
  for (Job& job : jobs_) {
    if (job.over || job.cancelled) continue;
    // `=.tag=` is a common mistake: it names nothing, and nothing is cancelled.
    if (words.has("tag") ? job.tag != wanted : words.has(".tag")) continue;
    {
      const std::lock_guard hold(writing_);  // from here on the job sends nothing
      job.cancelled = true;
    }
    found = true;
    interrupted += trap({"interrupted", 2}, job.tag);
    done += reply("!done", {}, job.tag);
  }
  if (words.has("tag") && !found) interrupted += trap({"no such item", 0}, tag);
  const std::string own = reply("!done", {}, tag);
  send(router_.faults().cancel_done_first ? own + interrupted + done : interrupted + own + done, nullptr);
}

void Connection::run(const Request& request, const std::string& tag, Job* job) {
  Request whole = request;
  if (job != nullptr) whole.cancelled = &job->cancelled;
  const Outcome outcome = router_.execute(*user_, whole);
  if (outcome.quit) return fatal("session terminated");
  if (outcome.cut) {
    closed_ = true;
    stream_.reset();
    return;
  }
  if (request.verb == "listen" && outcome.ok() && job != nullptr) return listen(request.menu, tag, *job);
  answer(request, outcome, tag, job);
}

// A changed row comes again whole, a removed one as dead.
void Connection::listen(const std::string& menu, const std::string& tag, Job& job) {
  std::map<std::string, Row> known;
  for (const Row& row : router_.rows(menu)) known[row.text(".id")] = row;
  while (!job.cancelled && !closed_) {
    pause(20);
    std::map<std::string, Row> now;
    for (const Row& row : router_.rows(menu)) now[row.text(".id")] = row;
    for (const auto& [id, row] : now) {
      const auto old = known.find(id);
      if (old == known.end() || !(old->second == row)) send(reply("!re", row, tag), &job);
    }
    for (const auto& [id, row] : known) {
      if (!now.contains(id)) send(reply("!re", {{".id", id}, {".dead", "true"}}, tag), &job);
    }
    known = std::move(now);
  }
}

void Connection::answer(const Request& request, const Outcome& outcome, const std::string& tag, Job* job) {
  const Faults faults = router_.faults();
  for (std::int64_t waited = 0;
       waited < faults.reply_delay && !closed_ && (job == nullptr || !job->cancelled); waited += 10)
    pause(10);
  std::string octets;
  const auto put = [&](const std::string& sentence) {
    if (faults.interleave && job != nullptr) {
      send(sentence, job);
      pause(2);
    } else {
      octets += sentence;
    }
  };
  if (faults.unknown_reply) put(reply("!later", {{"message", "of no known kind"}}, tag));
  for (const Row& row : outcome.rows) put(reply("!re", row, tag));
  if (!outcome.printed.empty()) put(reply("!re", {{".about", outcome.printed}}, tag));
  for (const Trap& what : outcome.traps) put(trap(what, tag));
  const bool reads = request.verb == "print" || request.verb == "getall";
  const bool nothing = outcome.rows.empty() && outcome.ok() && !outcome.ret && outcome.printed.empty();
  if (reads && nothing && router_.at_least("7.18") && !router_.config().no_empty)
    put(reply("!empty", {}, tag));
  Attributes done;
  if (outcome.ret) done.put("ret", *outcome.ret);
  put(reply("!done", done, tag));
  if (!octets.empty()) send(octets, job);
}

std::string Connection::reply(std::string kind, const Attributes& words, const std::string& tag) {
  const Faults faults = router_.faults();
  Sentence sentence{std::move(kind)};
  if (!tag.empty() && faults.tag_first) sentence.push_back(".tag=" + tag);
  for (const auto& [name, value] : words)
    sentence.push_back("=" + name + (faults.bare_words && value.empty() ? "" : "=" + value));
  if (!tag.empty() && !faults.tag_first) sentence.push_back(".tag=" + tag);
  return (faults.empty_sentences ? std::string(1, '\0') : std::string()) + encode(sentence);
}

std::string Connection::trap(const Trap& what, const std::string& tag) {
  Attributes words;
  if (what.category >= 0) words.put("category", std::to_string(what.category));
  words.put("message", what.message);
  return reply("!trap", words, tag);
}

void Connection::send(const std::string& octets, Job* job) {
  const std::lock_guard hold(writing_);
  if (closed_ || (job != nullptr && job->cancelled)) return;
  const Faults faults = router_.faults();
  ++replies_;
  const auto break_off = [&](std::string_view last) {
    stream_.write(last);
    closed_ = true;
  };
  if (replies_ == faults.reset_in_reply) {
    break_off(std::string_view(octets).substr(0, octets.size() / 2));
    return stream_.reset();
  }
  if (replies_ == faults.control_octet) {
    stream_.write("\xF8");
    return;
  }
  if (replies_ == faults.huge_length) {
    stream_.write(std::string_view("\xF0\x80\x00\x00\x00", 5));
    stream_.write("some octets of it");
    return;
  }
  if (!faults.octet_writes) {
    if (!stream_.write(octets)) closed_ = true;
    return;
  }
  for (const char octet : octets) {
    if (!stream_.write(std::string_view(&octet, 1))) closed_ = true;
  }
}

void Connection::fatal(const std::string& why) {
  // The reason is a bare word.
  const std::lock_guard hold(writing_);
  stream_.write(encode({"!fatal", why}));
  closed_ = true;
}

}  // namespace mikroscope::routersim
