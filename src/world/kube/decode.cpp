// Lists and watch events are taken apart in two passes: an outer one that finds where each object begins and
// ends, and one for each object by itself, so that an odd object cannot spoil its neighbours. The outer pass
// only skips over brackets, at several GB/s.
#include "world/kube/decode.hpp"

#include <fmt/format.h>

#include <array>

#include "world/kube/json_fields.hpp"

namespace tidegate::kube {
namespace {

namespace sj = simdjson::ondemand;

// An object's name, uid and version, whatever else is in it.
struct Named {
  api::ObjectMeta metadata;
};
// What bookmarks, lists and Status carry.
struct ListMeta {
  std::string resourceVersion;
  std::string continueToken;
};
struct StatusDetails {
  std::optional<std::int32_t> retryAfterSeconds;
  std::vector<Status::Cause> causes;
};
struct StatusBody {
  std::string kind;
  std::int32_t code = 0;
  std::string reason;
  std::string message;
  StatusDetails details;
};

}  // namespace
}  // namespace tidegate::kube

namespace tidegate::api {

template <class V>
void fields(V& v, Of<kube::Named>) {
  v("metadata", &kube::Named::metadata);
}
template <class V>
void fields(V& v, Of<kube::ListMeta>) {
  v("resourceVersion", &kube::ListMeta::resourceVersion);
  v("continue", &kube::ListMeta::continueToken);
}
template <class V>
void fields(V& v, Of<kube::Status::Cause>) {
  v("reason", &kube::Status::Cause::reason);
  v("field", &kube::Status::Cause::field);
}
template <class V>
void fields(V& v, Of<kube::StatusDetails>) {
  v("retryAfterSeconds", &kube::StatusDetails::retryAfterSeconds);
  v("causes", &kube::StatusDetails::causes);
}
template <class V>
void fields(V& v, Of<kube::StatusBody>) {
  v("kind", &kube::StatusBody::kind);
  v("code", &kube::StatusBody::code);
  v("reason", &kube::StatusBody::reason);
  v("message", &kube::StatusBody::message);
  v("details", &kube::StatusBody::details);
}

}  // namespace tidegate::api

namespace tidegate::kube {
namespace {

// A piece of a text that has padding behind its end.
struct Piece {
  std::string_view text;
  std::size_t room = 0;  // bytes that may be read from its begin
};

// Opens the object in `piece` with `parser`; false if there is none.
bool open(sj::parser& parser, Piece piece, sj::document& document, sj::object& object) {
  if (parser.iterate(simdjson::padded_string_view(piece.text.data(), piece.text.size(), piece.room))
          .get(document) != simdjson::SUCCESS) {
    return false;
  }
  return document.get_object().get(object) == simdjson::SUCCESS;
}

template <class T>
bool readAs(sj::object json, JsonFields& reader, api::Object& out) {
  return reader.readObject(json, out.emplace<T>());
}

using ReadFunction = bool (*)(sj::object, JsonFields&, api::Object&);

template <class... Kinds>
constexpr std::array<ReadFunction, sizeof...(Kinds)> readTable(std::type_identity<std::variant<Kinds...>>) {
  return {readAs<Kinds>...};
}
constexpr auto kReaders = readTable(std::type_identity<api::Object>{});

// As api/read.cpp settles it: 0 stands for "not set" in Volcano's Job.
void settle(api::Object& object) {
  if (auto* job = std::get_if<api::VcJob>(&object); job != nullptr && job->spec.minAvailable == 0) {
    job->spec.minAvailable.reset();
  }
}

std::string nameOf(const Resource& resource, const api::ObjectMeta& metadata) {
  if (metadata.namespace_.empty()) return fmt::format("{} {}", resource.title(), metadata.name);
  return fmt::format("{} {}/{}", resource.title(), metadata.namespace_, metadata.name);
}

}  // namespace

struct Decoder::Parsers {
  sj::parser outer;
  sj::parser inner;

  explicit Parsers(const DecodeOptions& options) : options_(options) {}

  static Piece pad(std::string& text) {
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    return {.text = text, .room = text.size() + simdjson::SIMDJSON_PADDING};
  }
  // A part of a padded text.
  static Piece part(Piece whole, std::string_view text) {
    const auto offset = static_cast<std::size_t>(text.data() - whole.text.data());
    return {.text = text, .room = whole.room - offset};
  }

  // Empty, or why the object cannot be read.
  std::string object(const Resource& resource, Piece piece, api::Object& object) {
    sj::document document;
    sj::object json;
    JsonFields reader(options_);
    if (!open(inner, piece, document, json)) {
      return fmt::format("an item of {} is no JSON object", resource.title());
    }
    const bool ok = kReaders.at(resource.object.value())(json, reader, object);
    const api::ObjectMeta& metadata = api::metadataOf(object);
    if (ok && !metadata.name.empty()) {
      settle(object);
      return {};
    }
    return fmt::format("{} is left out: {}", nameOf(resource, metadata),
                       ok ? "metadata.name: missing" : reader.error());
  }

  template <class T>
  bool record(Piece piece, T& out) {
    sj::document document;
    sj::object json;
    JsonFields reader(options_);
    return open(inner, piece, document, json) && reader.readObject(json, out);
  }
  // As far as it can be read.
  api::ObjectMeta metadata(Piece piece) {
    Named named;
    record(piece, named);
    return std::move(named.metadata);
  }

  Status status(Piece piece) {
    StatusBody body;
    record(piece, body);
    if (body.kind != "Status") return {};
    return {.code = body.code,
            .reason = std::move(body.reason),
            .message = std::move(body.message),
            .retryAfterSeconds = body.details.retryAfterSeconds,
            .causes = std::move(body.details.causes)};
  }

  // Calls onMember(key, value) for each member; false at broken JSON or when it says so.
  template <class OnMember>
  bool members(Piece whole, OnMember&& onMember) {
    sj::document document;
    sj::object json;
    if (!open(outer, whole, document, json)) return false;
    for (auto member : json) {
      sj::field field;
      std::string_view key;
      if (std::move(member).get(field) != simdjson::SUCCESS) return false;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
      if (!onMember(key, sj::value(field.value()))) return false;
    }
    return true;
  }

  bool items(const Resource& resource, Piece whole, sj::value value, DecodedList& list) {
    sj::array array;
    if (value.get(array) != simdjson::SUCCESS) return value.is_null().value_unsafe();
    for (auto element : array) {
      sj::object json;
      std::string_view text;
      const auto failure = std::move(element).get(json);
      if (failure == simdjson::INCORRECT_TYPE) {
        list.warnings.push_back(fmt::format("an item of {} is no JSON object", resource.title()));
        continue;
      }
      if (failure || json.raw_json().get(text) != simdjson::SUCCESS) return false;
      std::string why = object(resource, part(whole, text), list.objects.emplace_back());
      if (!why.empty()) {
        list.objects.pop_back();
        list.unreadable.push_back(metadata(part(whole, text)));
        list.warnings.push_back(std::move(why));
      }
    }
    return true;
  }

 private:
  const DecodeOptions options_;
};

Decoder::Decoder(DecodeOptions options) : options_(options), parsers_(std::make_unique<Parsers>(options)) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

Result<DecodedList> Decoder::list(const Resource& resource, std::string body) {
  const Piece whole = Parsers::pad(body);
  DecodedList list;
  bool hasItems = false;
  const bool ok = parsers_->members(whole, [&](std::string_view key, sj::value value) {
    if (key == "items") {
      hasItems = true;
      return parsers_->items(resource, whole, value, list);
    }
    sj::object json;
    std::string_view text;
    ListMeta meta;
    if (key != "metadata" || value.get(json) != simdjson::SUCCESS) return true;
    if (json.raw_json().get(text) != simdjson::SUCCESS) return false;
    if (!parsers_->record(Parsers::part(whole, text), meta)) return false;
    list.resourceVersion = std::move(meta.resourceVersion);
    list.continueToken = std::move(meta.continueToken);
    return true;
  });
  if (!ok || !hasItems) return fail(fmt::format("the answer is no list of {}", resource.title()));
  return list;
}

Result<api::Object> Decoder::object(const Resource& resource, std::string body) {
  api::Object object;
  std::string why = parsers_->object(resource, Parsers::pad(body), object);
  if (!why.empty()) return fail(std::move(why));
  return object;
}

Status Decoder::status(std::string body) {
  return parsers_->status(Parsers::pad(body));
}

namespace {

std::optional<WatchEventType> eventType(std::string_view name) {
  if (name == "ADDED") return WatchEventType::Added;
  if (name == "MODIFIED") return WatchEventType::Modified;
  if (name == "DELETED") return WatchEventType::Deleted;
  if (name == "BOOKMARK") return WatchEventType::Bookmark;
  if (name == "ERROR") return WatchEventType::Error;
  return std::nullopt;
}

}  // namespace

Result<WatchEvent> Decoder::watchEvent(const Resource& resource, std::string line) {
  const Piece whole = Parsers::pad(line);
  std::optional<WatchEventType> type;
  std::string_view object;
  const bool ok = parsers_->members(whole, [&](std::string_view key, sj::value value) {
    std::string_view name;
    sj::object json;
    if (key == "type" && value.get(name) == simdjson::SUCCESS) type = eventType(name);
    if (key != "object") return true;
    return value.get(json) == simdjson::SUCCESS && json.raw_json().get(object) == simdjson::SUCCESS;
  });
  if (!ok || !type || object.empty()) {
    return fail(fmt::format("a line of the watch of {} is no event", resource.title()));
  }
  const Piece piece = Parsers::part(whole, object);
  WatchEvent event{.type = *type, .object = {}, .warning = {}, .metadata = {}, .status = {}};
  if (*type == WatchEventType::Error) {
    event.status = parsers_->status(piece);
    return event;
  }
  if (*type == WatchEventType::Added || *type == WatchEventType::Modified) {
    event.warning = parsers_->object(resource, piece, event.object.emplace());
    if (!event.warning.empty()) event.object.reset();
  }
  if (!event.object) event.metadata = parsers_->metadata(piece);
  if (*type == WatchEventType::Bookmark) {
    const auto end = event.metadata.annotations.find("k8s.io/initial-events-end");
    event.initialEventsEnd = end != event.metadata.annotations.end() && end->second == "true";
  }
  return event;
}

}  // namespace tidegate::kube
