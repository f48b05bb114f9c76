package regress

import (
	"fmt"
)

// Events says what became of the events of an arm in a scenario, by what S3 holds after the service has stopped.
// Accepted = Stored + Lost.
type Events struct {
	Accepted int64 `json:"accepted"` // of requests that were answered 2xx, the warm-up's included
	Stored   int64 `json:"stored"`   // accepted ones that S3 holds at least once
	Lost     int64 `json:"lost"`     // accepted ones that S3 does not hold
	Repeated int64 `json:"repeated"` // copies of an event beyond its first
	Unasked  int64 `json:"unasked"`  // stored, though their request had no 2xx: neither lost nor wrong

	Objects    int64 `json:"objects"`
	Puts       int64 `json:"puts"`       // uploads that S3 took
	FailedPuts int64 `json:"failedPuts"` // uploads that were refused
}

// settle holds the arrivals and what they were answered against what the bucket holds. An event that no arrival made is
// an error: the bucket is not of this run.
func settle(arrivals []arrival, answers []answer, b bucket) (Events, error) {
	e := Events{Objects: b.Objects, Puts: b.Puts, FailedPuts: b.FailedPuts}
	known := int64(0)
	for i, a := range arrivals {
		copies := b.Users[a.user]
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
		case copies > 0:
			e.Unasked++
		}
	}
	if known != int64(len(b.Users)) {
		return e, fmt.Errorf("the bucket holds events of %d users, of whom only %d sent any in this run", len(b.Users), known)
	}
	return e, nil
}

// add adds the events of another round.
func (e *Events) add(other Events) {
	e.Accepted += other.Accepted
	e.Stored += other.Stored
	e.Lost += other.Lost
	e.Repeated += other.Repeated
	e.Unasked += other.Unasked
	e.Objects += other.Objects
	e.Puts += other.Puts
	e.FailedPuts += other.FailedPuts
}
