#include "agent/service.h"

#include <cstring>

#include "agent/json.h"
#include "base/clock.h"
#include "base/text.h"

namespace mikroscope::agent {
namespace {

constexpr std::string_view kIndex =
    "mikroscope-agent: samples of this machine's kernel counters\n"
    "\n"
    "GET    /healthz                      is it alive\n"
    "GET    /capabilities                 machine, sources, tables, settings\n"
    "GET    /sampler                      what sampling costs, ring, captures\n"
    "GET    /samples?since=S|oldest|newest  samples after S; also last=N, max=M, wait=MS, min=N, instance=I, "
    "totals=1, bytes=N\n"
    "GET    /stream?since=S|oldest|newest   the same without end; default newest\n"
    "GET    /captures                     what triggers kept\n"
    "GET    /captures/ID                  one capture\n"
    "DELETE /captures/ID\n"
    "POST   /capture?reason=TEXT          keeps the samples around now\n"
    "\n"
    "With a token set, all but /healthz want 'Authorization: Bearer TOKEN'.\n";

struct Route {
  std::string_view path;
  bool get;
  bool post;
  bool del;
  std::string_view allow;  // header line for 405
};

constexpr std::string_view kAllowGet = "Allow: GET, HEAD\r\n";
constexpr Route kRoutes[] = {
    {"/", true, false, false, kAllowGet},
    {"/healthz", true, false, false, kAllowGet},
    {"/capabilities", true, false, false, kAllowGet},
    {"/sampler", true, false, false, kAllowGet},
    {"/samples", true, false, false, kAllowGet},
    {"/stream", true, false, false, kAllowGet},
    {"/captures", true, false, false, kAllowGet},
    {"/capture", false, true, false, "Allow: POST\r\n"},
};
constexpr std::string_view kCapturePrefix = "/captures/";
constexpr Route kCaptureRoute = {kCapturePrefix, true, false, true, "Allow: GET, HEAD, DELETE\r\n"};

const Route* find_route(std::string_view path) {
  for (const Route& route : kRoutes) {
    if (route.path == path) return &route;
  }
  return path.starts_with(kCapturePrefix) ? &kCaptureRoute : nullptr;
}

bool allowed(const Route& route, Method method) {
  switch (method) {
    case Method::get:
    case Method::head:
      return route.get;
    case Method::post:
      return route.post;
    case Method::del:
      return route.del;
    case Method::other:
      return false;
  }
  return false;
}

void write_histogram(Json& json, Name name, const Histogram& h) {
  json.open('{', name);
  json.open('[', "counts");
  for (const std::uint32_t n : h.counts) json.number({}, n);
  json.close(']');
  json.print(R"("most_ns":%d)", h.most_ns);
  json.close('}');
}

constexpr char kBadBytes[] = "bytes must be 1024..48000";

// NDJSON, packed or packed as text, and how much of it; false: a bad bound.
bool packed_form(const Request& request, bool text_too, Response& response) {
  SampleQuery& q = response.query;
  q.text = text_too && accepts(request.accept, proc::kFramesTextMediaType);
  q.packed = q.text || accepts(request.accept, proc::kFramesMediaType);
  response.content_type = q.text     ? proc::kFramesTextMediaType
                          : q.packed ? proc::kFramesMediaType
                                     : proc::kNdjsonMediaType;
  if (!q.packed) return true;
  if (q.text) q.bytes = kMostBytes;
  return query_number(request.query, "bytes", kLeastBytes, kMostBytes, q.bytes) >= 0;
}

}  // namespace

void refuse(Response& response, std::uint16_t status, const char* message, base::Writer& body) {
  body.rewind(0);
  response.status = status;
  response.kind = ReplyKind::plain;
  response.content_type = "text/plain; charset=utf-8";
  body.put(std::string_view(message));
  body.put('\n');
}

void Service::handle(const Request& request, Response& response, base::Writer& body) {
  const Route* const route = find_route(request.path);
  if (route == nullptr) return refuse(response, 404, "no such path; GET / lists them", body);
  if (!allowed(*route, request.method)) {
    refuse(response, 405, "this path does not take that method", body);
    response.extra = route->allow;
    return;
  }
  const bool known = config->token.empty() || token_matches(request.authorization, config->token);
  if (request.path == "/healthz") return healthz(known, body);
  if (!known) {
    refuse(response, 401, "token required: send 'Authorization: Bearer TOKEN'", body);
    response.extra = "WWW-Authenticate: Bearer\r\n";
    return;
  }
  if (request.path == "/") {
    response.content_type = "text/plain; charset=utf-8";
    body.put(kIndex);
  } else if (request.path == "/capabilities") {
    write_capabilities(*this, body);
  } else if (request.path == "/sampler") {
    sampler_report(body);
  } else if (request.path == "/samples") {
    samples(request, false, response, body);
  } else if (request.path == "/stream") {
    samples(request, true, response, body);
  } else if (request.path == "/captures") {
    if (!captures->enabled()) return refuse(response, 404, "captures are off (CAPTURE_MB=0)", body);
    captures_index(body);
  } else if (request.path == "/capture") {
    capture_now(request, response, body);
  } else {
    capture_by_id(request, response, body);
  }
}

void Service::healthz(bool full, base::Writer& out) const {
  Json json(out);
  json.open('{');
  json.print(R"("ok":true,"seq":%u)", store->ring.newest());
  if (full) {
    json.print(
        R"("oldest_seq":%u,"wall_ns":%d,"boot_ns":%d,"uptime_s":%t,"rate_hz":%u,"missed":%u,"version":%j)",
        store->ring.oldest(), base::wall_ns(), base::boot_ns(),
        (base::monotonic_ns() - started_monotonic_ns) / 1000000, config->rate_hz, sampler->stats().missed,
        kVersion);
    if (!facts->board.empty()) json.text("board", facts->board);
    json.text("instance", facts->instance);
    if (!facts->boot_id.empty()) json.text("boot_id", facts->boot_id);
    base::Writer& hash = json.value("schema");
    hash.put('"');
    hash.hex32(store->schema_hash);
    hash.put('"');
  }
  json.close('}');
  out.put('\n');
}

void Service::sampler_report(base::Writer& out) const {
  const SamplerStats& s = sampler->stats();
  const Ring& ring = store->ring;
  Json json(out);
  json.open('{');
  json.print(
      R"("ticks":%u,"missed":%u,"slipped":%u,"clock_steps":%u,"samples_lost":%u,"events_lost":%u,"rows_refused":%u)",
      s.ticks, s.missed, s.slipped, s.clock_steps, store->recorder->samples_lost(),
      store->recorder->events_lost(), store->layout->rows_refused);
  json.print(R"("cpu_ns":%d)", base::process_cpu_ns());
  json.open('[', "bounds_us");
  for (const std::uint32_t bound : kDurationBounds_us) json.number({}, bound);
  json.close(']');
  write_histogram(json, "wake", s.wake);
  write_histogram(json, "read", s.read);
  json.open('{', "sources");
  for (const SourceState& source : sampler->sources()) {
    json.open('{', source.def->name);
    json.print(R"("status":%j,"reads":%u,"failures":%u)", proc::read_status_name(source.status), source.reads,
               source.failures);
    write_histogram(json, "read", source.read_time);
    json.close('}');
  }
  json.close('}');
  json.print(
      R"("ring":{"bytes":%u,"budget_bytes":%u,"samples":%u,"promised_samples":%u,"span_s":%t,"cut_short":%u,)"
      R"("oldest_seq":%u,"newest_seq":%u})",
      ring.bytes(), memory.ring_bytes, ring.held(), ring.keep_frames(),
      static_cast<std::int64_t>(ring.held() * 1000 / config->rate_hz), ring.cut_short(), ring.oldest(),
      ring.newest());
  json.print(
      R"("server":{"open":%u,"accepted":%u,"requests":%u,"refused":%u,"timed_out":%u,"sent_bytes":%u})",
      counts.open, counts.accepted, counts.requests, counts.refused, counts.timed_out, counts.sent_bytes);
  json.open('{', "triggers");
  for (const Trigger& t : triggers->all()) {
    json.print(R"(%j:{"fired":%u,"suppressed":%u})", t.text, t.fired, t.suppressed);
  }
  json.close('}');
  if (captures->enabled()) {
    const CaptureCounts& c = captures->counts();
    json.print(
        R"("captures":{"held":%u,"bytes":%u,"budget_bytes":%u,"served_bytes":%u,"extended":%u,"evicted":%u,)"
        R"("manual":%u,"refused":{"budget":%u,"empty":%u,"refractory":%u}})",
        captures->held(), captures->bytes(), captures->budget(), c.served_bytes, c.extended, c.evicted,
        c.manual, c.refused_budget, c.refused_empty, c.suppressed_manual);
  }
  json.close('}');
  out.put('\n');
}

void Service::captures_index(base::Writer& out) const {
  Json json(out);
  json.open('{');
  json.print(R"("policy":%j,"budget_bytes":%u,"bytes":%u)", config->capture_policy, captures->budget(),
             captures->bytes());
  if (captures->pending() != nullptr) json.number("pending", captures->pending()->id);
  json.open('[', "captures");
  // In the order of their ids, which places in memory do not keep.
  std::uint64_t last = 0;
  for (;;) {
    const Capture* next = nullptr;
    for (const Capture& c : captures->all()) {
      if (c.id > last && (next == nullptr || c.id < next->id)) next = &c;
    }
    if (next == nullptr) break;
    write_capture(*next, json.value());
    last = next->id;
  }
  json.close(']');
  json.open('[', "triggers");
  for (const Trigger& t : triggers->all()) {
    json.open('{');
    json.text("name", t.text);
    if (!t.def->comparison.empty()) put_scaled(t.threshold, json.value("threshold"));
    json.close('}');
  }
  json.close(']');
  json.close('}');
  out.put('\n');
}

void Service::samples(const Request& request, bool endless, Response& response, base::Writer& body) const {
  const Ring& ring = store->ring;
  SampleQuery& q = response.query;
  q.endless = endless;
  if (!packed_form(request, !endless, response)) return refuse(response, 400, kBadBytes, body);
  char text[40];
  std::size_t size = 0;
  std::uint64_t number = 0;
  const int has_since = query_value(request.query, "since", text, sizeof text, size);
  const std::string_view since(text, size);
  const int has_last = query_number(request.query, "last", 1, UINT64_MAX, number);
  if (has_last < 0) return refuse(response, 400, "last must be a whole number of samples, at least 1", body);
  if (has_last > 0) {
    if (has_since != 0) return refuse(response, 400, "give since or last, not both", body);
    q.since = number < ring.held() ? ring.newest() - number : ring.held() == 0 ? 0 : ring.oldest() - 1;
  } else if ((has_since == 0 && endless) || (has_since > 0 && since == "newest")) {
    q.since = ring.newest();
  } else if (has_since != 0 && since != "oldest") {
    if (has_since < 0 || since.find_first_not_of("0123456789") != std::string_view::npos ||
        !base::parse_u64(since, q.since)) {
      return refuse(response, 400, "since must be a sequence number, oldest or newest", body);
    }
    q.all_rows = q.since == 0;
    const int has_instance = query_value(request.query, "instance", q.previous, sizeof q.previous - 1, size);
    q.previous[size] = '\0';
    if (has_instance < 0)
      return refuse(response, 400, "instance must be what Mikroscope-Instance said", body);
    const bool other = has_instance > 0 && std::string_view(q.previous, size) != facts->instance;
    if (other || q.since > ring.newest()) {
      q.restarted = true;
      q.since = 0;
      q.all_rows = true;
    }
  }
  if (query_number(request.query, "max", 1, UINT64_MAX, q.most) < 0) {
    return refuse(response, 400, "max must be a whole number of samples, at least 1", body);
  }
  constexpr std::uint64_t kMostWait_ms = 60000;
  if (query_number(request.query, "wait", 0, kMostWait_ms, response.wait_ms) < 0) {
    return refuse(response, 400, "wait must be milliseconds, 0..60000", body);
  }
  if (query_number(request.query, "min", 1, UINT64_MAX, response.least) < 0) {
    return refuse(response, 400, "min must be a whole number of samples, at least 1", body);
  }
  std::uint64_t flag = 0;
  if (query_number(request.query, "totals", 0, 1, flag) < 0)
    return refuse(response, 400, "totals must be 0 or 1", body);
  q.totals = flag == 1;
  flag = 0;
  if (query_number(request.query, "cont", 0, 1, flag) < 0)
    return refuse(response, 400, "cont must be 0 or 1", body);
  q.continuing = flag == 1 && !q.restarted && q.since != 0;
  const int has_schema = query_value(request.query, "schema", text, sizeof text, size);
  if (has_schema < 0) return refuse(response, 400, "schema must be the hash that hello carried", body);
  if (has_schema > 0) {
    char hash[9];
    base::Writer w(hash, sizeof hash);
    w.hex32(store->schema_hash);
    q.with_schema = std::string_view(text, size) != w.view();
  }
  // A reader of packed frames that does not show that it knows the tables knows no rows either.
  if (q.packed && q.with_schema) q.all_rows = true;
  if (q.with_schema) q.continuing = false;
  if (endless) response.wait_ms = 0;
  response.kind = ReplyKind::samples;
}

void Service::capture_by_id(const Request& request, Response& response, base::Writer& body) {
  if (!captures->enabled()) return refuse(response, 404, "captures are off (CAPTURE_MB=0)", body);
  std::uint64_t id = 0;
  const std::string_view text = request.path.substr(kCapturePrefix.size());
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos ||
      !base::parse_u64(text, id)) {
    return refuse(response, 400, "a capture id is a number; GET /captures lists them", body);
  }
  if (captures->find(id) == nullptr) return refuse(response, 404, "no such capture", body);
  if (request.method == Method::del) {
    captures->remove(id);
    response.status = 204;
    return;
  }
  std::uint64_t flag = 0;
  if (query_number(request.query, "totals", 0, 1, flag) < 0)
    return refuse(response, 400, "totals must be 0 or 1", body);
  if (!packed_form(request, true, response)) return refuse(response, 400, kBadBytes, body);
  const int has_skip = query_number(request.query, "skip", 0, UINT64_MAX, response.query.skip);
  if (has_skip < 0) return refuse(response, 400, "skip must be a whole number of records", body);
  response.query.continuing = has_skip > 0;
  response.kind = ReplyKind::capture;
  response.capture_id = id;
  response.query.totals = flag == 1;
}

void Service::capture_now(const Request& request, Response& response, base::Writer& body) {
  if (!captures->enabled()) return refuse(response, 404, "captures are off (CAPTURE_MB=0)", body);
  char reason[kMaxReason];
  std::size_t size = 0;
  const int has_reason = query_value(request.query, "reason", reason, sizeof reason, size);
  if (has_reason < 0) return refuse(response, 400, "reason must be at most 128 bytes, percent-encoded", body);
  Cause stamps;
  stamps.seq = store->ring.newest() + 1;
  stamps.boot_ns = base::boot_ns();
  stamps.wall_ns = base::wall_ns();
  const bool extends = captures->pending() != nullptr;
  std::string_view refused;
  const std::uint64_t id =
      captures->fire_manual(has_reason > 0 ? std::string_view(reason, size) : std::string_view("operator"),
                            stamps, store->ring, *events, refused);
  if (id == 0) {
    if (refused == "refractory") {
      refuse(response, 409, "not armed: a capture was asked for within TRIGGER_REFRACTORY_S", body);
    } else {
      refuse(response, 409,
             "not armed: the capture memory is full; DELETE captures or set CAPTURE_POLICY=last", body);
    }
    return;
  }
  Json json(body);
  json.open('{');
  json.number("id", id);
  json.boolean("armed", true);
  if (extends) json.boolean("extended", true);
  json.number("seq", stamps.seq);
  json.close('}');
  body.put('\n');
}

}  // namespace mikroscope::agent
