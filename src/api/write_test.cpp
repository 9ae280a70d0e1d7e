#include "api/write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "api/field_reader.hpp"
#include "api/read.hpp"
#include "api/yaml_writer.hpp"
#include "core/rng.hpp"
#include "core/text.hpp"

namespace tidegate::api {
namespace {

// Fills objects at random by their descriptions, as any user might.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : rng_(seed) {}

  template <class T>
  T make() {
    T object{};
    fill(object);
    return object;
  }

 private:
  template <class T>
  struct FieldFiller {
    Filler& filler;
    T& object;
    template <class M>
    void operator()(const char*, M T::* field, Range range = {}) {
      if (filler.rng_.chance(0.6)) filler.fill(object.*field, range);
    }
    void nested(const char*, const char*, std::string T::* field) { filler.fill(object.*field); }
    void eitherForm(const char*, const char*, ResourceList T::* field) { filler.fill(object.*field); }
    template <class M>
    void withText(const char*, M T::* field, std::string T::*) {
      filler.fill(object.*field);
    }
    void asText(const char*, std::string T::* text) {
      if (filler.rng_.chance(0.5)) object.*text = R"({"a":[1,"true"],"b":{"c":null}})";
    }
    void known(Names) {}
    void strict(const char*) {}
  };

  template <class T>
  void fill(T& out, Range range = {}) {
    if constexpr (kIsOptional<T>) {
      fill(out.emplace(), range);
    } else if constexpr (kIsVector<T>) {
      out.resize(rng_.below(3));
      for (auto& item : out) fill(item, range);
    } else if constexpr (kIsMap<T>) {
      for (std::uint64_t i = rng_.below(3); i > 0; --i) fill(out[text()], range);
    } else if constexpr (Described<T>) {
      FieldFiller<T> filler{*this, out};
      fields(filler, Of<T>{});
    } else if constexpr (std::same_as<T, bool>) {
      out = rng_.chance(0.5);
    } else if constexpr (std::integral<T>) {
      const auto low = std::max<std::int64_t>(range.low, std::numeric_limits<T>::min() / 2);
      const auto high = std::min<std::int64_t>(range.high, std::numeric_limits<T>::max() / 2);
      out = static_cast<T>(rng_.between(low, high));
    } else {
      fillScalar(out);
    }
  }

  void fillScalar(std::string& out) { out = text(); }
  void fillScalar(double& out) { out = (rng_.unit() - 0.5) * 1e6; }
  void fillScalar(Time& out) { out = Time{Duration{rng_.between(0, 4'000'000'000'000'000)}}; }
  void fillScalar(IntOrPercent& out) {
    out = {.value = static_cast<std::int32_t>(rng_.below(100)), .percent = rng_.chance(0.5)};
  }
  void fillScalar(Quantity& out) {
    const auto number = static_cast<std::int64_t>(rng_.next() >> 4);
    out = rng_.chance(0.5) ? Quantity::ofMilli(number % 1'000'000) : Quantity::ofBytes(number);
  }

  // Words that YAML could take for something else, and any characters.
  std::string text() {
    static const std::vector<std::string> kWords = {
        "",    "true", "no", "null", "~",          "1e3", "0x1f", "- a",     "a: b",
        "#c",  "'",    "\"", "\\",   "a\nb\n",     " a ", "<<",   "*x",      "&y",
        "{a}", "[",    "%",  "|",    "2026-01-01", ".5",  "y",    "train:1", "worker-0"};
    if (rng_.chance(0.7)) return kWords[rng_.below(kWords.size())];
    std::string out;
    for (std::uint64_t i = rng_.below(12); i > 0; --i) {
      const auto code =
          static_cast<std::uint32_t>(rng_.chance(0.5) ? rng_.below(0x100) : rng_.below(0x110000));
      if (code < 0xD800 || code > 0xDFFF) appendUtf8(out, code);
    }
    return out;
  }

  Rng rng_;
};

// What reading settles or refuses by rules across fields is out of a round trip's reach.
template <class T>
T sound(T object) {
  object.metadata.name = "x" + object.metadata.name;
  object.metadata.namespace_ = "n";
  if constexpr (std::same_as<T, Queue>) object.spec.parent = "root";
  if constexpr (std::same_as<T, VcJob>) {
    object.spec.minAvailable.reset();
    for (TaskSpec& task : object.spec.tasks) task.minAvailable = task.replicas;
  }
  return object;
}

template <class T>
void expectSameAfterReading(const T& object, const std::string& text) {
  const ReadResult loaded = readObjects(text, "t");
  RC_ASSERT(loaded.has_value());
  RC_ASSERT(loaded->objects.size() == 1U);
  T read = std::get<T>(loaded->objects.front());
  if constexpr (std::same_as<T, VcJob>) {
    for (TaskSpec& task : read.spec.tasks) task.templateJson.clear();  // the text it was read from
    for (VcJobVolume& volume : read.spec.volumes) volume.volumeClaimJson.clear();
  }
  RC_ASSERT(read == object);
}

template <class T>
class RoundTrip : public testing::Test {};
using Kinds =
    testing::Types<PriorityClass, Node, HyperNode, Queue, PodDisruptionBudget, PodGroup, VcJob, BatchJob,
                   Deployment, StatefulSet, ReplicaSet, Recall, Pod, ConfigMap, BusCommand>;
TYPED_TEST_SUITE(RoundTrip, Kinds);

TYPED_TEST(RoundTrip, JsonReadsBack) {
  EXPECT_TRUE(rc::check("JSON of an object reads as the object", [](std::uint64_t seed) {
    const auto object = sound(Filler(seed).make<TypeParam>());
    expectSameAfterReading(object, toJson(object));
  }));
}

TYPED_TEST(RoundTrip, YamlReadsBack) {
  EXPECT_TRUE(rc::check("YAML of an object reads as the object", [](std::uint64_t seed) {
    const auto object = sound(Filler(seed).make<TypeParam>());
    expectSameAfterReading(object, toYaml(object));
  }));
}

TEST(Write, LeavesOutWhatHasItsDefault) {
  Queue queue;
  queue.metadata.name = "q";
  queue.spec.capability["nvidia.com/gpu"] = Quantity::ofInteger(8);
  EXPECT_EQ(toJson(queue),
            R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"},)"
            R"("spec":{"capability":{"nvidia.com/gpu":"8"}}})");
}

TEST(Write, TaskTemplatesKeepWhatTidegateDoesNotKnow) {
  const ReadResult loaded = readObjects(R"(
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j}
spec:
  tasks:
  - name: worker
    template:
      spec:
        hostname: "007"
        volumes: [{name: data, emptyDir: {sizeLimit: 1Gi}}]
        containers: [{name: main, stdin: true, livenessProbe: {periodSeconds: 10}}]
)",
                                        "t");
  ASSERT_TRUE(loaded.has_value());
  EXPECT_THAT(
      toJson(loaded->objects.front()),
      testing::HasSubstr(R"("template":{"spec":{"hostname":"007","volumes":[{"name":"data",)"
                         R"("emptyDir":{"sizeLimit":"1Gi"}}],"containers":[{"name":"main","stdin":true,)"
                         R"("livenessProbe":{"periodSeconds":10}}]}})"));
}

TEST(Write, YamlLooksAsKubectlWritesIt) {
  Pod pod;
  pod.metadata.name = "p";
  pod.metadata.namespace_ = "n";
  pod.metadata.labels = {{"a/b", "true"}};
  pod.spec.containers.resize(2);
  pod.spec.containers[0].name = "main";
  pod.spec.containers[0].command = {"sleep", "1d"};
  pod.spec.containers[1].name = "side";
  pod.status.conditions.emplace_back().type = "Ready";
  pod.status.conditions[0].status = "False";
  EXPECT_EQ(toYaml(pod), R"(apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: "n"
  labels:
    a/b: "true"
spec:
  containers:
  - name: main
    command:
    - sleep
    - "1d"
  - name: side
status:
  conditions:
  - type: Ready
    status: "False"
)");
}

TEST(Write, RefsNameAnObject) {
  Pod pod;
  pod.metadata.name = "p";
  pod.metadata.namespace_ = "n";
  const Object object = pod;
  EXPECT_EQ(refOf(object), (ObjectRef{.kind = "Pod", .apiVersion = "v1", .namespace_ = "n", .name = "p"}));
  EXPECT_EQ(&metadataOf(object), &std::get<Pod>(object).metadata);
}

}  // namespace
}  // namespace tidegate::api
