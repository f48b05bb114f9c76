package regress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// levels holds the most goroutines that were seen in each slice of the run; 0: none were looked at.
type levels [timelineSlices]int64

func (l *levels) merge(other *levels) {
	for i, n := range other {
		l[i] = max(l[i], n)
	}
}

// of turns levels into moments of a run of so many seconds.
func (l *levels) of(length float64) []Level {
	all := []Level{}
	for i, n := range l {
		if n > 0 {
			all = append(all, Level{At: length * (float64(i) + 0.5) / timelineSlices, Count: n})
		}
	}
	return all
}

// watcher looks at a service's goroutines once a slice.
type watcher struct {
	stop context.CancelFunc
	done chan struct{} // closed when seen and err are set
	seen levels
	err  error
}

// watch starts to look, in the rhythm of the timeline, and ends with the run or with end, whichever comes first.
func watch(ctx context.Context, base string, p pace) *watcher {
	ctx, cancel := context.WithCancel(ctx)
	w := &watcher{stop: cancel, done: make(chan struct{})}
	begin := time.Now().Add(p.warmup)
	go func() {
		defer close(w.done)
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		for i := range w.seen {
			middle := begin.Add(time.Duration(float64(p.length) * (float64(i) + 0.5) / timelineSlices))
			select {
			case <-time.After(time.Until(middle)):
			case <-ctx.Done():
				return
			}
			var stats serviceStats
			if stats, w.err = readStats(ctx, client, base); w.err != nil {
				if ctx.Err() != nil {
					w.err = nil // end came first
				}
				return
			}
			w.seen[i] = stats.Goroutines
		}
	}()
	return w
}

// end stops looking and returns what was seen.
func (w *watcher) end() (levels, error) {
	w.stop()
	<-w.done
	return w.seen, w.err
}

// serviceStats is what /stats of the service says at one moment.
type serviceStats struct {
	Goroutines int64     `json:"goroutines"`
	Exporters  []Account `json:"exporters"`
}

// readStats asks the service at base.
func readStats(ctx context.Context, client *http.Client, base string) (stats serviceStats, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/stats", nil)
	if err != nil {
		return stats, err
	}
	response, err := client.Do(request)
	if err != nil {
		return stats, err
	}
	err = errors.Join(json.NewDecoder(response.Body).Decode(&stats), response.Body.Close())
	if err != nil {
		return stats, fmt.Errorf("/stats: %w", err)
	}
	return stats, nil
}
