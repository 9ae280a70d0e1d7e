// JSON of an API server into objects, by the descriptions of api/fields.hpp: lists, watch events, Status.
//
// Lenient, as a live cluster must be: unknown fields are skipped, an object with a field of a wrong type is
// left out with a warning that names the field, and the rest of the list is read. (Files of users are read by
// api/read.hpp, which tells lines and suspects misspelt names.)
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects.hpp"
#include "core/error.hpp"
#include "world/kube/resources.hpp"

namespace tidegate::kube {

struct DecodeOptions {
  // Leaves out what scheduler and controllers never read and what would be most of a pod's memory: image,
  // command, args and env of containers (not of templates kept as text), and the annotation of `kubectl
  // apply`.
  bool lean = true;
};

struct DecodedList {
  std::vector<api::Object> objects;
  std::vector<api::ObjectMeta> unreadable;  // names, uids and resourceVersions of those that were left out
  std::string resourceVersion;
  std::string continueToken;  // empty: this was the last page
  std::vector<std::string> warnings;
};

// metav1.Status, as far as it is used.
struct Status {
  int code = 0;
  std::string reason;  // "AlreadyExists", "Expired", ...
  std::string message;
  std::optional<int> retryAfterSeconds;
  struct Cause {
    std::string reason;
    std::string field;
    bool operator==(const Cause&) const = default;
  };
  std::vector<Cause> causes;  // details.causes
};

enum class WatchEventType : std::uint8_t { Added, Modified, Deleted, Bookmark, Error };

struct WatchEvent {
  WatchEventType type = WatchEventType::Bookmark;
  std::optional<api::Object> object;  // of Added and Modified; missing if it could not be read
  std::string warning;                // why it could not
  api::ObjectMeta metadata;  // of Deleted, Bookmark and what could not be read: name, uid, resourceVersion
  bool initialEventsEnd = false;  // a bookmark: everything that existed has been sent (WatchList)
  Status status;                  // of Error
};

// Keeps its buffers between calls. Texts are taken by value because the parser wants some bytes of room
// behind them; move them in.
class Decoder {
 public:
  explicit Decoder(DecodeOptions options = {});
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // Fails only if the text is no list at all.
  Result<DecodedList> list(const Resource& resource, std::string body);
  Result<api::Object> object(const Resource& resource, std::string body);
  // One line of a watch.
  Result<WatchEvent> watchEvent(const Resource& resource, std::string line);
  // An empty Status if the text is none.
  Status status(std::string body);

 private:
  struct Parsers;
  DecodeOptions options_;
  std::unique_ptr<Parsers> parsers_;
};

// Cuts a stream into its lines, wherever the chunks were cut.
class LineSplitter {
 public:
  // False once a line is longer than the limit: the stream cannot be used any more.
  template <class OnLine>
  bool feed(std::string_view chunk, OnLine&& onLine) {
    while (true) {
      const std::size_t end = chunk.find('\n');
      if (rest_.size() + std::min(end, chunk.size()) > kMaxLine) return false;
      if (end == std::string_view::npos) break;
      rest_ += chunk.substr(0, end);
      chunk.remove_prefix(end + 1);
      std::string line = std::exchange(rest_, {});
      if (line.find_first_not_of(" \r") == std::string::npos) continue;
      if (!onLine(std::move(line))) return true;
    }
    rest_ += chunk;
    return true;
  }
  bool empty() const { return rest_.empty(); }

 private:
  static constexpr std::size_t kMaxLine = 64U << 20;
  std::string rest_;
};

}  // namespace tidegate::kube
