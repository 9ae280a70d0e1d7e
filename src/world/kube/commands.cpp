#include "world/kube/commands.hpp"

#include <fmt/format.h>

#include <deque>
#include <set>

#include "api/json_writer.hpp"
#include "world/kube/command_targets.hpp"
#include "world/kube/event_recorder.hpp"
#include "world/kube/outcomes.hpp"
#include "world/kube/refusal_log.hpp"
#include "world/kube/request_queue.hpp"
#include "world/kube/requests.hpp"

namespace tidegate::kube {
namespace {

// More events than this are not kept waiting: they are news, and old news is worth nothing.
constexpr std::size_t kWaitingEvents = 1000;
// A signal is given at least so long, also where its deadline has passed.
constexpr Duration kShortestSignal = seconds(1);

struct Work {
  Command command;
  CommandRunner::Done done;
  Time since;
  std::string key;
  Rank rank = Rank::Place;           // its own, or of the most urgent that waits behind it
  RequestQueue::Ticket request = 0;  // the last, which may wait to leave
  int rounds = 0;                    // of reading, changing and writing
};
using WorkPtr = std::shared_ptr<Work>;

}  // namespace

class CommandRunner::Impl {
 public:
  Impl(Services services, CommandOptions options, Rng rng)
      : services_(std::move(services)),
        options_(std::move(options)),
        rng_(rng),
        queue_({.most = options_.inFlight,
                .ordinary = options_.ordinaryInFlight,
                .beside = options_.besideRecalls,
                .events = options_.eventsInFlight}),
        recorder_(options_),
        refusals_(services_.loop, services_.warning) {}
  ~Impl() { stop(); }

  void run(Command command, Done done) {
    auto work = std::make_shared<Work>(Work{.command = std::move(command),
                                            .done = std::move(done),
                                            .since = services_.loop.now(),
                                            .key = {},
                                            .rank = Rank::Place,
                                            .request = 0});
    work->key = targetKey(work->command.action);
    work->rank = rankOf(work->command.action);
    auto& chain = chains_[work->key];
    chain.push_back(work);
    chain.size() == 1 ? begin(work) : hurry(chain);
  }

  void stop() {
    life_ = std::make_shared<bool>(true);  // what older lives have asked for is void
    for (const RequestId request : requests_) services_.transport.cancel(request);
    requests_.clear();
    queue_.clear();
    chains_.clear();
  }

  bool idle() const { return chains_.empty(); }

  const CommandMetrics& metrics() {
    metrics_.queued = queue_.waiting();
    metrics_.inFlight = queue_.out();
    return metrics_;
  }

 private:
  using Then = std::function<void(const HttpResponse&, const Verdict&)>;
  using Chain = std::deque<WorkPtr>;

  // What goes before the newest is as urgent as that.
  void hurry(const Chain& chain) {
    const Rank rank = chain.back()->rank;
    for (const WorkPtr& earlier : chain) earlier->rank = std::min(earlier->rank, rank);
    queue_.raise(chain.front()->request, rank);
  }

  // ---- the way of each command

  void begin(const WorkPtr& work) {
    std::visit([&](const auto& action) { start(work, action); }, work->command.action);
  }

  void start(const WorkPtr& work, const Bind& bind) {
    send(work, bindRequest(bind), [this, work](const HttpResponse& response, const Verdict& verdict) {
      if (response.status != 409) return finish(work, verdict);
      const Bind& asked = std::get<Bind>(work->command.action);
      look(work, podRef(asked.namespace_, asked.name), [this, work, verdict](const LiveObject& pod) {
        finish(work, judgeBind(std::get<Bind>(work->command.action), pod, verdict));
      });
    });
  }

  // Why a bind was refused with 409.
  static Verdict judgeBind(const Bind& bind, const LiveObject& pod, const Verdict& refusal) {
    if (pod.uid != bind.uid) return {Outcome::Conflict, "the pod's uid is " + pod.uid};
    if (pod.nodeName.empty()) return refusal;  // being deleted, or changed at the same time
    if (pod.nodeName == bind.node) return {};  // by an earlier try whose answer was lost
    return routine("bound to " + pod.nodeName);
  }

  void start(const WorkPtr& work, const Patch& patch) {
    const auto request = patchRequest(patch);
    if (!request) return reject(work, request.error().message);
    if (!*request) return writeCondition(work, {});
    send(work, **request,
         [this, work](const HttpResponse&, const Verdict& verdict) { writeCondition(work, verdict); });
  }

  // The second half of a patch, if the first went well.
  void writeCondition(const WorkPtr& work, const Verdict& soFar) {
    const Patch& patch = std::get<Patch>(work->command.action);
    if (!soFar.ok() || !patch.condition) return finishSoon(work, soFar);
    if (patch.target.kind == api::Pod::kKind) return sendAndFinish(work, podConditionRequest(patch));
    const auto get = getRequest(patch.target);
    if (!get) return reject(work, get.error().message);
    read(work, *get, [this, work](const HttpResponse& response) {
      const Patch& asked = std::get<Patch>(work->command.action);
      const auto live = readLiveObject(response.body);
      if (!live) return finish(work, {Outcome::Unknown, live.error().message});
      if (!asked.uid.empty() && live->uid != asked.uid) return finish(work, otherUid(*live));
      const auto request = conditionRequest(asked, response.body, services_.loop.now());
      if (!request) return finish(work, {Outcome::Unknown, request.error().message});
      if (!*request) return finish(work, {});
      sendVersioned(work, **request, [this, work] { writeCondition(work, {}); });
    });
  }

  void start(const WorkPtr& work, const DeletePod& command) {
    sendAndFinish(work, deletePodRequest(command));
  }
  void start(const WorkPtr& work, const WriteRecall& command) {
    sendAndFinish(work, writeRecallRequest(command));
  }
  void start(const WorkPtr& work, const DeleteRecall& command) {
    sendAndFinish(work, deleteRecallRequest(command));
  }
  void start(const WorkPtr& work, const Create& command) { sendIfValid(work, createRequest(command)); }
  void start(const WorkPtr& work, const Merge& command) { sendIfValid(work, mergeRequest(command)); }
  void start(const WorkPtr& work, const Delete& command) { sendIfValid(work, deleteRequest(command)); }

  // Of the status of a custom resource the server does not check the uid, only the resourceVersion: where
  // none is given, the object is looked at first.
  void start(const WorkPtr& work, const WriteStatus& command) {
    if (!command.resourceVersion.empty() || command.uid.empty()) {
      return sendIfValid(work, writeStatusRequest(command, command.resourceVersion));
    }
    look(work, command.target, [this, work](const LiveObject& live) {
      const WriteStatus& asked = std::get<WriteStatus>(work->command.action);
      if (live.uid != asked.uid) return finish(work, otherUid(live));
      const auto request = writeStatusRequest(asked, live.resourceVersion);
      if (!request) return finish(work, {Outcome::Rejected, request.error().message});
      sendVersioned(work, *request,
                    [this, work] { start(work, std::get<WriteStatus>(work->command.action)); });
    });
  }

  // What is copied is what the server has now: two requests, the second with what the first has read.
  void start(const WorkPtr& work, const StorePod& command) {
    copy(work, podRef(command.namespace_, command.name), command.uid,
         [](const Action& asked, const auto& pod) {
           return storedPodRequest(std::get<StorePod>(asked), pod);
         });
  }
  void start(const WorkPtr& work, const RemakePod& command) {
    copy(work, suspendedPodRef(command.namespace_, command.name), command.uid,
         [](const Action& asked, const auto& record) {
           return remadePodRequest(std::get<RemakePod>(asked), record);
         });
  }
  void copy(const WorkPtr& work, const api::ObjectRef& from, const std::string& uid,
            std::function<Result<HttpRequest>(const Action&, const std::string&)> write) {
    const auto get = getRequest(from);
    if (!get) return reject(work, get.error().message);
    read(work, *get, [this, work, uid, write = std::move(write)](const HttpResponse& response) {
      const auto live = readLiveObject(response.body);
      if (!live) return finish(work, {Outcome::Unknown, live.error().message});
      if (live->uid != uid) return finish(work, {Outcome::NotFound, "the uid is " + live->uid});
      const auto request = write(work->command.action, response.body);
      request ? sendAndFinish(work, *request) : finish(work, {Outcome::Rejected, request.error().message});
    });
  }

  void start(const WorkPtr& work, const Signal& signal) {
    if (services_.signals == nullptr) return finishSoon(work, routine("signals are not sent from here"));
    look(work, podRef(signal.namespace_, signal.pod), [this, work](const LiveObject& pod) {
      const Signal& asked = std::get<Signal>(work->command.action);
      if (pod.uid != asked.uid) return finish(work, {Outcome::NotFound, "the pod is gone"});
      if (pod.podIp.empty()) return finish(work, routine("the pod has no address"));
      if (!mayWrite()) return fenced(work);
      const Duration left = std::max<Duration>(asked.deadline - services_.loop.now(), kShortestSignal);
      services_.signals->post(
          {.url = signalUrl(asked, pod.podIp), .body = signalBody(asked), .timeout = left},
          [this, work, life = std::weak_ptr(life_)](const HttpResponse& response) {
            if (life.lock()) finish(work, judgeSignal(response));
          });
    });
  }

  static Verdict judgeSignal(const HttpResponse& response) {
    if (response.ok()) return {};
    if (response.status != 0) return routine(fmt::format("HTTP {}", response.status));
    const std::string why = response.error.empty() ? "no answer" : response.error;
    return connectionRefused(response) ? routine(why) : Verdict{Outcome::Unknown, why};
  }

  void start(const WorkPtr& work, const Emit& emit) {
    if (queue_.waiting(Rank::Event) >= kWaitingEvents)
      return finishSoon(work, routine("too many events are waiting"));
    const std::string uid = services_.uidOf ? services_.uidOf(emit.about) : std::string();
    const auto request = recorder_.request(emit, uid, services_.loop.now());
    if (!request) return finishSoon(work, routine("too many events of one object"));
    send(work, *request, [this, work](const HttpResponse&, const Verdict& verdict) {
      if (!verdict.ok()) recorder_.failed(std::get<Emit>(work->command.action));
      finish(work, verdict);
    });
  }

  void start(const WorkPtr&, const WakeAt&) { TIDEGATE_CHECK(false, "a WakeAt is the host's"); }

  // ---- steps

  static Verdict otherUid(const LiveObject& live) { return {Outcome::Conflict, "the uid is " + live.uid}; }

  void sendAndFinish(const WorkPtr& work, HttpRequest request) {
    send(work, std::move(request),
         [this, work](const HttpResponse&, const Verdict& verdict) { finish(work, verdict); });
  }
  void sendIfValid(const WorkPtr& work, const Result<HttpRequest>& request) {
    request ? sendAndFinish(work, *request) : reject(work, request.error().message);
  }
  // A write that depends on a resourceVersion just read: on conflict all over again.
  void sendVersioned(const WorkPtr& work, HttpRequest request, std::function<void()> again) {
    send(work, std::move(request),
         [this, work, again = std::move(again)](const HttpResponse&, const Verdict& verdict) {
           if (verdict.outcome != Outcome::Conflict || ++work->rounds >= options_.tries) {
             return finish(work, verdict);
           }
           again();
         });
  }

  void look(const WorkPtr& work, const api::ObjectRef& target, std::function<void(const LiveObject&)> then) {
    const auto get = getRequest(target);
    if (!get) return reject(work, get.error().message);
    read(work, *get, [this, work, then = std::move(then)](const HttpResponse& response) {
      const auto live = readLiveObject(response.body);
      live ? then(*live) : finish(work, {Outcome::Unknown, live.error().message});
    });
  }
  void read(const WorkPtr& work, HttpRequest request, std::function<void(const HttpResponse&)> then) {
    send(work, std::move(request),
         [this, work, then = std::move(then)](const HttpResponse& response, const Verdict& verdict) {
           verdict.ok() ? then(response) : finish(work, verdict);
         });
  }

  struct Sending {
    WorkPtr work;
    HttpRequest request;
    Then then;
    Backoff backoff;
    int tries = 0;
  };
  using SendingPtr = std::shared_ptr<Sending>;

  // One request, repeated while the server has not looked at it; reading may be repeated whatever happened.
  void send(const WorkPtr& work, HttpRequest request, Then then) {
    request.timeout = options_.timeout;
    enqueue(std::make_shared<Sending>(Sending{.work = work,
                                              .request = std::move(request),
                                              .then = std::move(then),
                                              .backoff = Backoff(options_.backoff, rng_.split(1))}));
  }

  void enqueue(const SendingPtr& sending) {
    sending->work->request =
        queue_.push(sending->work->rank, [this, sending](Rank rank) { leave(sending, rank); });
  }

  void leave(const SendingPtr& sending, Rank rank) {
    if (!mayWrite()) {
      fenced(sending->work);
      return queue_.taken(rank);
    }
    ++metrics_.requests;
    if (sending->tries++ > 0) ++metrics_.retries;
    const auto id = std::make_shared<RequestId>();
    *id = services_.transport.send(sending->request, [this, sending, rank, id](const HttpResponse& response) {
      requests_.erase(*id);
      const auto life = std::weak_ptr(life_);
      answered(sending, response);
      if (life.lock()) queue_.taken(rank);
    });
    requests_.insert(*id);
  }

  void answered(const SendingPtr& sending, const HttpResponse& response) {
    const Verdict verdict = verdictOf(response, decoder_);
    const bool reading =
        sending->request.method == "GET" && (verdict.outcome == Outcome::Unknown || !response.error.empty());
    if ((reading || notCarriedOut(response, verdict)) && sending->tries < options_.tries) {
      const Duration wait = std::max(sending->backoff.next(), retryAfter(response));
      return soon(wait, [this, sending] { enqueue(sending); });
    }
    sending->then(response, verdict);
  }

  // Unless stopped meanwhile.
  void soon(Duration delay, std::function<void()> action) {
    services_.loop.after(delay, [life = std::weak_ptr(life_), action = std::move(action)] {
      if (life.lock()) action();
    });
  }

  // ---- ends

  bool mayWrite() const { return !services_.mayWrite || services_.mayWrite(); }
  void fenced(const WorkPtr& work) {
    ++metrics_.fenced;
    finishSoon(work, {Outcome::Unknown, "not allowed to write any more"});
  }
  void reject(const WorkPtr& work, std::string why) { finishSoon(work, {Outcome::Rejected, std::move(why)}); }
  static Verdict routine(std::string why) { return {Outcome::Rejected, std::move(why), true}; }
  // Where this may be inside the call of run().
  void finishSoon(const WorkPtr& work, const Verdict& verdict) {
    soon({}, [this, work, verdict] { finish(work, verdict); });
  }

  void finish(const WorkPtr& work, const Verdict& verdict) {
    count(*work, verdict.outcome);
    if (verdict.outcome == Outcome::Rejected && !verdict.routine)
      refusals_.refused(work->command.action, verdict.message);
    const auto chain = chains_.find(work->key);
    TIDEGATE_CHECK(chain != chains_.end() && chain->second.front() == work, "a command ends before its turn");
    chain->second.pop_front();
    if (chain->second.empty()) {
      chains_.erase(chain);
    } else {
      begin(WorkPtr(chain->second.front()));
    }
    work->done(CommandDone{.id = work->command.id, .outcome = verdict.outcome, .message = verdict.message});
  }

  void count(const Work& work, Outcome outcome) {
    CommandMetrics::Kind& kind = metrics_.kinds[std::string(nameOf(work.command.action))];
    ++kind.outcomes[outcome];
    const double took = toSeconds(services_.loop.now() - work.since);
    kind.latencySum += took;
    const auto bound = std::ranges::lower_bound(kLatencyBounds, took);
    ++kind.latency[static_cast<std::size_t>(bound - kLatencyBounds.begin())];
  }

  const Services services_;
  const CommandOptions options_;
  Rng rng_;
  RequestQueue queue_;
  EventRecorder recorder_;
  RefusalLog refusals_;
  Decoder decoder_;
  CommandMetrics metrics_;
  std::map<std::string, Chain> chains_;  // by object; the first of each is under way
  std::set<RequestId> requests_;         // out now
  std::shared_ptr<bool> life_ = std::make_shared<bool>(true);
};

CommandRunner::CommandRunner(Services services, CommandOptions options, Rng rng)
    : impl_(std::make_unique<Impl>(std::move(services), std::move(options), rng)) {}
CommandRunner::~CommandRunner() = default;

void CommandRunner::run(Command command, Done done) {
  impl_->run(std::move(command), std::move(done));
}
void CommandRunner::stop() {
  impl_->stop();
}
bool CommandRunner::idle() const {
  return impl_->idle();
}
const CommandMetrics& CommandRunner::metrics() const {
  return impl_->metrics();
}

}  // namespace tidegate::kube
