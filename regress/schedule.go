package regress

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// endpoint is one of those of the service that the load goes to.
type endpoint int

const (
	collect    endpoint = iota // POST /collect: a client hands events in, and waits for AddEvent
	evaluation                 // GET /flag-evaluation: the library evaluates a flag and makes the event
	check                      // POST /check: the work of /collect without the library, so no event
	endpoints                  // how many there are
)

func (e endpoint) path() string {
	return [endpoints]string{collect: "/collect", evaluation: "/flag-evaluation", check: "/check"}[e]
}

// arrival is one request of a schedule.
type arrival struct {
	at       time.Duration // since the start of the run
	endpoint endpoint
	caller   string // unique in the run
	events   int    // that the request brings, at least 1
	warmup   bool   // sent and tallied, but its latency is not recorded
}

// users are the user keys of the events that the request brings, each unique in the run: the caller's own, or CALLER.N in
// the order in which it adds them.
func (a arrival) users() []string {
	if a.events == 1 {
		return []string{a.caller}
	}
	users := make([]string, a.events)
	for i := range users {
		users[i] = a.caller + "." + strconv.Itoa(i)
	}
	return users
}

// scheduleSeed makes every arm of every run see the same arrivals. The value is arbitrary.
const scheduleSeed = 5134

// schedule fixes the arrivals of a run: all endpoints at once, each at rate requests a second, with exponential gaps, as
// independent users make them. Arrivals before warmup are marked; the measured part lasts for length after it.
func schedule(rate float64, warmup, length time.Duration) []arrival {
	var all []arrival
	for e := range endpoints {
		random := rand.New(rand.NewPCG(scheduleSeed, uint64(e)))
		prefix := [endpoints]string{collect: "c", evaluation: "f", check: "k"}[e] // short: every event carries it
		for at, n := time.Duration(0), 0; ; n++ {
			at += time.Duration(random.ExpFloat64() / rate * float64(time.Second))
			if at >= warmup+length {
				break
			}
			all = append(all, arrival{at: at, endpoint: e, caller: prefix + strconv.Itoa(n), events: 1, warmup: at < warmup})
		}
	}
	slices.SortFunc(all, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	return all
}

// withEvents is the schedule with so many events a request.
func withEvents(arrivals []arrival, events int) []arrival {
	all := slices.Clone(arrivals)
	for i := range all {
		all[i].events = events
	}
	return all
}
