package regress

// Account is what a library that counts, or this module's exporters, say of the events of one exporter: Added = Exported +
// Dropped + Pending when the service has stopped. The counts are those of all rounds together.
type Account struct {
	Exporter    string `json:"exporter"`    // "s3", or "hung", the one that never returns
	Added       int64  `json:"added"`       // events that it was to get
	Exported    int64  `json:"exported"`    // in calls that succeeded
	Dropped     int64  `json:"dropped"`     // given up
	Pending     int64  `json:"pending"`     // still in memory or on disk
	PeakPending int64  `json:"peakPending"` // the most of a round
	Hung        bool   `json:"hung"`        // a call has not returned by its deadline
	Spooled     int64  `json:"spooled"`     // batches that this module's spool wrote to disk
	Inherited   int64  `json:"inherited"`   // of Exported: those that were on disk at the end, and that the next process exported
}

// The service's exporters. Every event goes to each of them.
const (
	s3Exporter   = "s3"
	hungExporter = "hung"
)

// Stop says how the service stopped; of several rounds, the worst.
type Stop struct {
	Clean   bool    `json:"clean"`   // with exit code 0, after the library's Close had returned
	CloseMs float64 `json:"closeMs"` // how long Close took, or was waited for
}

// stopped is the last line of the service.
type stopped struct {
	Stopped        bool      `json:"stopped"`
	CloseMS        float64   `json:"closeMS"`
	PeakGoroutines int64     `json:"peakGoroutines"`
	PeakRSSBytes   int64     `json:"peakRSSBytes"`
	Exporters      []Account `json:"exporters"`
}

// addAccounts adds those of another round of the same service.
func addAccounts(all, other []Account) []Account {
	if len(all) == 0 {
		return append([]Account{}, other...)
	}
	for i, o := range other {
		a := &all[i]
		a.Added += o.Added
		a.Exported += o.Exported
		a.Dropped += o.Dropped
		a.Pending += o.Pending
		a.PeakPending = max(a.PeakPending, o.PeakPending)
		a.Hung = a.Hung || o.Hung
		a.Spooled += o.Spooled
		a.Inherited += o.Inherited
	}
	return all
}

// account finds that of an exporter; nil if nobody counts.
func (a *ArmResult) account(exporter string) *Account {
	for i := range a.Accounts {
		if a.Accounts[i].Exporter == exporter {
			return &a.Accounts[i]
		}
	}
	return nil
}
