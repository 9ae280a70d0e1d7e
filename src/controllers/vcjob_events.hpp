// What has happened to a job's pods since the last look, as events for its policies.
//
// No event: what the controller stopped itself (its mark, or a version older than the job's), and what a
// recall stops. Volcano counts such evictions as retries until the job is Failed (volcano-sh/volcano#2560,
// #3067); here a pod with tidegate.dev/recalled-by, and every pod of a job with tidegate.dev/suspend, ends
// without burning one.
//
// After a restart of the controller the marks and versions say which ends were dealt with; a pod that
// vanished while it was away is created anew without an event.
#pragma once

#include <vector>

#include "controllers/vcjob_book.hpp"

namespace tidegate::vcjob {

// Each event once; the book remembers what it has told.
std::vector<JobEvent> takeEvents(Book& book);

// Pods that are pending longer than their policy's timeout; `wake`: when the next one would be.
std::vector<JobEvent> overduePods(const Book& book, Time now, std::optional<Time>& wake);

}  // namespace tidegate::vcjob
