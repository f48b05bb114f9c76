package regress

import (
	"fmt"
)

// Events says what became of the events of an arm in a scenario, by what S3 holds after the service has stopped.
// Accepted = Stored + Lost; Accepted + Refused is what the schedule sent to /collect and /flag-evaluation.
type Events struct {
	Accepted int64 `json:"accepted"` // of requests that were answered 2xx, the warm-up's included
	Stored   int64 `json:"stored"`   // accepted ones that S3 holds at least once
	Lost     int64 `json:"lost"`     // accepted ones that S3 does not hold
	Repeated int64 `json:"repeated"` // copies of an event beyond its first
	Refused  int64 `json:"refused"`  // of requests that had no 2xx, whatever they had; the warm-up's included
	Unasked  int64 `json:"unasked"`  // refused, but stored: neither lost nor wrong
	Late     int64 `json:"late"`     // stored after a later one of the same caller, where a caller brings several

	Objects        int64 `json:"objects"`
	Puts           int64 `json:"puts"`           // uploads that S3 was sent
	FailedPuts     int64 `json:"failedPuts"`     // those of them that were not stored
	FailedNames    int64 `json:"failedNames"`    // objects of which an upload failed
	AbandonedNames int64 `json:"abandonedNames"` // those of them that were never stored
	ChangedNames   int64 `json:"changedNames"`   // objects that came with different contents
}

// settle holds the arrivals and what they were answered against what the bucket holds. A bucket that does not fit is an
// error: one with an event that no arrival made is not of this run, one whose counts disagree was not read right.
func settle(arrivals []arrival, answers []answer, b bucket) (Events, error) {
	e := Events{
		Late: b.Late, Objects: b.Objects, Puts: b.Puts, FailedPuts: b.FailedPuts,
		FailedNames: b.FailedNames, AbandonedNames: b.AbandonedNames, ChangedNames: b.ChangedNames,
	}
	var known, copiesOfAll int64
	for i, a := range arrivals {
		if a.endpoint == check {
			continue // makes no event: one of its users in the bucket would be a stranger
		}
		for _, user := range a.users() {
			copies := b.Users[user]
			copiesOfAll += copies
			if copies > 0 {
				known++
				e.Repeated += copies - 1
			}
			switch accepted := answers[i].accepted(); {
			case accepted && copies > 0:
				e.Accepted++
				e.Stored++
			case accepted:
				e.Accepted++
				e.Lost++
			default:
				e.Refused++
				if copies > 0 {
					e.Unasked++
				}
			}
		}
	}
	if known != int64(len(b.Users)) {
		return e, fmt.Errorf("the bucket holds events of %d users, of whom only %d sent any in this run", len(b.Users), known)
	}
	if copiesOfAll != b.Events {
		return e, fmt.Errorf("the bucket holds %d events, but %d by user", b.Events, copiesOfAll)
	}
	return e, nil
}

// add adds the events of another round.
func (e *Events) add(other Events) {
	e.Accepted += other.Accepted
	e.Stored += other.Stored
	e.Lost += other.Lost
	e.Repeated += other.Repeated
	e.Refused += other.Refused
	e.Unasked += other.Unasked
	e.Late += other.Late
	e.Objects += other.Objects
	e.Puts += other.Puts
	e.FailedPuts += other.FailedPuts
	e.FailedNames += other.FailedNames
	e.AbandonedNames += other.AbandonedNames
	e.ChangedNames += other.ChangedNames
}
