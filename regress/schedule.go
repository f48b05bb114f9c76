package regress

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// endpoint is one of the two ways in which an event reaches the service.
type endpoint int

const (
	collect    endpoint = iota // POST /collect: a client hands an event in, and waits for AddEvent
	evaluation                 // GET /flag-evaluation: the library makes the event, on a goroutine of its own
	endpoints                  // how many there are
)

func (e endpoint) path() string {
	return [endpoints]string{collect: "/collect", evaluation: "/flag-evaluation"}[e]
}

// arrival is one request of a schedule.
type arrival struct {
	at       time.Duration // since the start of the run
	endpoint endpoint
	user     string // key of the one event that the request makes; unique in the run
	warmup   bool   // sent and tallied, but its latency is not recorded
}

// scheduleSeed makes every arm of every run see the same arrivals. The value is arbitrary.
const scheduleSeed = 5134

// schedule fixes the arrivals of a run: both endpoints at once, each at rate requests a second, with exponential gaps, as
// independent users make them. Arrivals before warmup are marked; the measured part lasts for length after it.
func schedule(rate float64, warmup, length time.Duration) []arrival {
	var all []arrival
	for e := range endpoints {
		random := rand.New(rand.NewPCG(scheduleSeed, uint64(e)))
		prefix := e.path()[1:2] // "c" or "f": short, because every event carries it
		for at, n := time.Duration(0), 0; ; n++ {
			at += time.Duration(random.ExpFloat64() / rate * float64(time.Second))
			if at >= warmup+length {
				break
			}
			all = append(all, arrival{at: at, endpoint: e, user: prefix + strconv.Itoa(n), warmup: at < warmup})
		}
	}
	slices.SortFunc(all, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	return all
}
