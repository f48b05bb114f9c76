package main

// account says what the library did with the events that it handed to one exporter, by its own count:
// Added = Exported + Dropped + Pending. Only the fork counts; without it there are no accounts.
type account struct {
	Exporter    string `json:"exporter"`    // "s3" or "hung"
	Added       int64  `json:"added"`       // since the start
	Exported    int64  `json:"exported"`    // by a call of the exporter that succeeded
	Dropped     int64  `json:"dropped"`     // given up, because too many were waiting or the time to stop had passed
	Pending     int64  `json:"pending"`     // in memory, the batch that is being exported included
	PeakPending int64  `json:"peakPending"` // the most that was seen
	Hung        bool   `json:"hung"`        // a call of the exporter has not returned by its deadline
}
