//go:build !offlock

package main

import (
	"time"

	ffclient "github.com/thomaspoignant/go-feature-flag"
)

// accounts are none: the plain library does not count.
func accounts(*ffclient.GoFeatureFlag, []string) []account { return []account{} }

// limitClose does nothing: the plain library's Close takes as long as its exporters do.
func limitClose(*ffclient.Config, time.Duration) {}
