#include "api/read.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "api/checks.hpp"
#include "api/field_reader.hpp"
#include "api/findings.hpp"
#include "api/kinds.hpp"
#include "core/text.hpp"

namespace tidegate::api {
namespace {

enum class Scope : std::uint8_t { Cluster, Namespaced };

struct Kind {
  std::string_view name;
  std::string_view apiVersion;
  Scope scope;
  Object (*read)(FieldReader& reader, const Value& value);
};

template <class T>
inline constexpr bool kOfCluster = false;
template <>
inline constexpr bool kOfCluster<PriorityClass> = true;
template <>
inline constexpr bool kOfCluster<Namespace> = true;
template <>
inline constexpr bool kOfCluster<Node> = true;
template <>
inline constexpr bool kOfCluster<HyperNode> = true;
template <>
inline constexpr bool kOfCluster<Queue> = true;
template <>
inline constexpr bool kOfCluster<Recall> = true;

template <class T>
constexpr Kind kindOf() {
  return {.name = T::kKind,
          .apiVersion = T::kApiVersion,
          .scope = kOfCluster<T> ? Scope::Cluster : Scope::Namespaced,
          .read = [](FieldReader& reader, const Value& v) {
            T object;
            reader.read(v, object);
            return Object{std::move(object)};
          }};
}

// Every kind of api::Object.
template <class... Types>
constexpr std::array<Kind, sizeof...(Types)> kindsIn(std::type_identity<std::variant<Types...>>) {
  return {kindOf<Types>()...};
}
constexpr auto kKinds = kindsIn(std::type_identity<Object>{});

// What an object says it is, or what the list it stands in says of it.
struct TypeName {
  std::string_view apiVersion;
  std::string_view kind;
};

class Loader {
 public:
  explicit Loader(const ReadOptions& options) : options_(options) {}

  void load(const SourceText& source) {
    findings_.enterFile(source.name);
    auto documents = readDocuments(source.text, source.name, options_.limits);
    if (!documents) {
      findings_.error({documents.error().where.line, documents.error().where.column}, "",
                      documents.error().message);
      return;
    }
    if (documents->empty()) {
      findings_.error({}, "", "the file is empty: want Kubernetes objects");
      return;
    }
    for (const Value& document : trees_.emplace_back(std::move(*documents)))
      loadObject(document, {}, source.name);
  }

  ReadResult finish() {
    checkNames(located_, findings_);
    checkJobs(located_, findings_);
    checkQueues(located_, options_.strictness, findings_);
    if (findings_.hasErrors()) return std::unexpected(findings_.takeErrors());
    Loaded loaded{.objects = {}, .warnings = findings_.takeWarnings()};
    loaded.objects.reserve(located_.size());
    for (Located& located : located_) loaded.objects.push_back(std::move(located.object));
    return loaded;
  }

 private:
  void loadObject(const Value& value, TypeName fromList, const std::string& file) {
    if (value.members() == nullptr) {
      findings_.error(value.at, "",
                      fmt::format("want an object with apiVersion and kind, got {}", value.describe()));
      return;
    }
    TypeName type{.apiVersion = value.textOf("apiVersion"), .kind = value.textOf("kind")};
    if (type.apiVersion.empty()) type.apiVersion = fromList.apiVersion;
    if (type.kind.empty()) type.kind = fromList.kind;
    if (type.kind.empty()) {
      findings_.error(value.at, "kind", "missing: every object says its kind");
    } else if (const Value* items = value.find("items"); items != nullptr && type.kind.ends_with("List")) {
      loadList(*items, type, file);
    } else {
      loadKnown(value, type, file);
    }
  }

  void loadList(const Value& items, TypeName list, const std::string& file) {
    list.kind.remove_suffix(std::string_view("List").size());
    if (list.kind.empty()) list = {};  // plain List: its items speak for themselves
    if (items.isNull()) return;
    if (items.items() == nullptr) {
      findings_.error(items.at, "items", "want a list, got " + items.describe());
      return;
    }
    for (const Value& item : *items.items()) loadObject(item, list, file);
  }

  void loadKnown(const Value& value, TypeName type, const std::string& file) {
    const Kind* kind = findKind(type);
    if (kind == nullptr) {
      reportUnknownKind(value, type);
      return;
    }
    FieldReader reader(findings_);
    Object object = kind->read(reader, value);
    settle(object, kind->scope, value);
    located_.push_back({.object = std::move(object), .tree = &value, .file = &file});
  }

  static const Kind* findKind(TypeName type) {
    const Kind* otherVersion = nullptr;
    for (const Kind& kind : kKinds) {
      if (kind.name != type.kind || type.apiVersion.empty()) continue;
      if (kind.apiVersion == type.apiVersion) return &kind;
      const bool sameGroup = groupOfVersion(kind.apiVersion) == groupOfVersion(type.apiVersion);
      if (sameGroup && otherVersion == nullptr) otherVersion = &kind;
    }
    return otherVersion;
  }

  // A kind that is only misspelt must not vanish with a notice: its quotas would.
  void reportUnknownKind(const Value& value, TypeName type) {
    const std::string_view group = groupOfVersion(type.apiVersion);
    std::vector<std::string_view> sameGroup;
    std::string homes;
    for (const Kind& kind : kKinds) {
      if (!type.apiVersion.empty() && groupOfVersion(kind.apiVersion) == group)
        sameGroup.push_back(kind.name);
      if (kind.name == type.kind) homes += fmt::format("{}{}", homes.empty() ? "" : " or ", kind.apiVersion);
    }
    if (type.apiVersion.empty() && !homes.empty()) {
      findings_.error(value.at, "apiVersion", fmt::format("missing: {} wants {}", type.kind, homes));
      return;
    }
    const std::string_view near = nearestName(type.kind, sameGroup);
    if (!near.empty()) {
      findings_.error(
          value.find("kind") == nullptr ? value.at : value.find("kind")->at, "kind",
          fmt::format("unknown kind {} of {}; did you mean {}?", type.kind, type.apiVersion, near));
      return;
    }
    std::string message = fmt::format("kind {} is not used here and skipped", type.kind);
    if (!homes.empty())
      message = fmt::format("{} of {} is skipped; it is known in {}", type.kind, type.apiVersion, homes);
    findings_.warn(value.at, "kind", std::move(message));
  }

  void settle(Object& object, Scope scope, const Value& value) {
    ObjectMeta& metadata = metadataOf(object);
    if (metadata.name.empty()) findings_.error(value.at, "metadata.name", "missing: every object has a name");
    if (scope == Scope::Namespaced && metadata.namespace_.empty()) metadata.namespace_ = "default";
    if (auto* job = std::get_if<VcJob>(&object); job != nullptr && job->spec.minAvailable == 0) {
      job->spec.minAvailable.reset();
    }
  }

  const ReadOptions& options_;
  Findings findings_;
  std::vector<std::vector<Value>> trees_;  // kept until the checks have run: they tell places
  std::vector<Located> located_;
};

}  // namespace

ReadResult readFiles(std::span<const SourceText> files, const ReadOptions& options) {
  Loader loader(options);
  for (const SourceText& file : files) loader.load(file);
  return loader.finish();
}

ReadResult readObjects(std::string_view text, const std::string& fileName, const ReadOptions& options) {
  const SourceText file{.name = fileName, .text = text};
  return readFiles({&file, 1}, options);
}

}  // namespace tidegate::api
