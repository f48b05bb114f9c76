//go:build offlock

package main

import (
	"time"

	ffclient "github.com/thomaspoignant/go-feature-flag"
)

// accounts are those of the exporters with these names, in the order in which the library was given them.
func accounts(client *ffclient.GoFeatureFlag, names []string) []account {
	all := []account{}
	features, _ := client.ExporterStats()
	for i, c := range features.Consumers {
		all = append(all, account{
			Exporter: names[i],
			Added:    c.Added,
			Exported: c.Exported,
			Dropped:  c.Dropped,
			Pending:  c.InFlight + c.Waiting,
			Hung:     c.Hung,
		})
	}
	return all
}

// limitClose sets how long the library's Close may take.
func limitClose(c *ffclient.Config, limit time.Duration) {
	for i := range c.DataExporters {
		c.DataExporters[i].StopTimeout = limit
	}
}
