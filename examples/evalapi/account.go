package main

import ffclient "github.com/thomaspoignant/go-feature-flag"

// account says what became of the events of one exporter: Added = Exported + Dropped + Pending once the service has stopped. The
// fork counts, and so does ASYNC_EXPORT; without either there are no accounts. What an earlier process left on disk is
// exported by this one without having been added to it.
type account struct {
	Exporter    string `json:"exporter"`    // "s3" or "hung"
	Added       int64  `json:"added"`       // since the start
	Exported    int64  `json:"exported"`    // by a call of the exporter that succeeded
	Dropped     int64  `json:"dropped"`     // given up, because too many were waiting or the time to stop had passed
	Pending     int64  `json:"pending"`     // in memory, the batch that is being exported included, or in SPOOL_DIR
	PeakPending int64  `json:"peakPending"` // the most that was seen
	Hung        bool   `json:"hung"`        // a call of the exporter has not returned by its deadline
	Spooled     int64  `json:"spooled"`     // batches that were written to SPOOL_DIR
}

// accountsOf are those of the outlets, by their own count or by the library's.
func accountsOf(client *ffclient.GoFeatureFlag, outlets []*outlet) []account {
	var names []string
	all := []account{}
	for _, o := range outlets {
		names = append(names, o.name)
		if o.async != nil {
			all = append(all, o.account())
		}
	}
	if len(all) > 0 {
		return all
	}
	return accounts(client, names)
}
